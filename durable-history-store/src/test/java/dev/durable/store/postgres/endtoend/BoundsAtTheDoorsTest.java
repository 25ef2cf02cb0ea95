package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.Durable;
import dev.durable.RefusedInputException;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowStatus;
import dev.durable.store.RunIds;
import dev.durable.store.postgres.SqlInvariants;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Each call that would write ids, names, reasons, headers or times refuses values that are out of bounds, and writes
 * nothing.
 */
@Timeout(300)
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class BoundsAtTheDoorsTest {
    private static final List<String> NO_NAMES = List.of(
            "a\nb",
            "a\u0000b",
            "\u001b[31m",
            "a\u2028b",
            "a\u2029b",
            "a\ud800b",
            "\udc00",
            "",
            " ",
            "x".repeat(20_000));
    private static final String FORGED = "order-3\n12:00:00 [main] INFO com.acme.Audit -- admin granted to eve";
    private static final Duration TOO_LONG = Duration.ofDays(36_501);
    private static final String LARGE = "x".repeat(20 << 20);

    @Activity
    interface Mail {
        void send(String to);
    }

    @Workflow
    static class Order {
        private boolean closed;

        @Run
        String run() {
            Durable.await(() -> closed);
            return "closed";
        }

        @Signal
        void close() {
            closed = true;
        }
    }

    private final Bench bench = new Bench();
    private final DurableEngine engine =
            bench.engine().register(Order.class).activity(Mail.class, to -> {}).start();
    private final WorkflowHandle<Order, String> open = engine.client().start(Order.class, "open", Order::run);

    @AfterEach
    void close() throws SQLException {
        open.signal(Order::close);
        assertThat(open.result(Bench.SOON)).isEqualTo("closed");
        assertThat(SqlInvariants.check(bench.dataSource())).isEmpty();
        engine.close();
        bench.close();
    }

    /** The calls that take an id or a name. */
    private static Map<String, BiConsumer<DurableClient, String>> names() {
        Map<String, BiConsumer<DurableClient, String>> doors = new LinkedHashMap<>();
        doors.put("id of a start", (c, id) -> c.start(Order.class, id, Order::run));
        doors.put("id of a start by name", (c, id) -> c.start("Order", StartOptions.id(id)));
        doors.put("id of signalWithStart", (c, id) -> c.signalWithStart(Order.class, id, Order::run, Order::close));
        doors.put("id of a job", (c, id) -> c.enqueue(Mail.class, StartOptions.id(id), m -> m.send("ann")));
        doors.put(
                "id of a batch",
                (c, id) -> c.enqueueAll(Mail.class, StartOptions.id(id), List.of("ann"), (m, to) -> m.send(to)));
        doors.put("type", (c, type) -> c.start(type, StartOptions.id("new").taskQueue("elsewhere")));
        doors.put(
                "type of signalWithStart",
                (c, type) ->
                        c.signalWithStart(type, StartOptions.id("new").taskQueue("elsewhere"), List.of(), "close"));
        doors.put("queue of a start", (c, queue) -> c.start(Order.class, some().taskQueue(queue), Order::run));
        doors.put(
                "queue of signalWithStart",
                (c, queue) -> c.signalWithStart(Order.class, some().taskQueue(queue), Order::run, Order::close));
        doors.put("queue of a job", (c, queue) -> c.enqueue(Mail.class, some().taskQueue(queue), m -> m.send("ann")));
        doors.put(
                "limit key",
                (c, key) -> c.enqueue(Mail.class, some().activity(o -> o.limitKey(key)), m -> m.send("ann")));
        doors.put("header", (c, name) -> c.start(Order.class, some().header(name, "v"), Order::run));
        doors.put("memo key", (c, name) -> c.start(Order.class, some().memo(name, "v"), Order::run));
        doors.put(
                "header of a job",
                (c, name) -> c.enqueue(Mail.class, some().activity(o -> o.header(name, "v")), m -> m.send("ann")));
        doors.put("signal", (c, name) -> c.handle("open").signal(name));
        doors.put("signal of signalWithStart", (c, name) -> c.signalWithStart("Order", some(), List.of(), name));
        doors.put(
                "update of updateWithStart",
                (c, name) -> c.updateWithStart("Order", some(), List.of(), null, name, Void.class));
        doors.put("query", (c, name) -> c.handle("open").query(name, String.class));
        doors.put("actor", (c, name) -> c.activities().by(name).cancel("why"));
        doors.put("actor of incidents", (c, name) -> c.deadLetters().by(name).retry());
        doors.put("actor of queues", (c, name) -> c.queues().by(name).limits("default", l -> l.concurrency(1)));
        doors.put("queue of a limit", (c, name) -> c.queues().limits(name, l -> l.concurrency(1)));
        doors.put("queue of a pause", (c, name) -> c.queues().pause(name));
        doors.put("activity of a pause", (c, name) -> c.queues().pauseActivity(name));
        return doors;
    }

    private static StartOptions some() {
        return StartOptions.id("new");
    }

    private static Map<String, Consumer<DurableClient>> sizes() {
        Map<String, Consumer<DurableClient>> doors = new LinkedHashMap<>();
        doors.put("header", c -> c.start(Order.class, some().header("h", LARGE), Order::run));
        doors.put("memo", c -> c.start(Order.class, some().memo("m", LARGE), Order::run));
        doors.put(
                "header and memo together",
                c -> c.start(
                        Order.class, some().header("h", "x".repeat(40_000)).memo("m", "x".repeat(40_000)), Order::run));
        doors.put(
                "headers of a job",
                c -> c.enqueue(
                        Mail.class,
                        some().header("h", "x".repeat(40_000)).activity(o -> o.header("i", "x".repeat(40_000))),
                        m -> m.send("ann")));
        doors.put(
                "memo of a batch",
                c -> c.enqueueAll(Mail.class, some().memo("m", LARGE), List.of("ann"), (m, to) -> m.send(to)));
        doors.put("reason of a cancel", c -> c.handle("open").cancel(LARGE));
        doors.put("reason of a terminate", c -> c.handle("open").terminate("é".repeat(2_049)));
        doors.put("reason of a pause", c -> c.handle("open").pause("x".repeat(4_097)));
        doors.put("reason with an escape", c -> c.handle("open").cancel("\u001b[31mred"));
        doors.put("reason with NUL", c -> c.handle("open").terminate("a\u0000b"));
        doors.put("reason of a resolution", c -> c.deadLetters().because(LARGE).retry());
        doors.put("words of a failure", c -> c.deadLetters().fail(LARGE));
        doors.put("runTimeout", c -> c.start(Order.class, some().runTimeout(TOO_LONG), Order::run));
        doors.put(
                "runTimeout in millennia",
                c -> c.start(Order.class, some().runTimeout(Duration.ofDays(146_000_000)), Order::run));
        doors.put("executionTimeout", c -> c.start(Order.class, some().executionTimeout(TOO_LONG), Order::run));
        doors.put("startDelay", c -> c.start(Order.class, some().startDelay(TOO_LONG), Order::run));
        doors.put("startDelay of a job", c -> c.enqueue(Mail.class, some().startDelay(TOO_LONG), m -> m.send("ann")));
        doors.put("expiresAt", c -> c.start(Order.class, some().expiresAt(Instant.MAX), Order::run));
        doors.put(
                "expiresAt of a job",
                c -> c.enqueue(
                        Mail.class, some().expiresAt(Instant.parse("+300000-01-01T00:00:00Z")), m -> m.send("ann")));
        doors.put("end of a pause", c -> c.queues().pause("default", Instant.MAX));
        doors.put("id of a handle", c -> c.handle(Order.class, "a\u0000b").cancel("why"));
        doors.put(
                "half a character in the id of a handle",
                c -> c.handle(Order.class, "a\ud800b").signal(Order::close));
        doors.put("id of a job that is looked for", c -> c.job("a\u0000b"));
        return doors;
    }

    @TestFactory
    Stream<DynamicTest> what_can_be_no_id_or_name_is_refused_by_each_call_and_nothing_is_written() {
        return names().entrySet().stream()
                .map(door -> DynamicTest.dynamicTest(door.getKey(), () -> {
                    for (String name : NO_NAMES) {
                        refused(client -> door.getValue().accept(client, name));
                    }
                    refused(client -> door.getValue().accept(client, FORGED));
                }));
    }

    @TestFactory
    Stream<DynamicTest> what_is_too_large_too_long_or_too_far_is_refused_by_each_call_and_nothing_is_written() {
        return sizes().entrySet().stream()
                .map(door -> DynamicTest.dynamicTest(door.getKey(), () -> refused(door.getValue())));
    }

    /**
     * Checks that a call is refused, in a caller's transaction and out of it, in one line of text that is fit for a
     * log.
     */
    private void refused(Consumer<DurableClient> call) throws SQLException {
        List<String> before = rows();
        assertRefusal(() -> call.accept(engine.client()));
        try (Connection transaction = bench.dataSource().getConnection()) {
            transaction.setAutoCommit(false);
            assertRefusal(() -> call.accept(engine.client().joining(transaction)));
            transaction.commit();
            transaction.setAutoCommit(true);
        }
        assertThat(rows()).isEqualTo(before);
    }

    private static void assertRefusal(Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOf(IllegalArgumentException.class)
                .satisfies(thrown -> {
                    assertThat(thrown.getMessage()).hasSizeLessThan(1_000);
                    assertThat(thrown.getMessage().codePoints())
                            .noneMatch(c -> Character.isISOControl(c) || c == 0x2028 || c == 0x2029);
                });
    }

    private List<String> rows() throws SQLException {
        List<String> rows = new ArrayList<>();
        try (Connection connection = bench.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("""
                        select (select count(*) from durable.workflow_run), (select count(*) from durable.inbox),
                               (select count(*) from durable.outbox), (select count(*) from durable.activity_job),
                               (select count(*) from durable.history_event), (select count(*) from durable.audit),
                               (select count(*) from durable.queue)""")) {
            row.next();
            for (int i = 1; i <= 7; i++) {
                rows.add(row.getString(i));
            }
        }
        return rows;
    }

    /** The text names the class, the method or the call, besides the name itself. */
    @Test
    void a_refusal_says_where_the_name_stands() {
        Map<String, String> said = Map.of(
                "type", "client.start(…): the workflow type \"",
                "type of signalWithStart", "client.signalWithStart(…): the workflow type \"",
                "queue of a start", "start of new: task queue \"",
                "header", "start of new: header \"",
                "signal", "signal(…): the signal \"",
                "query", "handle.query(…): the query \"",
                "actor", "by(…): the actor \"",
                "queue of a pause", "client.queues(): the task queue \"",
                "activity of a pause", "client.queues(): the activity \"",
                "limit key",
                        "limitKey is wrong at a call site. It must be a name of 1 to 200 characters, without control");
        said.forEach((door, words) -> assertThatThrownBy(() -> names().get(door).accept(engine.client(), FORGED))
                .as(door)
                .hasMessageStartingWith(words)
                .hasMessageContaining("order-3\\u000a12:00:00"));
        assertThatThrownBy(() -> bench.engine().queue("a\nb", q -> {}))
                .hasMessageStartingWith("builder.queue(…): the task queue \"a\\u000ab\" has the control character")
                .hasMessageEndingWith("Use a short name such as \"default\", \"approve\" or \"Payments.charge\".");
        assertThatThrownBy(() -> bench.engine().pool("a\nb", q -> {}))
                .hasMessageStartingWith("builder.pool(…): the pool \"");
        assertThatThrownBy(() -> bench.engine().identity("a\nb"))
                .hasMessageStartingWith("builder.identity(…): the engine \"");
    }

    @Test
    void what_is_just_within_its_bounds_is_taken() {
        DurableClient client = engine.client();
        String id = "é".repeat(StartOptions.MAX_ID_LENGTH);
        StartOptions most = StartOptions.id(id)
                .runTimeout(Duration.ofDays(36_500))
                .expiresAt(Instant.parse("9999-12-31T23:59:59Z"))
                .header("h", "x".repeat((64 << 10) - 2))
                .memo("m", "");
        var run = client.start(Order.class, most, Order::run);
        assertThat(run.describe().summary().memo()).containsEntry("m", "");
        run.cancel("x".repeat(4_095) + "\n");
        Bench.awaitThat(run, described -> described.summary().status() == WorkflowStatus.CANCELLED);
    }

    @Test
    void pages_of_listings_have_a_size() {
        DurableClient client = engine.client();
        for (int size : List.of(-1, 10_001, Integer.MAX_VALUE)) {
            String refusal =
                    "page(" + size + "): a page has 0 to 10,000 rows, which are all in memory at once. For all of"
                            + " them, take stream(), which reads page by page.";
            assertThatThrownBy(() -> client.workflows().page(size)).hasMessage(refusal);
            assertThatThrownBy(() -> client.activities().page(size)).hasMessage(refusal);
            assertThatThrownBy(() -> client.incidents().page(size)).hasMessage(refusal);
            assertThatThrownBy(() -> client.deadLetters().groups(size)).hasMessage(refusal);
        }
        assertThat(client.workflows().page(10_000)).hasSize(1);
    }

    @Test
    void listings_look_for_nothing_that_nobody_can_have() {
        DurableClient client = engine.client();
        for (Instant never : List.of(Instant.MIN, Instant.MAX)) {
            assertThatThrownBy(() ->
                            client.workflows().where(f -> f.startedAfter(never)).count())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("startedAfter must be from 0001-01-01T00:00:00Z to 9999-12-31T23:59:59Z");
            assertThatThrownBy(() ->
                            client.workflows().where(f -> f.closedBefore(never)).count())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("closedBefore must be from");
        }
        for (String none : List.of("a\0b", "x".repeat(1_000_000))) {
            assertThatThrownBy(() -> client.workflows().where(f -> f.type(none)).count())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("nothing can have the type ");
            assertThatThrownBy(() -> client.workflows()
                            .where(f -> f.workflowIdPrefix(none))
                            .count())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("nothing can have the workflow id ");
            assertThatThrownBy(() ->
                            client.incidents().where(f -> f.activity(none)).count())
                    .isInstanceOf(RefusedInputException.class)
                    .hasMessageStartingWith("nothing can have the activity ");
            assertThatThrownBy(() ->
                            client.deadLetters().where(f -> f.taskQueue(none)).page(1))
                    .isInstanceOf(RefusedInputException.class)
                    .hasMessageStartingWith("nothing can have the task queue ");
            assertThatThrownBy(() -> client.incidents().one(none, 1).describe())
                    .isInstanceOf(RefusedInputException.class)
                    .hasMessageStartingWith("nothing can have the workflow id ");
        }
    }

    @Test
    void an_old_run_whose_id_has_a_line_break_is_found_listed_and_ended_and_shown_escaped() throws SQLException {
        String old = "old\n12:00 INFO granted";
        String like = Stream.iterate(0, i -> i + 1)
                .map(i -> "order-" + i)
                .filter(id -> shard(id) == shard(old))
                .findFirst()
                .orElseThrow();
        UUID runId = engine.client().start(Order.class, like, Order::run).runId();
        try (Connection connection = bench.direct().getConnection()) {
            for (String table : List.of("workflow_run", "run_state")) {
                try (PreparedStatement rename = connection.prepareStatement(
                        "update durable." + table + " set workflow_id = ? where run_id = ?")) {
                    rename.setString(1, old);
                    rename.setObject(2, runId);
                    assertThat(rename.executeUpdate()).isOne();
                }
            }
        }
        DurableClient client = engine.client();
        assertThat(client.workflows().where(w -> w.workflowId(old)).page(10))
                .singleElement()
                .satisfies(row -> assertThat(row.workflowId()).isEqualTo(old));
        var run = client.handle(Order.class, old);
        assertThat(run.describe().summary().workflowId()).isEqualTo(old);
        run.terminate("not needed");
        assertThatThrownBy(() -> run.terminate("again"))
                .hasMessage("there is no open run of workflow id old\\u000a12:00 INFO granted to terminate");
    }

    /** The shard of the rows of a workflow id. */
    private static int shard(String workflowId) {
        return RunIds.shard(RunIds.create(Instant.EPOCH, workflowId, 0));
    }
}
