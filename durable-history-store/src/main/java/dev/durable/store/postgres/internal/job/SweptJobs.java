package dev.durable.store.postgres.internal.job;

import static dev.durable.store.postgres.internal.sql.Param.texts;
import static dev.durable.store.postgres.internal.sql.Param.uuids;

import dev.durable.StoreRefusedException;
import dev.durable.store.JobKey;
import dev.durable.store.RunKey;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.RefusedRows;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.TransactionSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.LongSupplier;

/**
 * Works off jobs in portions for a chore that locks them; a job whose change the database refuses does not hold up the
 * others.
 */
public final class SweptJobs implements RefusedRows.Kind<JobKey> {
    private final Connections connections;
    private final String lock;
    private final RefusedRows<JobKey> refused;

    /** Works off at most so many of the jobs that {@link #lock} finds, and returns how many there were. */
    @FunctionalInterface
    public interface Sweep {
        int of(int limit, Set<JobKey> without);
    }

    /**
     *
     * @param lock locks jobs of alias j; its one parameter is how many
     * @param condition the last condition on them
     */
    public SweptJobs(Connections connections, String lock, String condition, LongSupplier nanoTime) {
        this.connections = connections;
        this.lock = lock.replace(condition, condition + " and " + JobSql.otherJobs());
        this.refused = new RefusedRows<>("activity", nanoTime);
    }

    public int sweep(int limit, Sweep sweep) {
        return refused.take(limit, sweep::of, swept -> swept > 0, this);
    }

    /** The statement that locks them. */
    public SqlScript lock(int limit, Set<JobKey> without, SqlScript.Row reader) {
        return script(lock, limit, without, reader);
    }

    private static SqlScript script(String sql, int limit, Set<JobKey> without, SqlScript.Row reader) {
        List<JobKey> keys = List.copyOf(without);
        return new SqlScript()
                .read(
                        sql,
                        reader,
                        uuids(keys, key -> key.run().runId()),
                        texts(keys, key -> key.run().runId() + " " + key.seq()),
                        Param.of(limit));
    }

    @Override
    public Optional<JobKey> first(Set<JobKey> without) {
        return connections.transaction(TransactionSettings.SHORT, tx -> {
            List<JobKey> found = new ArrayList<>();
            tx.last(script(
                    lock,
                    1,
                    without,
                    row -> found.add(new JobKey(
                            new RunKey(row.getObject("run_id", UUID.class), row.getString("workflow_id")),
                            row.getInt("seq")))));
            return found.stream().findFirst();
        });
    }

    @Override
    public boolean setAside(JobKey row, StoreRefusedException why) {
        return false;
    }
}
