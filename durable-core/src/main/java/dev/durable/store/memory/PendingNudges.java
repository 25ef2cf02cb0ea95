package dev.durable.store.memory;

import dev.durable.store.Nudges;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Collects what the in-memory store has to tell sleeping loops, which PostgreSQL tells by NOTIFY, and sends it when the
 * lock of the store is released. */
final class PendingNudges implements Nudges {
    private final List<Consumer<Nudge>> listeners = new CopyOnWriteArrayList<>();
    private final Set<Nudge> owed = new LinkedHashSet<>();

    /** Adds a nudge that is to be sent after the lock is released. */
    void owe(Nudge nudge) {
        owed.add(nudge);
    }

    /** Removes the nudges that are to be sent, and returns them. Called under the lock. */
    List<Nudge> takeOwed() {
        if (owed.isEmpty()) {
            return List.of();
        }
        List<Nudge> taken = List.copyOf(owed);
        owed.clear();
        return taken;
    }

    @Override
    public void send(Collection<? extends Nudge> nudges) {
        nudges.forEach(nudge -> listeners.forEach(listener -> listener.accept(nudge)));
    }

    @Override
    public AutoCloseable listen(Consumer<Nudge> listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }
}
