package dev.durable.worker;

import dev.durable.WorkerStatus;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;

/** A task queue as this process serves it: its slots, where bodies run, and who looks for jobs. */
final class ActivityQueue {
    private final String name;
    private final Slots slots;
    private final Executor executor;
    private final Executor cancelActions;
    private volatile Runnable wake = () -> {};
    private volatile BooleanSupplier limited = () -> false;

    ActivityQueue(String name, Slots slots, Executor executor) {
        this(name, slots, executor, executor);
    }

    /**
     * @param executor where bodies run
     * @param cancelActions where that runs which tells a body to stop: never behind the bodies
     */
    ActivityQueue(String name, Slots slots, Executor executor, Executor cancelActions) {
        this.name = name;
        this.slots = slots;
        this.executor = executor;
        this.cancelActions = cancelActions;
    }

    String name() {
        return name;
    }

    Slots slots() {
        return slots;
    }

    Executor executor() {
        return executor;
    }

    Executor cancelActions() {
        return cancelActions;
    }

    /** Tells whether somebody counts how many of its jobs run at once. */
    void limitedWhere(BooleanSupplier rules) {
        limited = rules;
    }

    /** Whether somebody counts how many of its jobs run at once, or may. */
    boolean isLimited() {
        return limited.getAsBoolean();
    }

    /** Who cranks its worker. */
    void onNudge(Runnable loop) {
        wake = loop;
        slots.onRefill(loop);
    }

    /** What runs here now. */
    WorkerStatus.Queue status() {
        return new WorkerStatus.Queue(name, slots.size(), slots.free(), slots.zombies());
    }

    /** Jobs may be ready: look now. */
    void nudge() {
        wake.run();
    }
}
