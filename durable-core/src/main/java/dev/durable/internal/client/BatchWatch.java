package dev.durable.internal.client;

import dev.durable.Activity;

/**
 * The declaration of the activity that waits until a batch is at rest and enqueues the job that follows it. Every
 * worker has it.
 */
@Activity(name = BatchWatch.TYPE)
interface BatchWatch {
    String TYPE = "durable.batch";

    /**
     * Given back until it is.
     *
     * @param batch the id of the batch
     * @param following the id of the job to enqueue
     * @param activity its activity
     * @param arguments a JSON array
     * @param options ActivityOptions as JSON
     */
    void follow(String batch, String following, String activity, String arguments, String options);
}
