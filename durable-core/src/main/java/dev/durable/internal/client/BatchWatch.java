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
     * Enqueues the following job once the batch is at rest; gives its own job back until then.
     *
     * @param batch the id of the batch
     * @param following the id of the job to enqueue
     * @param activity the activity of the job to enqueue
     * @param arguments the arguments as a JSON array
     * @param options the options of the activity as JSON
     */
    void follow(String batch, String following, String activity, String arguments, String options);
}
