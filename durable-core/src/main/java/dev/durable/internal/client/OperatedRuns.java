package dev.durable.internal.client;

import dev.durable.Activity;
import dev.durable.client.OperationProgress;

/** The declaration of the activity that carries out operations on many runs. Every worker has it. */
@Activity(name = OperatedRuns.TYPE)
interface OperatedRuns {
    String TYPE = "durable.operation";

    /**
     * Asks runs page by page, for a while, and then gives its own job back until all are asked.
     *
     * @return how many runs it has asked
     */
    OperationProgress run(OperationOrder order);
}
