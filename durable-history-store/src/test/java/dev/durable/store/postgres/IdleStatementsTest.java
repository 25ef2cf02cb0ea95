package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.store.HistoryStore;
import dev.durable.store.JobClaim;
import dev.durable.store.RunClaim;
import dev.durable.store.postgres.testing.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Each query of an idle worker is one round trip; {@code IdleLoadTest} counts how often it asks. */
@Tag("slow")
class IdleStatementsTest {
    private static final Set<String> QUEUES = Set.of("default");

    private final AtomicInteger roundTrips = new AtomicInteger();

    @Test
    void what_an_idle_worker_asks_is_one_round_trip_each() {
        try (TestDatabase database = TestDatabase.migrated();
                HistoryStore store = PostgresHistoryStore.builder(
                                counted(DataSource.class, database.pooledDataSource(4)))
                        .notify(false)
                        .build()) {
            store.open();
            UUID session = UUID.randomUUID();
            store.openSession(session, "me", Duration.ofSeconds(30));
            store.requeueOrphans(10);
            Map<String, Integer> costs = new TreeMap<>();

            costs.put("beat", of(() -> store.beat(session)));
            costs.put("claimJobs", of(() -> store.claimJobs(new JobClaim(session, "default", Set.of("A.b"), 10))));
            costs.put(
                    "claimRuns",
                    of(() -> store.claimRuns(new RunClaim(session, QUEUES, Set.of("W"), 10, Duration.ofSeconds(15)))));
            costs.put("earliestTimeouts", of(store::earliestTimeouts));
            costs.put("held", of(() -> store.held(session)));
            costs.put("queueRules", of(() -> store.queueRules(QUEUES)));
            costs.put("relay", of(() -> store.relay(10)));
            costs.put("requeueOrphans", of(() -> store.requeueOrphans(10)));
            costs.put("sessions", of(store::sessions));

            assertThat(costs)
                    .allSatisfy((call, cost) -> assertThat(cost).as(call).isEqualTo(1));
        }
    }

    private int of(Runnable call) {
        roundTrips.set(0);
        call.run();
        return roundTrips.get();
    }

    private <T> T counted(Class<T> type, Object target) {
        return type.cast(Proxy.newProxyInstance(
                IdleStatementsTest.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (method.getName().startsWith("execute")) {
                        roundTrips.incrementAndGet();
                    }
                    try {
                        Object result = method.invoke(target, arguments);
                        return method.getName().equals("unwrap") ? result : wrapped(result);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    private Object wrapped(Object result) {
        return switch (result) {
            case Connection connection -> counted(Connection.class, connection);
            case PreparedStatement statement -> counted(PreparedStatement.class, statement);
            case Statement statement -> counted(Statement.class, statement);
            case null, default -> result;
        };
    }
}
