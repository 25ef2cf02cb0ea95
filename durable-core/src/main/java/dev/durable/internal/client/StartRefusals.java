package dev.durable.internal.client;

import dev.durable.WorkflowAlreadyStartedException;
import dev.durable.client.StartOptions;
import dev.durable.history.InboxMessage;
import dev.durable.internal.client.access.Messages;
import dev.durable.internal.replay.BackgroundJob;
import dev.durable.store.BatchPlace;
import dev.durable.store.NewRun;
import dev.durable.store.StartOutcome;
import java.util.List;
import java.util.UUID;

/** The error texts of starts that are refused because of another run of the workflow id. */
final class StartRefusals {
    private StartRefusals() {}

    static WorkflowAlreadyStartedException alreadyOpen(StartOptions options, StartOutcome.AlreadyOpen open) {
        return new WorkflowAlreadyStartedException(
                "workflow id " + options.id() + " has an open run, " + open.runId()
                        + ". Use another id, or conflictPolicy(USE_EXISTING) to get a handle of the open run,"
                        + " or conflictPolicy(TERMINATE_EXISTING) to replace it."
                        + (open.type().equals(BackgroundJob.TYPE)
                                ? " A job that is being cancelled is open until its attempt has ended: wait for it, job.await()."
                                        + " If it is a dead letter: client.deadLetters().one(\"" + options.id()
                                        + "\", 1).retry() or .fail(…)."
                                : ""),
                options.id(),
                open.runId());
    }

    static WorkflowAlreadyStartedException ofOtherType(NewRun run, StartOutcome.AlreadyOpen open) {
        String id = run.run().workflowId();
        InboxMessage message = run.message();
        return new WorkflowAlreadyStartedException(
                "workflow id " + id + " has an open run, " + open.runId()
                        + ", of another type: it is a run of " + name(open.type()) + ", not of " + name(run.type())
                        + ", and was left as it is"
                        + (message == null ? "" : ", without " + Messages.what(message))
                        + ". USE_EXISTING gives the open run only where its type is the same. Usual cause: two kinds of workflow"
                        + " share their ids. Give each kind a prefix of its own, or use conflictPolicy(TERMINATE_EXISTING) to"
                        + " replace the open run."
                        + (bothAreWorkflows(run.type(), open.type())
                                ? " Where the type was renamed, add its former name: @Workflow(aliases = \""
                                        + open.type() + "\")."
                                : ""),
                id,
                open.runId());
    }

    static WorkflowAlreadyStartedException ofOtherActivity(
            NewRun run, List<String> activity, StartOutcome.AlreadyOpen open) {
        return new WorkflowAlreadyStartedException(
                "id " + run.run().shown() + " has an open job, "
                        + open.runId() + ", of another activity: it runs " + open.activity() + ", not "
                        + activity.getFirst()
                        + ", and was left as it is. USE_EXISTING gives the open job only where its activity is the same. Usual"
                        + " cause: two kinds of jobs share their ids. Give each kind a prefix of its own, or use"
                        + " conflictPolicy(TERMINATE_EXISTING) to replace the open job. Where the activity was renamed, add its"
                        + " former name: @Activity(aliases = \"" + open.activity() + "\").",
                run.run().workflowId(),
                open.runId());
    }

    /** Returns the refusal of a batch whose item's id belongs to a run outside the batch. */
    static WorkflowAlreadyStartedException idOfItemTaken(BatchPlace place, String id, UUID runId) {
        return new WorkflowAlreadyStartedException(
                "item " + place.number() + " of batch " + place.batch()
                        + " was not enqueued: its id, " + id + ", belongs to run " + runId
                        + ", which is no job of this batch and was left as it is. The other items that were sent with it are"
                        + " enqueued. Usual cause: a job or workflow was started by itself under an id of the batch's kind. Give"
                        + " the batch an id that nothing else begins with.",
                id,
                runId);
    }

    private static boolean bothAreWorkflows(String one, String other) {
        return !one.equals(BackgroundJob.TYPE) && !other.equals(BackgroundJob.TYPE);
    }

    private static String name(String type) {
        return type.equals(BackgroundJob.TYPE) ? "a background job" : type;
    }

    static WorkflowAlreadyStartedException notUndone(StartOptions options, UUID runId) {
        return new WorkflowAlreadyStartedException(
                "workflow id " + options.id() + " has an open run, " + runId
                        + ", and TERMINATE_EXISTING inside an open transaction could not bring it back on rollback. Terminate it"
                        + " after the commit, or start through client.independent().",
                options.id(),
                runId);
    }

    static WorkflowAlreadyStartedException refused(StartOptions options, StartOutcome.Refused refused) {
        String rule =
                switch (options.reusePolicy()) {
                    case REJECT_DUPLICATE -> "never allows another";
                    case ALLOW_DUPLICATE_FAILED_ONLY -> "allows another only if it did not complete";
                    case ALLOW_DUPLICATE -> throw new IllegalStateException("ALLOW_DUPLICATE refuses no start");
                };
        return new WorkflowAlreadyStartedException(
                "workflow id " + options.id() + " was used before: its latest run, " + refused.latestRunId() + ", is "
                        + refused.latestStatus() + ", and reusePolicy " + options.reusePolicy() + " " + rule + ".",
                options.id(),
                refused.latestRunId());
    }
}
