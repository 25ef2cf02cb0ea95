package dev.durable.testing;

import dev.durable.store.HistoryStore;
import dev.durable.store.memory.InMemoryHistoryStore;
import dev.durable.store.memory.VirtualClock;
import java.time.Instant;
import java.util.Optional;

/** The store in memory on its virtual clock. */
final class MemoryTime implements TestTime {
    private final VirtualClock clock = new VirtualClock();
    private final InMemoryHistoryStore store = InMemoryHistoryStore.on(clock);

    @Override
    public HistoryStore store() {
        return store;
    }

    @Override
    public Instant now() {
        return clock.now();
    }

    @Override
    public void advanceTo(Instant instant) {
        clock.advanceTo(instant);
    }

    @Override
    public Optional<Instant> nextDue(Instant looked) {
        return store.nextDue();
    }

    @Override
    public void close() {
        store.close();
    }
}
