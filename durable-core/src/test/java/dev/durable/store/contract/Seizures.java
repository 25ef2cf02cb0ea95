package dev.durable.store.contract;

import dev.durable.client.WorkflowStatus;
import dev.durable.store.RunKey;
import dev.durable.store.Seizure;
import java.util.UUID;

/** Ways to end a run without its code. */
public final class Seizures {
    private Seizures() {}

    public static Seizure terminate(RunKey run) {
        return seizure(run.workflowId(), run.runId(), false, UUID.randomUUID());
    }

    public static Seizure terminateCurrent(String workflowId) {
        return seizure(workflowId, null, false, UUID.randomUUID());
    }

    public static Seizure timeOut(RunKey run) {
        return seizure(run.workflowId(), run.runId(), true, UUID.randomUUID());
    }

    private static Seizure seizure(String workflowId, UUID runId, boolean onlyIfDue, UUID fence) {
        return new Seizure(
                workflowId,
                runId,
                onlyIfDue,
                fence,
                onlyIfDue ? WorkflowStatus.TIMED_OUT : WorkflowStatus.TERMINATED,
                onlyIfDue ? "WorkflowTimedOut" : "WorkflowTerminated",
                dropped -> "{\"droppedMessages\":" + dropped + "}",
                "{\"type\":\"Ended\"}");
    }
}
