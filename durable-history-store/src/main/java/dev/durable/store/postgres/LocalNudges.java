package dev.durable.store.postgres;

import dev.durable.store.Nudges;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Nudges within this process: the loops that listen are called at once, on the thread that has committed. */
final class LocalNudges implements Nudges {
    private final List<Consumer<Nudge>> listeners = new CopyOnWriteArrayList<>();

    @Override
    public void runs(Set<String> taskQueues) {
        taskQueues.forEach(queue -> tell(new Nudge(Nudge.Kind.RUNS, queue)));
    }

    @Override
    public void jobs(Set<String> taskQueues) {
        taskQueues.forEach(queue -> tell(new Nudge(Nudge.Kind.JOBS, queue)));
    }

    @Override
    public AutoCloseable listen(Consumer<Nudge> listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    void tell(Nudge nudge) {
        listeners.forEach(listener -> listener.accept(nudge));
    }
}
