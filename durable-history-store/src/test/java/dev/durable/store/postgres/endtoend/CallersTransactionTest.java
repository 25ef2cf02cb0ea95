package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.durable.Activity;
import dev.durable.ConflictPolicy;
import dev.durable.Durable;
import dev.durable.Query;
import dev.durable.RefusedInputException;
import dev.durable.RolledBackException;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Update;
import dev.durable.Workflow;
import dev.durable.WorkflowAlreadyStartedException;
import dev.durable.WorkflowFailedException;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.WorkflowCancelRequested;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.SqlInvariants;
import dev.durable.store.postgres.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Starts, messages and jobs inside a transaction that the caller holds by hand. */
@Timeout(300)
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class CallersTransactionTest {

    @Activity
    interface Mail {
        void send(String to);
    }

    @Activity
    interface Post {
        void post(String to);
    }

    /** Collects words until it is told to stop. */
    @Workflow
    static class Words {
        private final List<String> heard = new ArrayList<>();
        private boolean stop;

        @Run
        List<String> run() {
            Durable.await(() -> stop);
            return heard;
        }

        @Signal
        void say(String word) {
            heard.add(word);
        }

        @Signal
        void stop() {
            stop = true;
        }

        @Update
        int repeat(String word) {
            heard.add(word);
            return heard.size();
        }

        @Query
        int count() {
            return heard.size();
        }
    }

    private final Bench bench = new Bench();
    private final CountDownLatch mailed = new CountDownLatch(1);
    private final DurableEngine engine = bench.engine()
            .register(Words.class)
            .activity(Mail.class, to -> mailed.countDown())
            .start();
    private final DurableClient client = engine.client();
    private Connection transaction;

    @Test
    void an_id_that_the_start_makes_is_known_before_the_commit() throws Exception {
        DurableClient joining = client.joining(transaction);
        WorkflowHandle<Words, List<String>> started =
                joining.start(Words.class, StartOptions.generatedId(), Words::run);
        WorkflowHandle<Words, List<String>> signalled =
                joining.signalWithStart(Words.class, StartOptions.generatedId(), Words::run, w -> w.say("a"));
        assertThat(client.workflows().count()).isZero();
        transaction.commit();

        client.handle(Words.class, started.workflowId()).signal(Words::stop);
        client.handle(Words.class, signalled.workflowId()).signal(Words::stop);
        assertThat(client.handle(Words.class, started.workflowId()).result()).isEqualTo(List.of());
        assertThat(client.handle(Words.class, signalled.workflowId()).result()).isEqualTo(List.of("a"));
    }

    @BeforeEach
    void begin() throws SQLException {
        transaction = bench.dataSource().getConnection();
        transaction.setAutoCommit(false);
    }

    @AfterEach
    void end() throws SQLException {
        try (Connection closing = transaction) {
            closing.rollback();
            closing.setAutoCommit(true);
        }
        assertThat(SqlInvariants.check(bench.dataSource())).isEmpty();
        engine.close();
        bench.close();
    }

    private DurableClient joining() {
        return client.joining(transaction);
    }

    @Test
    void a_deadlock_of_two_callers_says_so_and_the_one_that_lost_may_do_it_again() throws Exception {
        try (Connection other = bench.dataSource().getConnection();
                ExecutorService elsewhere = Executors.newSingleThreadExecutor()) {
            other.setAutoCommit(false);
            joining().start(Words.class, "a", Words::run);
            DurableClient others = client.joining(other);
            others.start(Words.class, "b", Words::run);
            Future<?> crossing = elsewhere.submit(() -> others.start(Words.class, "a", Words::run));
            RuntimeException here = thrown(() -> joining().start(Words.class, "b", Words::run));
            if (here != null) {
                transaction.rollback();
            } else {
                transaction.commit();
            }
            RuntimeException there = thrown(() -> crossing.get());
            other.rollback();

            assertThat(here == null ? there : here)
                    .satisfies(lost -> assertThat(deadlock(lost))
                            .hasMessageStartingWith("a deadlock in the database at ")
                            .hasMessageContaining("roll it back, and do it again from its beginning")
                            .hasMessageNotContaining("can't be reached"));
        }
        transaction.rollback();
        joining().start(Words.class, "c", Words::run);
        transaction.commit();
        client.handle(Words.class, "c").signal(Words::stop);
    }

    private static Throwable deadlock(Throwable lost) {
        return lost instanceof RolledBackException || lost.getCause() == null ? lost : deadlock(lost.getCause());
    }

    private static RuntimeException thrown(Callable<?> call) {
        try {
            call.call();
            return null;
        } catch (Exception e) {
            return e instanceof RuntimeException itself ? itself : new IllegalStateException(e);
        }
    }

    @Test
    void messages_arrive_after_the_commit_in_the_order_of_the_calls() throws SQLException {
        var run = client.start(Words.class, "w-1", Words::run);
        var joined = joining().handle(Words.class, "w-1");
        for (int i = 0; i < 300; i++) {
            String word = "word " + i;
            joined.signal(w -> w.say(word));
        }
        joined.signal(Words::stop);
        assertThat(run.query(Words::count)).as("before the commit").isZero();
        transaction.commit();
        List<String> heard = run.result(Bench.SOON);
        assertThat(heard).hasSize(300);
        for (int i = 0; i < 300; i++) {
            assertThat(heard.get(i)).isEqualTo("word " + i);
        }
    }

    @Test
    void what_is_rolled_back_never_was() throws Exception {
        var run = client.start(Words.class, "w-1", Words::run);
        joining().handle(Words.class, "w-1").signal(w -> w.say("never"));
        joining().handle(Words.class, "w-1").cancel("never");
        joining().start(Words.class, "w-2", Words::run);
        joining().enqueue(Mail.class, StartOptions.id("m-1"), m -> m.send("ann"));
        transaction.rollback();
        run.signal(w -> w.say("ever"));
        run.signal(Words::stop);
        assertThat(run.result(Bench.SOON)).containsExactly("ever");
        assertThatThrownBy(() -> client.history("w-2")).isInstanceOf(WorkflowNotFoundException.class);
        assertThatThrownBy(() -> client.history("m-1")).isInstanceOf(WorkflowNotFoundException.class);
        assertThat(mailed.getCount()).isOne();
    }

    @Test
    void an_operators_request_to_cancel_goes_with_the_transaction_and_so_does_its_row_of_the_audit()
            throws SQLException {
        var run = client.start(Words.class, "w-1", Words::run);
        joining().handle(Words.class, "w-1").by("eve").cancel("never");
        transaction.rollback();
        joining().handle(Words.class, "w-1").by("ann").cancel("closing time");
        assertThat(client.audit().page(9)).as("before the commit").isEmpty();
        transaction.commit();

        assertThatThrownBy(() -> run.result(Bench.SOON)).hasMessageContaining("closing time");
        assertThat(client.audit().where(a -> a.workflowId("w-1")).page(9))
                .extracting(row -> row.actor() + " " + row.action())
                .containsExactly("ann cancel run");
        assertThat(client.history("w-1").events(WorkflowCancelRequested.class))
                .extracting(WorkflowCancelRequested::by)
                .containsExactly("ann");
    }

    @Test
    void a_run_and_its_signals_and_a_job_exist_once_the_transaction_commits() throws Exception {
        var run = joining().start(Words.class, "w-1", Words::run);
        run.signal(w -> w.say("hello"));
        run.signal(Words::stop);
        var job = joining().enqueue(Mail.class, m -> m.send("ann"));
        transaction.commit();
        job.await();
        assertThat(run.result(Bench.SOON)).containsExactly("hello");
        assertThat(mailed.await(1, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void a_signal_with_start_brings_its_run_and_its_signal_with_the_commit() throws SQLException {
        var run = joining().signalWithStart(Words.class, "w-1", Words::run, w -> w.say("hello"));
        joining().signalWithStart(Words.class, "w-1", Words::run, Words::stop);
        assertThatThrownBy(() -> client.history("w-1")).isInstanceOf(WorkflowNotFoundException.class);
        transaction.commit();
        assertThat(run.result(Bench.SOON)).containsExactly("hello");
    }

    @Test
    void an_update_with_start_is_refused_inside_a_transaction() {
        assertThatThrownBy(() -> joining().updateWithStart(Words.class, "w-1", Words::run, w -> w.repeat("a")))
                .isInstanceOf(RefusedInputException.class)
                .hasMessage("client.updateWithStart(…) of w-1 inside an open transaction: the update can't be answered"
                        + " before that commits, so neither it nor the start can be a part of it. Call it before or after"
                        + " the transaction, or through client.independent(); or use client.signalWithStart(…), which takes"
                        + " part.");
        var run = joining().independent().updateWithStart(Words.class, "w-1", Words::run, w -> w.repeat("a"));
        assertThat(run.update().result(Bench.SOON)).isEqualTo(1);
        run.workflow().signal(Words::stop);
        assertThat(run.workflow().result(Bench.SOON)).containsExactly("a");
    }

    @Test
    void a_signal_with_start_of_a_transaction_that_is_rolled_back_never_was() throws SQLException {
        var open = client.start(Words.class, "w-1", Words::run);
        joining().signalWithStart(Words.class, "w-1", Words::run, w -> w.say("never"));
        joining().signalWithStart(Words.class, "w-2", Words::run, w -> w.say("never"));
        transaction.rollback();
        open.signal(Words::stop);
        assertThat(open.result(Bench.SOON)).isEmpty();
        assertThatThrownBy(() -> client.history("w-2")).isInstanceOf(WorkflowNotFoundException.class);
    }

    @Test
    void a_run_that_closes_before_the_commit_is_followed_by_one_that_has_the_signal() throws SQLException {
        var first = client.start(Words.class, "w-1", Words::run);
        joining().signalWithStart(Words.class, "w-1", Words::run, w -> w.say("late"));
        first.signal(Words::stop);
        assertThat(first.result(Bench.SOON)).isEmpty();
        transaction.commit();
        awaitEmptyOutbox();
        var next = client.handle(Words.class, "w-1");
        next.signal(Words::stop);
        assertThat(next.resultAs(new dev.durable.TypeRef<List<String>>() {})).containsExactly("late");
        assertThat(client.history("w-1").runId()).isNotEqualTo(first.runId());
    }

    @Test
    void a_signal_with_start_for_a_run_of_another_type_is_refused_inside_the_transaction() {
        var mail = client.enqueue(
                Mail.class, StartOptions.id("m-1").startDelay(java.time.Duration.ofHours(1)), m -> m.send("ann"));
        assertThatThrownBy(() -> joining().signalWithStart(Words.class, "m-1", Words::run, Words::stop))
                .isInstanceOf(WorkflowAlreadyStartedException.class)
                .hasMessageContaining("a background job, not of Words");
        mail.cancel("the test ends");
    }

    @Test
    void a_cancel_takes_part_too() throws SQLException {
        var run = client.start(Words.class, "w-1", Words::run);
        joining().handle(Words.class, "w-1").cancel("the order was withdrawn");
        transaction.commit();
        assertThatThrownBy(() -> run.result(Bench.SOON))
                .isInstanceOfSatisfying(
                        WorkflowFailedException.class,
                        e -> assertThat(e.status()).isEqualTo(WorkflowStatus.CANCELLED));
    }

    @Test
    void a_transaction_that_stays_open_keeps_neither_other_runs_nor_its_target_from_going_on() throws SQLException {
        var target = client.start(Words.class, "w-1", Words::run);
        joining().handle(Words.class, "w-1").signal(w -> w.say("late"));
        joining().start(Words.class, "w-held", Words::run);
        // The transaction stays open, and all others go on:
        for (int i = 0; i < 20; i++) {
            String id = "other-" + i;
            var other = client.start(Words.class, id, Words::run);
            other.signal(Words::stop);
            assertThat(other.result(Bench.SOON)).isEmpty();
        }
        target.signal(w -> w.say("early"));
        target.signal(Words::stop);
        assertThat(target.result(Bench.SOON)).containsExactly("early");
        // The target of its message is gone, which is no error: a line of the log tells it.
        transaction.commit();
        var held = client.handle(Words.class, "w-held");
        held.signal(Words::stop);
        assertThat(held.resultAs(new dev.durable.TypeRef<List<String>>() {})).isEmpty();
        awaitEmptyOutbox();
        assertThat(client.history("w-1").stream().filter(e -> e.type().equals("SignalReceived")))
                .hasSize(2);
    }

    @Test
    void results_and_queries_of_a_run_that_the_open_transaction_started_are_refused_at_once() {
        var run = joining().start(Words.class, "w-1", Words::run);
        assertThatThrownBy(run::result)
                .isInstanceOf(WorkflowNotFoundException.class)
                .hasMessageContaining("started in a transaction that is still open");
        assertThatThrownBy(() -> run.query(Words::count))
                .isInstanceOf(WorkflowNotFoundException.class)
                .hasMessageContaining("it exists once that commits");
        var job = joining().enqueue(Mail.class, m -> m.send("ann"));
        assertThatThrownBy(job::await)
                .isInstanceOf(WorkflowNotFoundException.class)
                .hasMessageContaining("started in a transaction that is still open");
    }

    @Test
    void replacing_an_open_run_inside_a_transaction_is_refused_because_rollback_could_not_bring_it_back() {
        var run = client.start(Words.class, "w-1", Words::run);
        StartOptions replacing = StartOptions.id("w-1").conflictPolicy(ConflictPolicy.TERMINATE_EXISTING);
        assertThatThrownBy(() -> joining().start(Words.class, replacing, Words::run))
                .isInstanceOf(WorkflowAlreadyStartedException.class)
                .hasMessageContaining("client.independent()");
        run.signal(Words::stop);
        assertThat(run.result(Bench.SOON)).isEmpty();
    }

    @Test
    void only_a_connection_with_a_transaction_can_be_joined() throws SQLException {
        assertThatThrownBy(() -> client.joining("a string"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("java.lang.String")
                .hasMessageContaining("java.sql.Connection");
        try (Connection automatic = bench.dataSource().getConnection()) {
            assertThatThrownBy(() -> client.joining(automatic))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("setAutoCommit(false)");
        }
    }

    @Test
    void a_connection_of_another_database_is_not_joined_and_its_transaction_goes_on() throws SQLException {
        try (TestDatabase other = TestDatabase.create()) {
            assertNotJoined(other, "a database where schema \"durable\" can't be read");
            PostgresHistoryStore theirs = PostgresHistoryStore.of(other.pooledDataSource(2));
            theirs.open();
            assertNotJoined(other, "which has a schema \"durable\" of its own, and not of the store's, ");
            theirs.close();
        }
        joining().enqueue(Mail.class, StartOptions.id("m-1"), m -> m.send("ann"));
        transaction.commit();
    }

    @Test
    void who_joins_needs_no_other_connection_where_callers_hold_all_of_the_pool() throws SQLException {
        try (TestDatabase database = TestDatabase.migrated()) {
            HikariDataSource pool = (HikariDataSource) database.pooledDataSource(2);
            pool.setConnectionTimeout(1_000);
            try (PostgresHistoryStore store = PostgresHistoryStore.of(pool)) {
                store.open();
                try (Connection one = pool.getConnection();
                        Connection other = pool.getConnection()) {
                    one.setAutoCommit(false);
                    other.setAutoCommit(false);
                    assertThatCode(() -> store.joined(one)).doesNotThrowAnyException();
                    assertThatCode(() -> store.joined(other)).doesNotThrowAnyException();
                }
            }
        }
    }

    private void assertNotJoined(TestDatabase other, String why) throws SQLException {
        try (Connection connection = other.pooledDataSource(1).getConnection()) {
            connection.setAutoCommit(false);
            try (var statement = connection.createStatement()) {
                statement.execute("create temporary table mine (id int) on commit drop");
                assertThatThrownBy(() -> client.joining(connection))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("joining(connection): it is a connection of ")
                        .hasMessageContaining(why)
                        .hasMessageContaining("Usual cause: the application has several DataSources.");
                statement.execute("insert into mine values (1)");
            }
            connection.commit();
        }
    }

    @Test
    void a_batch_is_there_as_a_whole_once_the_transaction_commits() throws SQLException {
        joining().enqueueAll(Mail.class, StartOptions.id("b"), List.of("ann", "bob"), Mail::send);
        joining().enqueueAll(Mail.class, StartOptions.id("b"), List.of("ann", "bob", "eve"), Mail::send);
        assertThatThrownBy(() -> client.batch("b").progress())
                .isInstanceOf(WorkflowNotFoundException.class)
                .hasMessageContaining("a transaction that enqueued it and is still open");
        transaction.rollback();
        assertThat(client.batch("b").jobs().count()).as("rolled back").isZero();
        joining().enqueueAll(Mail.class, StartOptions.id("b"), List.of("ann", "bob", "eve"), Mail::send);
        transaction.commit();
        assertThat(client.batch("b").await(Bench.SOON).completed()).isEqualTo(3);
    }

    @Test
    void an_open_job_of_another_activity_is_not_used_inside_the_transaction() {
        StartOptions existing = StartOptions.id("m-1").conflictPolicy(ConflictPolicy.USE_EXISTING);
        var job = joining().enqueue(Mail.class, existing.startDelay(java.time.Duration.ofHours(1)), m -> m.send("ann"));
        assertThat(joining().enqueue(Mail.class, existing, m -> m.send("bob")).runId())
                .isEqualTo(job.runId());
        assertThatThrownBy(() -> joining().enqueue(Post.class, existing, p -> p.post("ann")))
                .isInstanceOf(WorkflowAlreadyStartedException.class)
                .hasMessageContaining("it runs Mail.send, not Post.post");
    }

    private void awaitEmptyOutbox() throws SQLException {
        long deadline = System.nanoTime() + Bench.SOON.toNanos();
        while (outbox() > 0) {
            assertThat(System.nanoTime()).as("the outbox is emptied").isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    private long outbox() throws SQLException {
        try (Connection connection = bench.dataSource().getConnection();
                var statement = connection.createStatement();
                var rows = statement.executeQuery("select count(*) from durable.outbox")) {
            rows.next();
            return rows.getLong(1);
        }
    }
}
