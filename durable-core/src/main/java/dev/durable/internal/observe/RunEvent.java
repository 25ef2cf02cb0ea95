package dev.durable.internal.observe;

import dev.durable.store.RunKey;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.StackTrace;

/** The common part of the flight recorder's events of Durable: the run that they are about. */
@StackTrace(false)
abstract class RunEvent extends Event {
    @Label("Workflow Type")
    String workflowType = "";

    @Label("Workflow Id")
    String workflowId = "";

    @Label("Run Id")
    String runId = "";

    /** Ends the event; returns whether it is to be committed once its other fields are set. */
    final boolean endsFor(String type, RunKey run) {
        end();
        if (!shouldCommit()) {
            return false;
        }
        of(type, run);
        return true;
    }

    final void of(String type, RunKey run) {
        workflowType = type;
        workflowId = run.workflowId();
        runId = run.runId().toString();
    }
}
