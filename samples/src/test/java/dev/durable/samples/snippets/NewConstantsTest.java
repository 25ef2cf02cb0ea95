package dev.durable.samples.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Code that tells kinds, events, states, outcomes or options apart does it by switches without {@code default}, or by a
 * property that stands beside the constants: whoever adds one is led to all places that must know it, by the compiler. Where
 * one constant is singled out and all others, those of the future included, are rightly alike, this list has the reason.
 */
class NewConstantsTest {
    private static final List<Alike> ALL_OTHERS_ALIKE = List.of(
            // ── events and messages ──
            alike("default of Closing", "any other end shows its toString, which has no payload", "Comparison"),
            alike("default of Informing", "only these two events say that a job was discarded", "DiscardedJobs"),
            alike("default of Informing", "any other note is counted under the name of its type", "Notes"),
            alike(
                    "default of JobUpdate",
                    "an update that ends no attempt is refused by an exception",
                    "LocalActivities"),
            alike(
                    "MessageKind.ACTIVITY_OUTCOME",
                    "the record holds an outcome and refuses all else",
                    "JobOrder",
                    "JobUpdate"),
            alike(
                    "MessageKind.ACTIVITY_OUTCOME",
                    "outcomes alone stay with the run whose numbers they name; all else goes on to the next run",
                    "Inbox"),
            alike("MessageKind.CANCEL", "the record holds a request to cancel and refuses all else", "JobOrder"),
            alike(
                    "MessageKind.CANCEL",
                    "a request to cancel alone is not for the start that would take the place of its run",
                    "Inbox"),
            alike("MessageKind.CALLBACK", "outcomes of one callback alone share an id", "MessageJudge", "RelayPass"),
            alike(
                    "MessageKind.CANCEL",
                    "a request to cancel alone ends jobs before its run reads it",
                    "Deliveries",
                    "DeliveryBatch"),
            alike(
                    "MessageKind.CANCEL",
                    "a request to cancel alone ends the wait of a full history for its local activities",
                    "HeldRun"),
            alike(
                    "MessageKind.CANCEL",
                    "a request to cancel alone does not move to a fork in the run's place",
                    "Resets"),
            alike(
                    "instanceof of CallbackEnded",
                    "an end alone holds for good: another extension is asked for once",
                    "TokenOfCallback"),
            alike(
                    "MessageKind.*",
                    "failed attempts of an outcome go before a request to cancel that is later",
                    "LiveRun"),
            alike(
                    "MessageKind.ACTIVITY_OUTCOME",
                    "outcomes alone hold notes of jobs, which go into the history",
                    "Seizures",
                    "Transitions"),
            alike("MessageKind.UNKNOWN", "the one kind that is no kind: all that are known are relayed", "KindSql"),
            alike(
                    "MessageKind.*",
                    "a start has the child's row, a watch the child's address, an outcome the child's chain as its id, news of a"
                            + " callback the callback's",
                    "Outbox",
                    "OutgoingRows"),
            alike(
                    "instanceof of Command",
                    "calls of activities and starts of children alone are seen by interceptors",
                    "RunInterception"),
            alike("default of Command", "these have summaries, which are not compared; others have none", "Comparison"),
            // ── children ──
            alike(
                    "ParentClosePolicy.ABANDON",
                    "the one policy by which a child needs no open parent",
                    "BehindPoint",
                    "ChildStarts",
                    "OpenChildren",
                    "Relays",
                    "RunRow"),
            alike("ParentClosePolicy.TERMINATE", "the one policy that ends a child without its code", "Relays"),
            alike(
                    "ChildCancellationType.*",
                    "ABANDON alone asks nothing, WAIT_CANCELLATION_COMPLETED alone keeps the result open",
                    "OpenChild"),
            alike(
                    "Versioning.PINNED",
                    "the one that names a build: with any other every build may go on",
                    "EngineBuilder",
                    "HeldRun"),
            // ── ends of runs ──
            alike(
                    "WorkflowStatus.TIMED_OUT",
                    "with FAILED the one end that is retried from its failure, and is then not listed",
                    "RunRecord"),
            alike("Kind.LOCKED", "a change that waits for a lock alone is tried again by itself", "OperatedPages"),
            alike("Kind.NOT_FOUND", "a request alone that found no open run has nothing to tell of one", "RunBatches"),
            alike(
                    "WorkflowStatus.COMPLETED",
                    "the one end with a result: any other may be repeated, and has none to read",
                    "BatchResult",
                    "DraftWriter",
                    "EndedJobs",
                    "JobBatch",
                    "OperationVerbs",
                    "Reads",
                    "Starts"),
            alike(
                    "WorkflowStatus.FAILED",
                    "the one end by an exception of code, which is decoded, logged and thrown as a cause",
                    "JobHandle",
                    "Results",
                    "Telemetry",
                    "TransitionSpan"),
            alike("WorkflowStatus.CONTINUED_AS_NEW", "the one end whose result is another run's", "Results"),
            alike("WorkflowStatus.CANCELLED", "its text begins otherwise; any other is told by its name", "Results"),
            alike(
                    "WorkflowStatus.TIMED_OUT",
                    "its text has one sentence more; any other is told by its name",
                    "Results"),
            alike(
                    "Kind.STALE",
                    "an attempt that had ended before: any other end failed if it has an exception",
                    "DurableTracing"),
            alike(
                    "TimeoutType.EXPIRY",
                    "it names an instant; any other is told by its name and its duration",
                    "ActivityOutcomes"),
            alike(
                    "WorkflowStatus.FAILED",
                    "the one end that another attempt may follow",
                    "RunRecord",
                    "RunRow",
                    "Transition"),
            alike("OnExhausted.FAIL", "the one that a workflow knows: any other is of activities", "WorkflowRetry"),
            alike("Option.*", "these two are of activities, and refused for workflows", "WorkflowRetry"),
            // ── states of jobs ──
            alike(
                    "ActivityState.*",
                    "one queue or index has the jobs of one state: a job of another state is not in it",
                    "FailedJobs",
                    "Job",
                    "JobQueues",
                    "Orders",
                    "Places",
                    "QueueTable",
                    "Tables"),
            alike("JobState.RUNNING", "a running body alone keeps a place under a limit", "JobOrderBatch"),
            alike(
                    "ActivityState.DEAD",
                    "the control of dead letters is named otherwise in its texts",
                    "StoreIncidentControl"),
            // ── answers ──
            alike(
                    "Outcome.STALE",
                    "the lease was lost: any other answer was written, or the update is sent again",
                    "ActivityReports",
                    "HeldRun",
                    "InMemoryHistoryStore",
                    "ObservedStore"),
            alike(
                    "Outcome.ACCEPTED",
                    "the message was written: after any other answer nothing follows from it",
                    "ChildOrders",
                    "CarefulStarts",
                    "Deliveries",
                    "DeliveryBatch",
                    "OwnRunMessages",
                    "RelayDelivery",
                    "Relays"),
            alike(
                    "Outcome.APPLIED",
                    "the order was written: after any other answer nothing follows from it",
                    "ExternalTimeouts",
                    "JobOrderBatch",
                    "Orders"),
            alike(
                    "Outcome.LOCKED",
                    "a job that was locked is told apart in the text of the error",
                    "JobPages",
                    "Operations"),
            alike(
                    "Outcome.DONE",
                    "the fork was written: after any other answer nothing follows from it",
                    "ObservedStore"),
            alike("Outcome.DUPLICATE", "the one answer of an order that was carried out before", "Operations"),
            alike("Outcome.INBOX_FULL", "the text names one of two limits", "Messages"),
            alike(
                    "Outcome.NOT_FOUND",
                    "the job has gone, which is an error of its own",
                    "StoreActivityControl",
                    "TokenHolder"),
            alike("Outcome.NOT_FOUND", "a message that no run takes is not sent again", "Deliveries"),
            alike("Outcome.COMMITTED", "the one end of a body's transaction that wrote", "TransactionalJobs"),
            alike(
                    "SqlState.*",
                    "a class of errors that is met in its own way; any other is thrown, as StoreErrors says it",
                    "BatchHalving",
                    "Connections",
                    "Ddl",
                    "Partitions",
                    "RelayPass",
                    "StoreErrors",
                    "Tx"),
            // ── options ──
            alike(
                    "ConflictPolicy.FAIL",
                    "the one that signalWithStart does not know, as the signal is for the open run",
                    "RunStarter"),
            alike(
                    "ConflictPolicy.USE_EXISTING",
                    "the one by which a message goes to the open run",
                    "NewRun",
                    "RunStarter"),
            alike(
                    "ReusePolicy.ALLOW_DUPLICATE",
                    "the one that asks nothing of earlier runs: any other is looked at",
                    "ChildStarts",
                    "Starts"),
            alike("OnExhausted.DISCARD", "the one that ends a call without a result", "OptionProblems"),
            alike("OpenWork.*", "CANCEL alone ends open work, FREEZE alone holds it; any other leaves it", "Adoptions"),
            alike("SchemaMode.*", "MIGRATE alone changes the schema, NONE alone does not look at it", "Migration"),
            alike("CallKind.QUERY", "the one kind whose method must return something", "WorkflowReader"),
            alike("CallKind.RUN", "the one kind that a workflow must have", "WorkflowReader"),
            // ── mechanisms ──
            alike("Cause.*", "SHUTDOWN alone gives the job back, REQUESTED alone cancels the attempt", "AttemptEnd"),
            alike("Fed.*", "ALL alone may end a run, ENDED_TOO_EARLY alone is fed again", "RunActor"),
            alike(
                    "FeedingOrder.*",
                    "BY_TIME is the order without messages first, MESSAGES_TOGETHER alone feeds in one turn",
                    "HeldRun",
                    "LiveRun"),
            alike("Kind.IO", "the loops that talk to the store, which wait longer after an outage", "PatientDrive"),
            alike("Kind.TURNS", "the loops that run the code of workflows, on virtual threads", "ThreadDrive"),
            alike(
                    "Order.*",
                    "the planner is told of those that are sought; those that are walked have an edge",
                    "RunSearch"),
            alike("Seen.*", "the test clock moves where all is idle, and complains where bodies hang", "PumpDrive"));

