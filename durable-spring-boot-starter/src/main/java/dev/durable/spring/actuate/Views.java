package dev.durable.spring.actuate;

import dev.durable.client.Incident;
import dev.durable.client.IncidentGroup;
import dev.durable.client.WorkflowDescription;
import dev.durable.client.WorkflowSummary;
import dev.durable.store.PoisonPill;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The JSON that the endpoint shows: ids, names, times and texts that are cut, of one run also the lines of its code for
 * people; no payload, memo or header.
 */
final class Views {
    private Views() {}

    /**
     * A page.
     *
     * @param next where the listing goes on; null where it ends
     */
    record Listing<T>(List<T> items, @Nullable String next) {}

    /** A run in a listing. */
    record Workflow(
            String workflowId,
            UUID runId,
            String type,
            String status,
            String taskQueue,
            Instant startedAt,
            @Nullable Instant closedAt,
            @Nullable String build) {

        static Workflow of(WorkflowSummary run) {
            return new Workflow(
                    run.workflowId(),
                    run.runId(),
                    run.type(),
                    run.status().name(),
                    run.taskQueue(),
                    run.startedAt(),
                    run.closedAt(),
                    run.build());
        }
    }

    /**
     * One run.
     *
     * @param chain the runs that continue one another, and its place among them
     * @param parent the workflow that started it as its child; null where none did
     * @param details the line by which its code says what it is doing; null without
     */
    record WorkflowDetails(
            Workflow run,
            WorkflowSummary.Chain chain,
            WorkflowDescription.@Nullable Parent parent,
            @Nullable String details,
            long historyLength,
            @Nullable String failure,
            @Nullable String stalledBy,
            @Nullable Instant nextWakeAt,
            int waitingMessages,
            boolean paused,
            @Nullable String startedBy,
            List<OpenActivity> activities) {
        private static final int MOST_ACTIVITIES = 100;

        static WorkflowDetails of(WorkflowDescription run) {
            return new WorkflowDetails(
                    Workflow.of(run.summary()),
                    run.summary().chain(),
                    run.parent(),
                    run.summary().details(),
                    run.historyLength(),
                    CutText.orNull(run.failure()),
                    CutText.orNull(run.stalledBy()),
                    run.nextWakeAt(),
                    run.waitingMessages(),
                    run.paused(),
                    run.startedBy(),
                    run.activities().stream()
                            .limit(MOST_ACTIVITIES)
                            .map(OpenActivity::of)
                            .toList());
        }
    }

    /** An activity that has not ended. */
    record OpenActivity(
            int seq,
            String activity,
            String state,
            int attempt,
            @Nullable Instant dueAt,
            @Nullable UUID session,
            @Nullable String lastFailure,
            @Nullable String summary) {

        static OpenActivity of(WorkflowDescription.PendingActivity activity) {
            return new OpenActivity(
                    activity.seq(),
                    activity.activity(),
                    activity.state(),
                    activity.attempt(),
                    activity.dueAt(),
                    activity.session(),
                    CutText.orNull(activity.lastFailure()),
                    activity.summary());
        }
    }

    /** A worker process. */
    record Worker(
            UUID session,
            String identity,
            Instant startedAt,
            Duration lease,
            boolean dead,
            boolean thisProcess,
            Set<String> queues,
            Set<String> activities) {}

    /** Incidents or dead letters. */
    record WaitingListing(
            List<Group> groups,
            List<Waiting> items,
            @Nullable String next) {}

    /** Activities that failed alike. */
    record Group(
            String fingerprint,
            String activity,
            long count,
            Instant firstSeen,
            Instant lastSeen,
            @Nullable String lastFailure,
            String workflowId,
            int seq) {

        static Group of(IncidentGroup group) {
            return new Group(
                    group.fingerprint(),
                    group.activity(),
                    group.count(),
                    group.firstSeen(),
                    group.lastSeen(),
                    CutText.orNull(group.lastFailure()),
                    group.workflowId(),
                    group.seq());
        }
    }

    /**
     * An incident or a dead letter.
     *
     * @param attempt that was made last; the client's {@link Incident} has the one that an operator may allow
     */
    record Waiting(
            String workflowId,
            int seq,
            String workflowType,
            String activity,
            String taskQueue,
            int attempt,
            Instant since,
            String fingerprint,
            @Nullable String lastFailure) {

        static Waiting of(Incident incident) {
            return new Waiting(
                    incident.activity().workflowId(),
                    incident.activity().seq(),
                    incident.activity().workflowType(),
                    incident.activity().activity(),
                    incident.activity().taskQueue(),
                    made(incident),
                    incident.since(),
                    incident.fingerprint(),
                    CutText.orNull(incident.activity().lastFailure()));
        }

        /** The death of a worker uses no attempt, so the next one has the number of the one that it ended. */
        private static int made(Incident incident) {
            boolean ofCrashes = incident.fingerprint()
                    .equals(PoisonPill.fingerprint(incident.activity().activity()));
            return incident.activity().attempt() - (ofCrashes ? 0 : 1);
        }
    }
}
