package dev.durable.testing;

import dev.durable.store.HistoryStore;
import java.time.Instant;
import java.util.Optional;

/** A store whose time a test moves. */
interface TestTime extends AutoCloseable {
    HistoryStore store();

    Instant now();

    /** Moves time; never back. */
    void advanceTo(Instant instant);

    /**
     * The next thing in the store that time brings, or has brought since: a store's time may run on by itself.
     *
     * @param looked the time at which all steps last looked for due work
     */
    Optional<Instant> nextDue(Instant looked);

    @Override
    void close();
}
