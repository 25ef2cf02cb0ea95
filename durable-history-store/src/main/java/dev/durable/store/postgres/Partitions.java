package dev.durable.store.postgres;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * History partitions, one a month of run ids, made long before they are needed: at open, and hourly by whoever sweeps.
 * There is no default partition to catch what fits nowhere; a start that meets the end of them makes its own.
 */
final class Partitions {
    private static final Logger log = LoggerFactory.getLogger(Partitions.class);
    private static final String ADD = """
            select durable.add_history_partitions(durable.clock() - interval '1 day', durable.clock() + interval '70 days')
                as made""";
    private static final long HOURLY = TimeUnit.HOURS.toNanos(1);

    private final Connections connections;
    private final AtomicLong next = new AtomicLong(Long.MIN_VALUE);

    Partitions(Connections connections) {
        this.connections = connections;
    }

    /** Makes what is missing from yesterday to ten weeks ahead. */
    void add() {
        next.set(System.nanoTime() + HOURLY);
        connections.transaction(Locks.LONG, tx -> {
            tx.last(new Script().read(ADD, row -> {
                if (row.getInt("made") > 0) {
                    log.info("made {} history partitions", row.getInt("made"));
                }
            }));
            return true;
        });
    }

    /** Once an hour. */
    void upkeep() {
        long due = next.get();
        if (due != Long.MIN_VALUE
                && System.nanoTime() - due >= 0
                && next.compareAndSet(due, System.nanoTime() + HOURLY)) {
            add();
        }
    }
}
