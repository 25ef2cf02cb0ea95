package dev.durable.worker;

import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Runs the actors that have mail, one after another. Workflow code runs here and nowhere else. */
final class Turns implements Step {
    private static final int BATCH = 256;

    private final ConcurrentLinkedQueue<RunActor> ready = new ConcurrentLinkedQueue<>();
    private volatile Runnable wake = () -> {};

    void onReady(Runnable wake) {
        this.wake = wake;
    }

    /** The actor has mail and is not queued yet. */
    void ready(RunActor actor) {
        ready.add(actor);
        wake.run();
    }

    @Override
    public Duration runOnce() {
        for (int i = 0; i < BATCH; i++) {
            RunActor actor = ready.poll();
            if (actor == null) {
                return UNTIL_WOKEN;
            }
            actor.readMail();
        }
        return AGAIN;
    }
}
