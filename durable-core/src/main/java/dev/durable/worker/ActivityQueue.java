package dev.durable.worker;

import java.util.concurrent.Executor;

/** A task queue as this process serves it: its slots, where bodies run, and who looks for jobs. */
final class ActivityQueue {
    private final String name;
    private final Slots slots;
    private final Executor executor;
    private volatile Runnable wake = () -> {};

    ActivityQueue(String name, Slots slots, Executor executor) {
        this.name = name;
        this.slots = slots;
        this.executor = executor;
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

    /** Who cranks its worker. */
    void onNudge(Runnable loop) {
        wake = loop;
        slots.onRefill(loop);
    }

    /** Jobs may be ready: look now. */
    void nudge() {
        wake.run();
    }
}
