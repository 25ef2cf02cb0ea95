package dev.durable.internal.attempt;

import dev.durable.client.WorkerStatus;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;

/**
 * A task queue that this process serves: its slots, the executor on which activity bodies run, and the worker that
 * claims its jobs.
 */
public final class ActivityQueue {
    private final String name;
    private final ActivitySlots slots;
    private final Executor executor;
    private final Executor cancelActions;
    private volatile Runnable wake = () -> {};
    private volatile BooleanSupplier limited = () -> false;

    public ActivityQueue(String name, ActivitySlots slots, Executor executor) {
        this(name, slots, executor, executor);
    }

    /**
     * @param executor runs the bodies
     * @param cancelActions runs the actions that tell a body to stop; never behind the bodies
     */
    public ActivityQueue(String name, ActivitySlots slots, Executor executor, Executor cancelActions) {
        this.name = name;
        this.slots = slots;
        this.executor = executor;
        this.cancelActions = cancelActions;
    }

    public String name() {
        return name;
    }

    public ActivitySlots slots() {
        return slots;
    }

    public Executor executor() {
        return executor;
    }

    Executor cancelActions() {
        return cancelActions;
    }

    /** Sets the question by which the queue knows that a limit of concurrency is in force. */
    public void limitedWhere(BooleanSupplier rules) {
        limited = rules;
    }

    /** Returns whether a limit of concurrency is, or may be, in force. */
    boolean isLimited() {
        return limited.getAsBoolean();
    }

    /** Sets the action that wakes the worker of this queue. */
    public void onNudge(Runnable loop) {
        wake = loop;
        slots.onRefill(loop);
    }

    public WorkerStatus.Queue status() {
        return new WorkerStatus.Queue(name, slots.size(), slots.free(), slots.zombies());
    }

    /** Wakes the worker of this queue, as jobs may be ready. */
    public void nudge() {
        wake.run();
    }
}
