package dev.durable.internal.client.operate;

import dev.durable.RefusedInputException;
import dev.durable.client.QueueDescription;
import dev.durable.client.QueueLimits;
import dev.durable.client.Queues;
import dev.durable.internal.client.access.ClientCode;
import dev.durable.internal.client.access.Dispatch;
import dev.durable.internal.client.access.WorkflowCode;
import dev.durable.internal.text.Bounds;
import dev.durable.store.QueueChange;
import dev.durable.store.QueueRules;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Implements {@link Queues} over the store. */
public record StoreQueues(
        Dispatch dispatch,
        ClientCode code,
        String actor,
        @Nullable String reason) implements Queues {

    @Override
    public Queues by(String who) {
        return new StoreQueues(dispatch, code, Bounds.actor(who), reason);
    }

    @Override
    public Queues because(String why) {
        return new StoreQueues(dispatch, code, actor, Bounds.reason("because", why));
    }

    @Override
    public List<QueueDescription> list() {
        return dispatch.store().queues();
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
        Dispatch call = dispatch.begun();
        String known = known(call).queue(named("task queue", taskQueue));
        return change(call, new QueueChange.PauseQueue(known, ahead(resumeAt)));
    }

    @Override
    public boolean resume(String taskQueue) {
        return change(dispatch, new QueueChange.ResumeQueue(Bounds.known("task queue", taskQueue)));
    }

    @Override
    public boolean pauseActivity(String activity, @Nullable Instant resumeAt) {
        Dispatch call = dispatch.begun();
        String known = known(call).activity(named("activity", activity));
        return change(call, new QueueChange.PauseActivity(known, ahead(resumeAt)));
    }

    @Override
    public boolean resumeActivity(String activity) {
        return change(dispatch, new QueueChange.ResumeActivity(Bounds.known("activity", activity)));
    }

    @Override
    public boolean halt() {
        return change(dispatch, new QueueChange.PauseActivity(QueueRules.ALL, null));
    }

    @Override
    public boolean endHalt() {
        return change(dispatch, new QueueChange.ResumeActivity(QueueRules.ALL));
    }

    @Override
    public boolean isHalted() {
        return dispatch.store().queueRules(List.of()).halted();
    }

    @Override
    public List<PausedActivity> pausedActivities() {
        return dispatch.store().pausedActivities();
    }

    @Override
    public boolean limits(String taskQueue, Consumer<QueueLimits.Builder> limits) {
        return change(dispatch, new QueueChange.Limit(named("task queue", taskQueue), QueueLimits.of(limits)));
    }

    private @Nullable Instant ahead(@Nullable Instant resumeAt) {
        Bounds.time("resumeAt", resumeAt);
        Instant now = dispatch.store().clock().now();
        if (resumeAt != null && !resumeAt.isAfter(now)) {
            throw new RefusedInputException("a pause until " + resumeAt + " would be over already: it is " + now
                    + " by the store's clock. Name a time ahead, or leave it out to pause until it is resumed.");
        }
        return resumeAt;
    }

    private KnownNames known(Dispatch call) {
        return new KnownNames(call.store(), code.registry(), code.unknownTypes().served());
    }

    private boolean change(Dispatch call, QueueChange.What what) {
        WorkflowCode.mayNot("client.queues()." + what.action(), "set it again");
        return call.store().change(new QueueChange(code.random().get(), actor, reason, what));
    }

    private static String named(String what, String target) {
        if (target.isBlank()) {
            throw new RefusedInputException("a queue or an activity has a name, such as default or Payments.charge");
        }
        return Bounds.name("client.queues(): the " + what, target);
    }
}
