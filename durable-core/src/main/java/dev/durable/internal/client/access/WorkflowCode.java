package dev.durable.internal.client.access;

import dev.durable.UsageException;
import dev.durable.internal.replay.call.DurableCalls;

/** Refuses calls of a client from workflow code, which each replay would make again. */
public final class WorkflowCode {
    private WorkflowCode() {}

    /**
     * Refuses a call that the code of a workflow makes.
     *
     * @param call the call, for the error
     * @param again the effect that each replay would repeat, for the error
     * @throws UsageException on a coroutine of a run
     */
    public static void mayNot(String call, String again) {
        DurableCalls.typeOfCaller(call).ifPresent(type -> {
            throw new UsageException(call + " was called by the code of workflow " + type
                    + ". Workflow code runs again whenever its run is replayed, in whatever process, and each time that would "
                    + again
                    + ". Call it in the body of an activity instead: give the activity's implementation the client, and let"
                    + " the workflow call the activity. Durable.startChild(…) starts workflows, and Durable.external(…) sends signals and requests to cancel, from workflow code. What"
                    + " belongs to this run only needs no client: Durable.async,"
                    + " Durable.activity(…) and stubs of activities.");
        });
    }
}
