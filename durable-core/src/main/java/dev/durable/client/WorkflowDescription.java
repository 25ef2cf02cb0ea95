package dev.durable.client;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The state of one run.
 *
 * @param summary what a listing shows
 * @param historyLength events written so far
 * @param failure type and message of the failure, where it closed with one
 * @param stalledBy why it can't go on for now (non-determinism, an {@code Error}); null when it can
 * @param ownedUntil until when a worker has claimed it; null when no worker has
 * @param ownerSession the worker session that had it last
 * @param nextWakeAt when its earliest timer is due
 * @param waitingMessages messages in its inbox
 * @param activities its open activities
 * @param startedBy the caller who started it, as {@link StartOptions#by} said, else the process that did, by its
 *     identity; null where its history does not say, as it is older or gone
 * @param paused whether it is {@linkplain WorkflowHandle#pause paused}: none of its code runs until it is resumed
 * @param parent the workflow that started it as its child; null where none did
 */
public record WorkflowDescription(
        WorkflowSummary summary,
        long historyLength,
        @Nullable String failure,
        @Nullable String stalledBy,
        @Nullable Instant ownedUntil,
        @Nullable UUID ownerSession,
        @Nullable Instant nextWakeAt,
        int waitingMessages,
        List<PendingActivity> activities,
        @Nullable String startedBy,
        boolean paused,
        @Nullable Parent parent) {

    public WorkflowDescription {
        activities = List.copyOf(activities);
    }

    /**
     * The workflow that started another as its child.
     *
     * @param workflowId its workflow id
     * @param runId its run; the first of its runs where it has continued as new
     * @param number the number of the child among its children, from 1
     * @param rootRunId the run at the top, which has no parent; the first of its runs where it has continued as new
     */
    public record Parent(String workflowId, UUID runId, long number, UUID rootRunId) {}

    /**
     * An activity that has not ended.
     *
     * @param seq its number in the run
     * @param activity its name
     * @param state as {@link ActivityState} in lower case; cancelling where it is to stop and its attempt has not ended
     * @param attempt the current or next attempt, from 1
     * @param dueAt when it may start, where it is delayed
     * @param session the worker session that runs it
     * @param lastFailure message of the last failed attempt
     * @param heartbeatDetails last accepted details, as JSON
     * @param summary the line for people that its call has, as plain text; null without
     */
    public record PendingActivity(
            int seq,
            String activity,
            String state,
            int attempt,
            @Nullable Instant dueAt,
            @Nullable UUID session,
            @Nullable String lastFailure,
            @Nullable String heartbeatDetails,
            @Nullable String summary) {
        @Override
        public String toString() {
            return "PendingActivity[" + seq + ", " + activity + ", " + state + ", attempt=" + attempt + "]";
        }
    }

    @Override
    public String toString() {
        return "WorkflowDescription[" + summary + ", historyLength=" + historyLength + ", activities=" + activities
                + "]";
    }
}