    /**
     * A choice between one and all others.
     *
     * @param what is singled out, as {@link OpenChoices} names it; with a star all constants of the enum
     * @param why those that don't exist yet are like all others
     * @param files the classes in which that holds
     */
    private record Alike(String what, String why, List<String> files) {
        Stream<String> entries() {
            return files.stream().map(file -> file + ": " + what);
        }
    }

    private static Alike alike(String what, String why, String... files) {
        return new Alike(what, why, List.of(files));
    }

    @Test
    void a_new_constant_or_type_falls_into_no_default_and_no_comparison_unnoticed() throws Exception {
        Set<String> argued = ALL_OTHERS_ALIKE.stream().flatMap(Alike::entries).collect(Collectors.toSet());
        Set<String> found = OpenChoices.inMainCode().stream()
                .map(choice -> {
                    String ofAll = choice.replaceFirst("[.]\\w+$", ".*");
                    return argued.contains(ofAll) ? ofAll : choice;
                })
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(without(argued, found))
                .as("one is singled out, and a new constant would be like all others: make it a switch without default,"
                        + " or add it to the list with the reason")
                .isEmpty();
        assertThat(without(found, argued))
                .as("in the list, and gone from the code")
                .isEmpty();
    }

    private static Set<String> without(Set<String> known, Set<String> all) {
        Set<String> rest = new TreeSet<>(all);
        rest.removeAll(known);
        return rest;
    }
}
