package dev.durable.internal.client.operate;

import dev.durable.RefusedInputException;
import dev.durable.client.QueueDescription;
import dev.durable.client.QueueLimits;
import dev.durable.client.Queues;
import dev.durable.internal.client.access.WorkflowCode;
import dev.durable.store.Bounds;
import dev.durable.store.HistoryStore;
import dev.durable.store.QueueChange;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Implements {@link Queues} over the store. */
public record StoreQueues(
        HistoryStore store,
        KnownNames known,
        Supplier<UUID> random,
        String actor,
        @Nullable String reason) implements Queues {

    @Override
    public Queues by(String who) {
        return new StoreQueues(store, known, random, Bounds.actor(who), reason);
    }

    @Override
    public Queues because(String why) {
        return new StoreQueues(store, known, random, actor, Bounds.reason("because", why));
    }

    @Override
    public List<QueueDescription> list() {
        return store.queues();
    }

    @Override
    public QueueDescription describe(String taskQueue) {
        return list().stream()
                .filter(queue -> queue.taskQueue().equals(taskQueue))
                .findFirst()
                .orElseGet(() ->
                        new QueueDescription(taskQueue, 0, 0, 0, 0, 0, 0, null, false, null, QueueLimits.NONE, false));
    }

    @Override
    public boolean pause(String taskQueue, @Nullable Instant resumeAt) {
        return change(new QueueChange.PauseQueue(known.queue(named("task queue", taskQueue)), ahead(resumeAt)));
    }

    @Override
    public boolean resume(String taskQueue) {
        return change(new QueueChange.ResumeQueue(Bounds.known("task queue", taskQueue)));
    }

    @Override
    public boolean pauseActivity(String activity, @Nullable Instant resumeAt) {
        return change(new QueueChange.PauseActivity(known.activity(named("activity", activity)), ahead(resumeAt)));
    }

    @Override
    public boolean resumeActivity(String activity) {
        return change(new QueueChange.ResumeActivity(Bounds.known("activity", activity)));
    }

    @Override
    public List<PausedActivity> pausedActivities() {
        return store.pausedActivities();
    }

    @Override
    public boolean limits(String taskQueue, Consumer<QueueLimits.Builder> limits) {
        return change(new QueueChange.Limit(named("task queue", taskQueue), QueueLimits.of(limits)));
    }

    private @Nullable Instant ahead(@Nullable Instant resumeAt) {
        Bounds.time("resumeAt", resumeAt);
        Instant now = store.clock().now();
        if (resumeAt != null && !resumeAt.isAfter(now)) {
            throw new RefusedInputException("a pause until " + resumeAt + " would be over already: it is " + now
                    + " by the store's clock. Name a time ahead, or leave it out to pause until it is resumed.");
        }
        return resumeAt;
    }

    private boolean change(QueueChange.What what) {
        WorkflowCode.mayNot("client.queues()." + what.action(), "set it again");
        return store.change(new QueueChange(random.get(), actor, reason, what));
    }

    private static String named(String what, String target) {
        if (target.isBlank()) {
            throw new RefusedInputException("a queue or an activity has a name, such as default or Payments.charge");
        }
        return Bounds.name("client.queues(): the " + what, target);
    }
}
