package dev.durable.store.memory;

import dev.durable.ReusePolicy;
import dev.durable.WorkflowStatus;
import dev.durable.store.InboxMessage;
import dev.durable.store.NewRun;
import dev.durable.store.RunRecord;
import dev.durable.store.StartOutcome;

/** Starts runs: a resend, a run that is open, a policy that refuses, or a new run. */
final class Starts {
    private final Tables tables;

    Starts(Tables tables) {
        this.tables = tables;
    }

    StartOutcome start(NewRun start) {
        if (tables.runs().find(start.run().runId()) != null) {
            return new StartOutcome.Started(true);
        }
        Run latest = tables.runs().latest(start.run().workflowId());
        if (latest == null) {
            return begin(start);
        }
        if (latest.isOpen()) {
            return new StartOutcome.AlreadyOpen(latest.key().runId());
        }
        RunRecord closed = latest.record();
        return refuses(start.reusePolicy(), closed.status())
                ? new StartOutcome.Refused(closed.run().runId(), closed.status())
                : begin(start);
    }

    private StartOutcome begin(NewRun start) {
        Run run = new Run(start, tables.now());
        tables.runs().add(run);
        tables.bear(run, start.jobs());
        InboxMessage message = start.message();
        if (message != null) {
            tables.post(run, message);
        }
        tables.place(run);
        return new StartOutcome.Started(false);
    }

    private static boolean refuses(ReusePolicy policy, WorkflowStatus latest) {
        return switch (policy) {
            case ALLOW_DUPLICATE -> false;
            case ALLOW_DUPLICATE_FAILED_ONLY -> latest == WorkflowStatus.COMPLETED;
            case REJECT_DUPLICATE -> true;
        };
    }
}
