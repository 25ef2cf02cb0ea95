package dev.durable.client;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The current state of a worker process: slots, running activities, zombies, stalled runs.
 *
 * @param identity how it is named in events and views
 * @param session under which it claims now, as in the table {@code session}; null for a client only
 * @param queues the task queues that it serves
 * @param staleReports how many of its reports on attempts were refused since it started, because their lease was no longer
 *     held: zero as long as no session of it was declared dead and no run was ended from outside
 * @param refusedMessages how many messages of the outbox stood in {@code outbox_refused} when it looked last (some
 *     thousands are not counted further), with the reason for which the database refuses them, whichever process has
 *     set them aside; an operator should look at them
 * @param stalledRuns runs whose code stalled in this process within the last two minutes, each of which is tried again
 *     within one: {@code client.workflows().where(w -> w.stalled())} lists all of them, and each says why
 */
public record WorkerStatus(
        String identity,
        @Nullable UUID session,
        List<Queue> queues,
        long staleReports,
        long refusedMessages,
        int stalledRuns) {

    /**
     * A task queue as this process serves it.
     *
     * @param name the queue
     * @param slots activities at once
     * @param free slots that nothing runs in
     * @param zombies bodies that were asked to stop long ago and still run; anything but zero wants a look at a thread
     *     dump
     */
    public record Queue(String name, int slots, int free, int zombies) {}

    /** Bodies in all queues that were asked to stop long ago and still run. */
    public int zombies() {
        return queues.stream().mapToInt(Queue::zombies).sum();
    }
}
