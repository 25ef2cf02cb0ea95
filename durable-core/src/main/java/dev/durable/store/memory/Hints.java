package dev.durable.store.memory;

import dev.durable.store.Nudges;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Nudges within the process, and those that the store itself owes once its lock is released. */
final class Hints implements Nudges {
    private final List<Consumer<Nudge>> listeners = new CopyOnWriteArrayList<>();
    private final Map<Nudge.Kind, Set<String>> owed = new EnumMap<>(Nudge.Kind.class);

    /** To be sent after the lock is released. */
    void owe(Nudge.Kind kind, String taskQueue) {
        owed.computeIfAbsent(kind, k -> new LinkedHashSet<>()).add(taskQueue);
    }

    /** What is owed; it is not any more. Under the lock. */
    Map<Nudge.Kind, Set<String>> takeOwed() {
        if (owed.isEmpty()) {
            return Map.of();
        }
        Map<Nudge.Kind, Set<String>> taken = Map.copyOf(owed);
        owed.clear();
        return taken;
    }

    void send(Map<Nudge.Kind, Set<String>> nudges) {
        nudges.forEach(this::send);
    }

    @Override
    public void runs(Set<String> taskQueues) {
        send(Nudge.Kind.RUNS, taskQueues);
    }

    @Override
    public void jobs(Set<String> taskQueues) {
        send(Nudge.Kind.JOBS, taskQueues);
    }

    @Override
    public AutoCloseable listen(Consumer<Nudge> listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    private void send(Nudge.Kind kind, Set<String> taskQueues) {
        for (String queue : taskQueues) {
            listeners.forEach(listener -> listener.accept(new Nudge(kind, queue)));
        }
    }
}
