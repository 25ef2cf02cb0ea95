package dev.durable.store;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A run that this process has claimed and may write under the fence until {@code ownedUntil}, or until another process
 * replaces the fence.
 *
 * @param run the run
 * @param type workflow type
 * @param taskQueue its queue
 * @param fence the fence that the claim set
 * @param previousFence the fence before the claim: a cached instance whose last write set that fence may go on without
 *     a replay
 * @param nextEventId the id that its next event will have
 * @param wakeAt when its start or its earliest timer is due, later than now where messages woke it; null without
 * @param closing whether a close was refused three times because messages had come: senders of new messages are told to
 *     try again
 * @param stalls how often it stalled in a row
 * @param build the build whose code has made its last turn; null where that is not known
 */
public record ClaimedRun(
        RunKey run,
        String type,
        String taskQueue,
        UUID fence,
        UUID previousFence,
        long nextEventId,
        @Nullable Instant wakeAt,
        boolean closing,
        int stalls,
        @Nullable String build) {
    @Override
    public String toString() {
        return "ClaimedRun[" + run + ", " + type + ", " + taskQueue + ", nextEventId=" + nextEventId + "]";
    }
}
