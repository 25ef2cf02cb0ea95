package dev.durable.store.postgres.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.ActivityStream;
import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Update;
import dev.durable.Workflow;
import dev.durable.WorkflowAlreadyStartedException;
import dev.durable.client.DurableEngine;
import dev.durable.client.WorkflowHandle;
import dev.durable.history.FirstTurnStarted;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.Nudges.Nudge;
import dev.durable.store.Nudges.RunsDue;
import dev.durable.store.StartOutcome;
import dev.durable.store.contract.NewRunBuilder;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.Sql;
import dev.durable.store.postgres.testing.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.jdbc.PreferQueryMode;

/** A nudge of a transaction is sent in the same round trip after its COMMIT, and may fail without failing the transaction. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class NudgePassageTest {
    /**
     * Longer than the pause between two NOTIFY, unless the sender's thread stands still: then the next try is longer.
     */
    private static final long A_WHILE = TimeUnit.MILLISECONDS.toNanos(5);

    private static final int TRIES = 12;

    private final TestDatabase database = TestDatabase.migrated();
    private final List<String> statements = new CopyOnWriteArrayList<>();
    private final List<String> told = new ArrayList<>();

    @AfterEach
    void drop() {
        database.close();
    }

    @Test
    void a_start_and_its_notification_are_one_round_trip() {
        try (PostgresHistoryStore theirs = PostgresHistoryStore.of(database.pooledDataSource(4));
                PostgresHistoryStore store = store(sql -> sql);
                DurableEngine other = client(theirs);
                DurableEngine caller = client(store)) {
            assertThat(other.healthy()).isTrue();
            caller.client().start(Echo.class, "echo-0", w -> w.run("made"));

            List<String> sent =
                    untilOneTravels(i -> caller.client().start(Echo.class, "echo-" + (i + 1), w -> w.run("hello")));

            assertThat(sent)
                    .filteredOn(sql -> sql.contains("durable.run_state"))
                    .hasSize(1);
            assertThat(sent)
                    .filteredOn(NudgePassageTest::isPassage)
                    .singleElement()
                    .satisfies(sql -> assertThat(sql.indexOf("commit")).isLessThan(sql.indexOf("pg_notify")));
        }
    }

    @Test
    void a_message_and_its_notification_are_one_round_trip_where_its_queue_is_that_of_the_last_two() {
        try (PostgresHistoryStore theirs = PostgresHistoryStore.of(database.pooledDataSource(4));
                PostgresHistoryStore store = store(sql -> sql);
                DurableEngine other = client(theirs);
                DurableEngine caller = client(store)) {
            assertThat(other.healthy()).isTrue();
            caller.client().start(Echo.class, "echo-1", w -> w.run("made"));
            var run = caller.client().handle("echo-1");
            run.signal("heard", 1);
            run.signal("heard", 2);
            assertThat(statements).filteredOn(NudgePassageTest::delivers).noneMatch(NudgePassageTest::isPassage);

            List<String> sent = untilOneTravels(i -> run.signal("heard", i));

            assertThat(sent).filteredOn(NudgePassageTest::delivers).hasSize(1);
            assertThat(sent)
                    .filteredOn(NudgePassageTest::isPassage)
                    .singleElement()
                    .satisfies(sql -> assertThat(delivers(sql)).isTrue());
        }
    }

    /** Appends slowly, so that no other notification was sent just before, and keeps details once. */
    @Activity(startToClose = "5m")
    interface Speaker {
        void say(int entries);
    }

    private static void say(int entries) {
        ActivityContext.current().checkpoint("begun");
        ActivityStream<Integer> said = ActivityContext.current().stream("said", Integer.class);
        for (int i = 0; i < entries; i++) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(i < 3 ? 20 : 300));
            said.append(i);
        }
    }

    @Test
    void an_entry_of_an_activity_and_its_notification_are_one_round_trip_and_a_heartbeat_has_none() {
        try (PostgresHistoryStore theirs = PostgresHistoryStore.of(database.pooledDataSource(4));
                PostgresHistoryStore ours = store(sql -> sql);
                DurableEngine other = client(theirs);
                DurableEngine worker = speaking(ours)) {
            assertThat(other.healthy()).isTrue();
            List<String> sent = List.of();
            for (int i = 0; i < TRIES && sent.stream().noneMatch(NudgePassageTest::isPassage); i++) {
                statements.clear();
                worker.client().enqueue(Speaker.class, s -> s.say(3)).await();
                sent = statements.stream()
                        .filter(sql -> sql.contains("into durable.stream_entry"))
                        .toList();
                assertThat(sent).hasSize(3);
            }

            assertThat(sent).anySatisfy(sql -> assertThat(sql).endsWith("pg_notify(?, ?)"));
            assertThat(statements)
                    .filteredOn(sql -> sql.contains("into durable.activity_heartbeat"))
                    .isNotEmpty()
                    .noneMatch(sql -> sql.contains("pg_notify"));
        }
    }

    @Test
    void an_entry_whose_notification_fails_behind_the_commit_is_written_once() {
        try (PostgresHistoryStore theirs = PostgresHistoryStore.of(database.pooledDataSource(4));
                PostgresHistoryStore ours = store(NudgePassageTest::tooLong);
                DurableEngine other = client(theirs);
                DurableEngine worker = speaking(ours)) {
            assertThat(other.healthy()).isTrue();
            int written = 0;
            while (written == 0 || (written < 4 * TRIES && !isEntryTried())) {
                worker.client().enqueue(Speaker.class, s -> s.say(4)).await();
                written += 4;
            }

            assertThat(isEntryTried()).isTrue();
            assertThat(Sql.number(database.dataSource(), "select count(*) from durable.stream_entry"))
                    .isEqualTo(written);
        }
    }

    private boolean isEntryTried() {
        return statements.stream().anyMatch(sql -> sql.contains("into durable.stream_entry") && isPassage(sql));
    }

    private static DurableEngine speaking(PostgresHistoryStore store) {
        return DurableEngine.builder(store)
                .activity(Speaker.class, NudgePassageTest::say)
                .start();
    }

    @Test
    void an_update_of_a_handle_that_has_sent_one_before_is_sent_without_a_look_for_its_run() {
        try (PostgresHistoryStore theirs = PostgresHistoryStore.of(database.pooledDataSource(6));
                PostgresHistoryStore ours = store(sql -> sql);
                DurableEngine worker =
                        DurableEngine.builder(theirs).register(Asked.class).start();
                DurableEngine caller = client(ours)) {
            assertThat(worker.healthy()).isTrue();
            WorkflowHandle<Asked, ?> run = caller.client().startVoid(Asked.class, "asked-1", Asked::run);
            assertThat(run.<Integer, RuntimeException>update(w -> w.next(1))).isEqualTo(2);
            assertThat(statements)
                    .filteredOn(sql -> sql.contains("order by w.started_at desc limit 1"))
                    .as("looked for in one round trip")
                    .singleElement()
                    .satisfies(sql -> assertThat(sql).startsWith("begin").endsWith("commit"));
            statements.clear();

            assertThat(run.<Integer, RuntimeException>update(w -> w.next(2))).isEqualTo(3);

            assertThat(statements).filteredOn(NudgePassageTest::delivers).hasSize(1);
            assertThat(statements).noneMatch(sql -> sql.contains("workflow_run"));
        }
    }

    @Test
    void what_is_refused_is_refused_and_not_in_doubt() {
        try (PostgresHistoryStore theirs = PostgresHistoryStore.of(database.pooledDataSource(4));
                PostgresHistoryStore store = store(sql -> sql);
                DurableEngine other = client(theirs);
                DurableEngine caller = client(store)) {
            assertThat(other.healthy()).isTrue();
            caller.client().start(Echo.class, "echo-1", w -> w.run("hello"));

            List<String> sent = untilOneTravels(i -> assertThatThrownBy(
                            () -> caller.client().start(Echo.class, "echo-1", w -> w.run("again")))
                    .isInstanceOf(WorkflowAlreadyStartedException.class));

            assertThat(sent)
                    .as("tried that way, once")
                    .filteredOn(sql -> sql.contains("runs as (insert"))
                    .singleElement()
                    .satisfies(sql -> assertThat(isPassage(sql)).isTrue());
            assertThat(runs()).isOne();
        }
    }

    /** In simple mode the driver sends each statement by itself, also those behind one that failed. */
    @Test
    void in_the_drivers_simple_mode_nothing_travels() {
        PGSimpleDataSource simple = new PGSimpleDataSource();
        simple.setUrl(database.jdbcUrl());
        simple.setUser(database.username());
        simple.setPassword(database.password());
        simple.setPreferQueryMode(PreferQueryMode.SIMPLE);
        try (PostgresHistoryStore store = PostgresHistoryStore.of(between(DataSource.class, simple, sql -> sql));
                DurableEngine caller = client(store)) {
            caller.client().start(Echo.class, "echo-1", w -> w.run("hello"));
            assertThatThrownBy(() -> caller.client().start(Echo.class, "echo-1", w -> w.run("again")))
                    .isInstanceOf(WorkflowAlreadyStartedException.class);

            assertThat(statements).noneMatch(NudgePassageTest::isPassage);
        }
    }

    @Test
    void a_notification_that_fails_behind_the_commit_undoes_nothing_and_nothing_is_done_twice() {
        try (PostgresHistoryStore theirs = store(NudgePassageTest::tooLong);
                PostgresHistoryStore ours = store(NudgePassageTest::tooLong);
                DurableEngine worker = DurableEngine.builder(theirs)
                        .register(Echo.class)
                        .pollInterval(Duration.ofMillis(20))
                        .start();
                DurableEngine caller = client(ours)) {
            List<WorkflowHandle<Echo, String>> handles = new ArrayList<>();
            for (int i = 0; i < 5 || (i < 40 && !startsAndEndsWereTried()); i++) {
                String said = "hello " + i;
                handles.add(caller.client().start(Echo.class, "echo-" + i, w -> w.run(said)));
                assertThat(handles.get(i).result(Duration.ofSeconds(20))).isEqualTo(said);
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(300));
            }

            assertThat(startsAndEndsWereTried())
                    .as("starts and ends were tried")
                    .isTrue();
            assertThat(runs()).isEqualTo(handles.size());
            assertThat(handles)
                    .allSatisfy(handle -> assertThat(worker.client().history(handle.runId()))
                            .filteredOn(event -> !(event instanceof FirstTurnStarted))
                            .hasSize(2));
        }
    }

    @Test
    void a_message_whose_notification_fails_behind_the_commit_is_delivered_once() {
        try (PostgresHistoryStore theirs = PostgresHistoryStore.of(database.pooledDataSource(4));
                PostgresHistoryStore ours = store(NudgePassageTest::tooLong);
                DurableEngine other = client(theirs);
                DurableEngine caller = client(ours)) {
            assertThat(other.healthy()).isTrue();
            caller.client().start(Echo.class, "echo-1", w -> w.run("hello"));
            var run = caller.client().handle("echo-1");
            int sent = 0;
            while (sent < 3 || (sent < TRIES && !isMessageTried())) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(300));
                run.signal("heard", ++sent);
            }

            assertThat(isMessageTried()).isTrue();
            assertThat(Sql.number(database.dataSource(), "select count(*) from durable.inbox"))
                    .isEqualTo(sent);
        }
    }

    private boolean isMessageTried() {
        return statements.stream().anyMatch(sql -> delivers(sql) && isPassage(sql));
    }

    private boolean startsAndEndsWereTried() {
        List<String> tried =
                statements.stream().filter(NudgePassageTest::isPassage).toList();
        return tried.stream().anyMatch(sql -> sql.contains("into durable.run_state"))
                && tried.stream().anyMatch(sql -> !sql.contains("into durable.run_state"));
    }

    @Test
    void in_doubt_this_process_is_told_all_the_same() throws Exception {
        List<Nudge> heard = new CopyOnWriteArrayList<>();
        try (PostgresHistoryStore store = store(NudgePassageTest::tooLong)) {
            store.open();
            try (AutoCloseable listening = store.nudges().listen(heard::add)) {
                assertThat(listening).isNotNull();
                assertThat(Sql.await(
                                Duration.ofSeconds(10), () -> store.nudges().heard()))
                        .as("it knows the channel")
                        .isTrue();
                NewRunBuilder run = new NewRunBuilder(store, "order-1");

                assertThatThrownBy(() -> store.start(List.of(run.build()))).isInstanceOf(CommitUnknownException.class);

                assertThat(heard).contains(new RunsDue("default"));
                assertThat(store.start(List.of(run.build()))).containsExactly(new StartOutcome.Started(true));
            }
        }
    }

    /**
     * The statements of the first start whose notification went with its COMMIT. A notification has the sender's thread
     * to itself when that one has not yet ended its pause, as on a busy machine: then the start is tried once more.
     */
    private List<String> untilOneTravels(IntConsumer start) {
        List<String> sent = List.of();
        for (int i = 0; i < TRIES && sent.stream().noneMatch(NudgePassageTest::isPassage); i++) {
            LockSupport.parkNanos(A_WHILE << i);
            statements.clear();
            start.accept(i);
            sent = List.copyOf(statements);
        }
        return sent;
    }

    private static String tooLong(String sql) {
        return sql.replace("pg_notify(?, ?)", "pg_notify(?, repeat(?, 400))");
    }

    @Test
    void an_error_behind_the_commit_leaves_it_in_doubt_and_says_so() {
        assertThatThrownBy(() -> attempt("create table public.written ()", passage("select 1 / 0")))
                .isInstanceOf(CommitUnknownException.class)
                .hasMessage("an error came with the answer to a commit in the database at localhost/test (ERROR:"
                        + " division by zero): all of the batch was written or nothing of it.");

        assertThat(told).containsExactly("failed");
        assertThat(Sql.number(database.dataSource(), "select count(*) from public.written"))
                .isZero();
    }

    @Test
    void what_the_server_refuses_before_the_commit_is_in_no_doubt_and_nobody_is_told() {
        assertThatThrownBy(() -> attempt("select 1 / 0", passage("create table public.told ()")))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("division by zero");
        assertThatThrownBy(() -> attempt("select no_such_column", passage("create table public.told ()")))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("no_such_column");

        assertThat(told).isEmpty();
        assertThat(Sql.number(database.dataSource(), "select count(*) from pg_class where relname = 'told'"))
                .isZero();
    }

    @Test
    void a_lock_that_is_not_to_be_had_in_time_is_in_no_doubt() throws SQLException {
        Sql.execute(database.dataSource(), "create table public.locked ()");
        try (Connection holder = database.dataSource().getConnection()) {
            holder.setAutoCommit(false);
            holder.createStatement().execute("lock table public.locked");

            assertThatThrownBy(() -> attempt("select * from public.locked", passage("select 1")))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(SqlState.of(e)).isEqualTo(SqlState.LOCKED));
        }
        assertThat(told).isEmpty();
    }

    private void attempt(String sql, NudgePassage passage) throws SQLException {
        try (PostgresHistoryStore store = PostgresHistoryStore.of(database.dataSource())) {
            store.open();
        }
        new Connections(
                        database.dataSource(),
                        new SchemaName(SchemaName.DEFAULT),
                        new StoreErrors("localhost/test"),
                        new Guard(new SchemaName(SchemaName.DEFAULT), "localhost/test"))
                .attempt(TransactionSettings.SHORT, passage, tx -> {
                    tx.last(new SqlScript().then(sql));
                    return 1;
                });
    }

    private NudgePassage passage(String sql) {
        return new NudgePassage(
                new SqlScript.Statement(sql, row -> {}, new Param[0], 1),
                () -> told.add("arrived"),
                failure -> told.add("failed"));
    }

    private long runs() {
        return Sql.number(database.dataSource(), "select count(*) from durable.workflow_run");
    }

    private static boolean delivers(String sql) {
        return sql.contains("insert into durable.inbox");
    }

    private static boolean isPassage(String sql) {
        return sql.contains(";\ncommit;\n") && sql.contains("pg_notify");
    }

    private static DurableEngine client(PostgresHistoryStore store) {
        return DurableEngine.builder(store).clientOnly().start();
    }

    private PostgresHistoryStore store(UnaryOperator<String> change) {
        return PostgresHistoryStore.of(between(DataSource.class, database.pooledDataSource(6), change));
    }

    /** Passes statements that are prepared through the change, and notes them. */
    private <T> T between(Class<T> type, Object target, UnaryOperator<String> change) {
        return type.cast(Proxy.newProxyInstance(
                NudgePassageTest.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (method.getName().equals("prepareStatement")) {
                        arguments[0] = change.apply((String) arguments[0]);
                        statements.add((String) arguments[0]);
                    }
                    try {
                        Object result = method.invoke(target, arguments);
                        return result instanceof Connection && method.getName().equals("getConnection")
                                ? between(Connection.class, result, change)
                                : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    /** Answers with the next number. */
    @Workflow
    public static class Asked {
        /** Never ends. */
        @Run
        public void run() {
            Durable.await(() -> false);
        }

        /** Counts on. */
        @Update
        public int next(int number) {
            return number + 1;
        }
    }

    /** Says what it is told. */
    @Workflow
    public static class Echo {
        /** Says it. */
        @Run
        public String run(String said) {
            return said;
        }
    }
}
