package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.DeferException;
import dev.durable.DurableException;
import dev.durable.OnExhausted;
import dev.durable.Retry;
import dev.durable.client.ActivityState;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.client.StartOptions;
import dev.durable.history.IncidentResolved;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Tests that the audit records who did what to activities. */
@Timeout(300)
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class OperatorAuditTest {

    @Activity(retry = @Retry(maxAttempts = 1, onExhausted = OnExhausted.INCIDENT))
    interface Bank {
        String charge(String payment);

        @Activity(retry = @Retry(maxAttempts = 9, initialInterval = "1h", maxInterval = "1h"))
        String slow(String payment);

        @Activity(retry = @Retry(maxAttempts = 9, initialInterval = "1h", maxInterval = "1h"))
        String elsewhere(String payment);
    }

    private final Bench bench = new Bench();
    private final LinkedBlockingQueue<String> tokens = new LinkedBlockingQueue<>();
    private volatile boolean away = true;
    private DurableEngine engine;

    @BeforeEach
    void start() {
        engine = bench.engine()
                .activity(Bank.class, new Bank() {
                    @Override
                    public String charge(String payment) {
                        if (away) {
                            throw new IllegalStateException("the bank is away");
                        }
                        return payment;
                    }

                    @Override
                    public String slow(String payment) {
                        return charge(payment);
                    }

                    @Override
                    public String elsewhere(String payment) {
                        tokens.add(ActivityContext.current().completeLater());
                        return payment;
                    }
                })
                .identity("worker-1")
                .start();
    }

    @AfterEach
    void stop() {
        engine.close();
        bench.close();
    }

    private DurableClient client() {
        return engine.client();
    }

    @Test
    void each_operator_action_is_a_row_with_its_actor_in_the_commit_that_does_it() throws SQLException {
        for (String id : List.of("p-1", "p-2", "p-3", "p-4")) {
            client().enqueue(Bank.class, StartOptions.id(id), b -> b.charge(id));
        }
        client().enqueue(Bank.class, StartOptions.id("s-1"), b -> b.slow("s-1"));
        awaitThat(() -> client().incidents().count() == 4);
        awaitThat(() -> client().activity("s-1", 1).describe().state() == ActivityState.DELAYED);
        away = false;

        client().incidents().one("p-1", 1).by("ann").because("bank is back").retryWith("other");
        client().incidents().one("p-2", 1).by("bob").complete("cash");
        client().incidents().where(i -> i.workflowId("p-3")).by("bob").fail("customer is gone");
        client().incidents().by("eve").discard();
        client().activity("s-1", 1).by("ann").pause();
        client().activity("s-1", 1).by("ann").updateOptions(o -> o.maxAttempts(3));
        client().activity("s-1", 1).resume();
        client().activities().by("ann").retry();
        client().enqueue(Bank.class, StartOptions.id("l-1").startDelay(Duration.ofHours(1)), b -> b.slow("l-1"));
        client().job("l-1").control().by("eve").cancel("not needed");
        client().enqueue(Bank.class, StartOptions.id("l-2").startDelay(Duration.ofHours(1)), b -> b.slow("l-2"));
        client().activities().where(a -> a.workflowId("l-2")).by("eve").cancel("not needed");
        client().enqueue(Bank.class, StartOptions.id("l-3").startDelay(Duration.ofHours(1)), b -> b.slow("l-3"))
                .cancel("a client's message");

        assertThat(texts("""
                select concat_ws(' ', actor, action, regexp_replace(target, ' of run .* of workflow', ' of'), details ->> 'type',
                           details -> 'attributes' ->> 'resolution', details -> 'attributes' ->> 'reason')
                  from durable.audit order by at"""))
                .containsExactly(
                        "ann retry activity 1 of p-1 IncidentResolved retried with other arguments bank is" + " back",
                        "bob complete activity 1 of p-2 IncidentResolved completed ",
                        "bob fail activity 1 of p-3 IncidentResolved failed customer is gone",
                        "eve discard activity 1 of p-4 IncidentResolved discarded ",
                        "ann pause activity 1 of s-1 ActivityOperated",
                        "ann updateOptions activity 1 of s-1 ActivityOptionsUpdated",
                        "worker-1 resume activity 1 of s-1 ActivityOperated",
                        "ann retry activity 1 of s-1 ActivityOperated",
                        "eve cancel activity 1 of l-1 WorkflowCancelRequested not needed",
                        "eve cancel activity 1 of l-2 WorkflowCancelRequested not needed");
        assertThat(
                        texts(
                                "select details ->> 'attributes' from durable.audit where details ->> 'attributes' like '%other\"%'"))
                .as("the run's data stays with the run")
                .isEmpty();
    }

    @Test
    void what_the_holder_of_a_token_tells_of_an_attempt_is_not_taken_for_an_operators_word() throws Exception {
        client().enqueue(Bank.class, StartOptions.id("e-1"), b -> b.elsewhere("e-1"));
        client().activity(tokens.take()).fail(new DeferException(Duration.ofMillis(1)));
        String token = tokens.take();
        client().activity(token).fail(new IllegalStateException("declined"));

        client().activity(token).fail(new IllegalStateException("declined"));
        client().activity("e-1", 1).by("ann").fail(new IllegalStateException("customer is gone"));

        assertThat(texts("select concat_ws(' ', actor, action, details ->> 'attempt') from durable.audit order by at"))
                .as("told again is told once")
                .containsExactly("worker-1 attempt-deferred 1", "worker-1 attempt-failed 1", "ann fail");
    }

    @Test
    void what_can_not_be_audited_is_not_done() throws SQLException {
        client().enqueue(Bank.class, StartOptions.id("p-1"), b -> b.charge("p-1"));
        awaitThat(() -> client().incidents().count() == 1);
        away = false;
        execute("alter table durable.audit add constraint closed check (false) not valid");

        assertThatThrownBy(() -> client().incidents().one("p-1", 1).by("ann").retry())
                .isInstanceOf(DurableException.class);
        assertThatThrownBy(() -> client().incidents().by("ann").complete(null)).isInstanceOf(DurableException.class);
        assertThatThrownBy(() -> client().job("p-1").control().by("ann").cancel("not needed"))
                .isInstanceOf(DurableException.class);
        assertThat(texts("select name from durable.inbox")).isEmpty();
        assertThat(client().incidents().one("p-1", 1).describe().activity().attempt())
                .isEqualTo(2);
        assertThat(texts("select operator_notes::text from durable.activity_job"))
                .containsExactly((String) null);

        execute("alter table durable.audit drop constraint closed");
        client().incidents().one("p-1", 1).by("ann").retry();
        awaitThat(() -> client().handle("p-1").describe().summary().status().closed());
        assertThat(client().history("p-1").events(IncidentResolved.class)).hasSize(1);
        assertThat(texts("select actor from durable.audit")).containsExactly("ann");
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = bench.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private List<String> texts(String sql) throws SQLException {
        try (Connection connection = bench.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> texts = new ArrayList<>();
            while (rows.next()) {
                texts.add(rows.getString(1));
            }
            return texts;
        }
    }

    private static void awaitThat(BooleanSupplier condition) {
        long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("not in time").isLessThan(end);
            LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
        }
    }
}
