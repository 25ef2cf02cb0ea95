package dev.durable.store;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A run that this process has claimed and may write under the fence until {@code ownedUntil}, or until somebody else
 * replaces the fence.
 *
 * @param run the run
 * @param type workflow type
 * @param taskQueue its queue
 * @param fence the fence that the claim set
 * @param previousFence what it was: a cached instance that wrote it last may go on from there
 * @param nextEventId the id that its next event will have
 * @param wakeAt when its start or its earliest timer is due, later than now where messages woke it; null without
 * @param closing a close was refused three times by messages: new messages wait outside
 * @param stalls how often it stalled in a row
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
        int stalls) {
    @Override
    public String toString() {
        return "ClaimedRun[" + run + ", " + type + ", " + taskQueue + ", nextEventId=" + nextEventId + "]";
    }
}
