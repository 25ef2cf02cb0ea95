package dev.durable.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import dev.durable.DurableClient;
import dev.durable.DurableEngine;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.SqlInvariants;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Durable itself: worker and client in this process. */
final class DurableContestant implements Contestant {
    private static final int CONNECTIONS = 10;
    private static final Duration STUCK = Duration.ofSeconds(90);

    private final Database database;
    private final HikariDataSource pool;
    private final DurableEngine engine;
    private final DurableClient client;

    DurableContestant(Database database, Settings settings) {
        this.database = database;
        pool = database.pool(settings.connectionsOr(CONNECTIONS));
        engine = DurableEngine.builder(PostgresHistoryStore.of(pool))
                .register(Work.Sequence.class, Work.LocalSequence.class, Work.Fanout.class)
                .register(new Work.Counting())
                .queue(
                        "default",
                        queue -> queue.slots(settings.worker().slots())
                                .virtualThreads(settings.worker().virtualThreads()))
                .start();
        client = engine.client();
    }

    @Override
    public int steps(String id, int steps, boolean local) {
        return local
                ? client.start(Work.LocalSequence.class, id, w -> w.run(steps)).result(STUCK)
                : client.start(Work.Sequence.class, id, w -> w.run(steps)).result(STUCK);
    }

    @Override
    public long fanout(String id, int size) {
        return client.start(Work.Fanout.class, id, w -> w.run(size)).result(STUCK);
    }

    @Override
    public List<String> check(long runs, long steps) throws Exception {
        List<String> wrong = new ArrayList<>(SqlInvariants.check(pool));
        expect(wrong, "completed runs", runs, "select count(*) from durable.workflow_run where status = 'COMPLETED'");
        expect(wrong, "open runs", 0, "select count(*) from durable.run_state");
        long completed = database.number("select count(*) from durable.history_event where type = 'ActivityCompleted'");
        if (completed < steps) {
            wrong.add(completed + " completed steps instead of " + steps);
        }
        return wrong;
    }

    private void expect(List<String> wrong, String what, long expected, String sql) throws Exception {
        long found = database.number(sql);
        if (found != expected) {
            wrong.add(found + " " + what + " instead of " + expected);
        }
    }

    @Override
    public void close() {
        engine.close();
        pool.close();
    }
}
