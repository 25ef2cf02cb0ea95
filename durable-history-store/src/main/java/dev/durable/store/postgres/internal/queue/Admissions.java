package dev.durable.store.postgres.internal.queue;

import dev.durable.store.Nudges;
import dev.durable.store.QueueStore;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.TransactionSettings;
import dev.durable.store.postgres.internal.sql.Tx;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Admits jobs that wait for their limit key, as far as the limits of key and queue allow. A job that is let through
 * counts until it ends or goes back, and the jobs are counted anew each time, so there is no counter that a crash could
 * leave wrong. One admission runs at a time and queue; the statement that counts comes after its lock, so it sees all
 * jobs that the admission before let through.
 */
public final class Admissions {
    private static final Logger log = LoggerFactory.getLogger(Admissions.class);
    private static final long TOLD_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final int KEYS = 2_000;
    private static final int BATCH = 5_000;
    private static final Duration ANOTHER_ADMITS = Duration.ofMillis(20);
    private static final Duration RATE = Duration.ofMillis(50);

    private final Connections connections;
    private final Nudges nudges;
    /** The key at which the last admission of a queue ended. */
    private final Map<String, String> lastKeys = new ConcurrentHashMap<>();
    /**
     * The time since which, by queue, another transaction has held the admission's row at each try, or the last warning
     * about it.
     */
    private final Map<String, Long> others = new ConcurrentHashMap<>();

    private final LongSupplier nanoTime;

    public Admissions(Connections connections, Nudges nudges, LongSupplier nanoTime) {
        this.connections = connections;
        this.nudges = nudges;
        this.nanoTime = nanoTime;
    }

    public QueueStore.Admission admit(String taskQueue) {
        QueueStore.Admission admission =
                inTurn(taskQueue).or(() -> afterMaking(taskQueue)).orElseGet(() -> another(taskQueue));
        if (admission.admitted() > 0) {
            nudges.send(List.of(new Nudges.JobsReady(taskQueue)));
        }
        return admission;
    }

    /** Runs an admission. Empty if the queue has no row yet. */
    private Optional<QueueStore.Admission> inTurn(String taskQueue) {
        return connections.transaction(TransactionSettings.CLAIM, tx -> admit(tx, taskQueue));
    }

    private Optional<QueueStore.Admission> afterMaking(String taskQueue) {
        connections.transaction(TransactionSettings.SHORT, tx -> {
            tx.last(new SqlScript().then(AdmissionSql.MAKE, Param.of(taskQueue)));
            return true;
        });
        return inTurn(taskQueue);
    }

    private Optional<QueueStore.Admission> admit(Tx tx, String taskQueue) throws SQLException {
        Param queue = Param.of(taskQueue);
        Look look = new Look();
        tx.run(new SqlScript()
                .read(AdmissionSql.LOCK_ADMISSION, row -> look.mine = row.getBoolean("mine"), queue)
                .read(
                        AdmissionSql.KEY_LIMITS,
                        row -> {
                            look.most = row.getObject("key_concurrency", Integer.class);
                            look.rate = row.getObject("key_rate_per_second", Integer.class);
                        },
                        queue));
        if (!look.mine) {
            tx.last(new SqlScript()
                    .read(AdmissionSql.IS_THERE, row -> look.isThere = row.getBoolean("is_there"), queue));
            return look.isThere ? Optional.of(another(taskQueue)) : Optional.empty();
        }
        others.remove(taskQueue);
        String from = lastKeys.getOrDefault(taskQueue, "");
        SqlScript script = new SqlScript()
                .then(AdmissionSql.END_DELAYS, queue, Param.of(BATCH))
                .read(
                        AdmissionSql.ADMIT,
                        row -> {
                            look.admitted = row.getInt("admitted");
                            look.keys = row.getInt("keys");
                            look.lastKey = row.getString("last_key");
                        },
                        queue,
                        Param.of((Object) look.most),
                        Param.of((Object) look.rate),
                        Param.of(BATCH),
                        Param.of(from),
                        Param.of(KEYS),
                        Param.of(BATCH))
                .read(
                        AdmissionSql.LEFT,
                        row -> {
                            look.waiting = row.getBoolean("waiting");
                            look.delayedFor = row.getObject("delayed_for", Long.class);
                        },
                        queue,
                        queue);
        if (look.rate != null) {
            script.then(AdmissionSql.FORGET_KEY_STARTS, queue);
        }
        tx.last(script);
        boolean more = look.keys == KEYS || look.admitted == BATCH || !from.isEmpty();
        lastKeys.put(taskQueue, look.keys == KEYS && look.lastKey != null ? look.lastKey : "");
        return Optional.of(
                new QueueStore.Admission(look.admitted, look.waiting || look.delayedFor != null, look.retryIn(more)));
    }

    private QueueStore.Admission another(String taskQueue) {
        long now = nanoTime.getAsLong();
        if (now - others.computeIfAbsent(taskQueue, queue -> now) >= TOLD_NANOS) {
            others.put(taskQueue, now);
            log.warn(
                    "for a minute no job with a limit key of task queue {} in the database at {} was let through by this"
                            + " process: another transaction has had the queue's row of table {}.admission whenever it"
                            + " was tried for. Usual cause: a session that was left open in the middle of a transaction."
                            + " Find it by: select a.* from pg_stat_activity a join pg_locks l on l.pid = a.pid where"
                            + " l.relation = '{}.admission'::regclass; and end it by pg_terminate_backend(pid).",
                    taskQueue,
                    connections.failures().database(),
                    connections.schema().quoted(),
                    connections.schema().quoted());
        }
        return new QueueStore.Admission(0, true, ANOTHER_ADMITS);
    }

    private static final class Look {
        private boolean mine;
        private boolean isThere;
        private @Nullable Integer most;
        private @Nullable Integer rate;
        private int admitted;
        private int keys;
        private @Nullable String lastKey;
        private boolean waiting;
        private @Nullable Long delayedFor;

        @Nullable
        Duration retryIn(boolean more) {
            if (more && waiting) {
                return Duration.ZERO;
            }
            if (rate != null && waiting) {
                return RATE;
            }
            return delayedFor == null ? null : Duration.ofMillis(delayedFor);
        }
    }
}
