package dev.durable.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.SqlInvariants;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * No engine: writes the rows that Durable would write, through bare JDBC, with group commit by two writers. No replay, no
 * activities, no claims, no JSON, no other process to agree with: the most that the schema allows on this machine.
 */
final class LimitContestant implements Contestant {
    private static final int WRITERS = 2;
    private static final int BATCH = 256;

    private final Database database;
    private final HikariDataSource pool;
    private final BlockingQueue<LimitRun> ready = new LinkedBlockingQueue<>();
    private final List<Thread> writers = new ArrayList<>();
    private volatile boolean open = true;
    private volatile @Nullable Exception failure;

    LimitContestant(Database database, Settings settings) {
        this.database = database;
        pool = database.pool(settings.connectionsOr(WRITERS + 1));
        PostgresHistoryStore.of(pool).open();
        for (int i = 0; i < WRITERS; i++) {
            writers.add(Thread.ofPlatform().name("limit-writer-" + i).start(this::write));
        }
    }

    private void write() {
        List<LimitRun> batch = new ArrayList<>(BATCH);
        try (Connection connection = pool.getConnection()) {
            while (open) {
                LimitRun first = ready.poll(50, TimeUnit.MILLISECONDS);
                if (first != null) {
                    batch.add(first);
                    ready.drainTo(batch, BATCH - 1);
                    write(connection, batch);
                    batch.clear();
                }
            }
        } catch (Exception e) {
            failure = e;
            batch.forEach(run -> run.closed.completeExceptionally(e));
        }
    }

    private void write(Connection connection, List<LimitRun> batch) throws Exception {
        List<LimitRun.Write> writes = batch.stream().map(LimitRun::next).toList();
        new LimitBatch(connection, writes).commit();
        for (LimitRun.Write write : writes) {
            if (write.close()) {
                write.run().closed.complete(null);
            } else {
                ready.add(write.run());
            }
        }
    }

    private void play(LimitRun run) throws Exception {
        if (failure != null) {
            throw failure;
        }
        ready.add(run);
        run.closed.get(2, TimeUnit.MINUTES);
    }

    @Override
    public int steps(String id, int steps, boolean local) throws Exception {
        play(LimitRun.sequence(id, steps, local));
        return steps;
    }

    @Override
    public long fanout(String id, int size) throws Exception {
        play(LimitRun.fanout(id, size));
        return (long) size * (size + 1) / 2;
    }

    @Override
    public List<String> check(long runs, long steps) throws Exception {
        List<String> wrong = new ArrayList<>(SqlInvariants.check(pool));
        long completed = database.number("select count(*) from durable.workflow_run where status = 'COMPLETED'");
        if (completed != runs) {
            wrong.add(completed + " completed runs instead of " + runs);
        }
        return wrong;
    }

    @Override
    public void close() throws Exception {
        open = false;
        for (Thread writer : writers) {
            writer.join();
        }
        pool.close();
    }
}
