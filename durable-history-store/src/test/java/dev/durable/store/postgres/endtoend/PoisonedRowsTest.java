package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.durable.Activity;
import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Trials;
import dev.durable.Workflow;
import dev.durable.client.DurableEngine;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowStatus;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/**
 * A wrong value in a row harms its own run only: at least five hundred rows are written by hand, into each column of
 * each table that holds text or JSON, while other runs go on. The columns come from the catalog, so a new one is among
 * them.
 */
@Timeout(300)
@Tag("slow")
class PoisonedRowsTest {
    private static final long SEED = Long.getLong("durable.poison.seed", 20_261_124L);
    private static final int CASES = Integer.getInteger("durable.poison.cases", 520);
    /** These two tables decide whether a process may work on the schema at all, and have no rows of runs. */
    private static final List<String> OF_ALL = List.of("schema_version", "installation");

    private static final List<String> HOT = List.of("history_event", "inbox", "outbox", "activity_job");
    /**
     * The bound of the slowest in a hundred. The slowest of all may be slow for another reason, as on a busy machine;
     * blocked loops take a second.
     */
    private static final Duration LATER = Duration.ofMillis(100);

    private static final Duration MOST = Duration.ofMillis(Long.getLong("durable.poison.most", 900));

    private static final List<String> WORDS = List.of(
            "",
            " ",
            "NoSuchThing",
            "-1",
            "1e131071",
            "null",
            "RUNNING ",
            "x:1 y:",
            "34028:3 99999999999999999999:7",
            "\\u0000\\ud800",
            "a\nb",
            "'; drop table x; --",
            "\u202e\ud83d\ude00",
            "ActivityCompleted",
            "TimerFired",
            "l".repeat(2_000));
    private static final List<String> DOCUMENTS = List.of(
            "null",
            "true",
            "5",
            "\"x\"",
            "[]",
            "{}",
            "[5]",
            "[[]]",
            "1e131071",
            "{\"seq\":1e131071}",
            "{\"seq\":99999999999,\"attempt\":{}}",
            "{\"seq\":\"x\",\"attempt\":\"y\",\"result\":1}",
            "{\"text\":\"\\u0000\"}",
            "\"\\ud800\"",
            "{\"\\udc00\":1}",
            "[{\"type\":7,\"at\":8,\"attributes\":9}]",
            "[{\"type\":\"ActivityAttemptFailed\",\"at\":\"never\",\"attributes\":{\"reason\":\"worker lost\",\"omitted\":1e9}}]",
            "{\"retry\":{\"onExhausted\":\"\\u0000\"}}",
            "{\"retry\":5,\"startToClose\":\"soon\"}",
            "{\"type\":[],\"message\":{},\"cause\":5}",
            "{\"x\":1,\"x\":2,\"\":3}",
            "[".repeat(3_000) + "]".repeat(3_000),
            "{\"type\":\"x\",\"cause\":".repeat(3_000) + "null" + "}".repeat(3_000),
            "{\"failure\":" + "{\"type\":\"x\",\"cause\":".repeat(3_000) + "null" + "}".repeat(3_001));

    @Activity(startToClose = "10s")
    interface Desk {
        String book(String traveller);
    }

    interface Mails {
        @Activity(startToClose = "10s")
        void send(String to);
    }

    static final class OpenDesk implements Desk, Mails {
        @Override
        public String book(String traveller) {
            return "seat of " + traveller;
        }

        @Override
        public void send(String to) {}
    }

    @Workflow(name = "Quick")
    static class Quick {
        private final Desk desk;

        Quick(Desk desk) {
            this.desk = desk;
        }

        @Run
        String run(String traveller) {
            return desk.book(traveller);
        }
    }

    /** Waits in the middle, with a history of its own and an activity that no worker serves. */
    @Workflow(name = "Trip")
    static class Trip {
        private final Desk desk;
        private boolean confirmed;

        Trip(Desk desk) {
            this.desk = desk;
        }

        @Run
        String run(String traveller) {
            String seat = desk.book(traveller);
            Durable.await(() -> confirmed);
            return seat + desk.book("again");
        }

        @Signal
        void confirm() {
            confirmed = true;
        }
    }

    private record Column(String table, String name, String type) {
        @Override
        public String toString() {
            return table + "." + name;
        }
    }

    /** @param undo SQL that mends it */
    private record Poison(Column column, String value, String workflowId, List<String> undo) {}

    private Bench bench;
    private final Random random = new Random(SEED);

    @Test
    void five_hundred_poisoned_rows_hold_up_nobody_and_their_runs_go_on_when_they_are_mended() throws Exception {
        Cost cost = Trials.until(Cost::isSmall, number -> poisonedRowsAreMended());

        assertThat(cost.later()).isLessThan(LATER);
        assertThat(cost.longest()).isLessThan(MOST);
    }

    /**
     * The cost of the poisoned rows for other runs.
     *
     * @param later by how much the slowest of a hundred took longer
     * @param longest the time of the slowest of all
     */
    private record Cost(Duration later, Duration longest) {
        boolean isSmall() {
            return later.compareTo(LATER) < 0 && longest.compareTo(MOST) < 0;
        }
    }

    private Cost poisonedRowsAreMended() throws Exception {
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        Logger logger = (Logger) LoggerFactory.getLogger("dev.durable");
        OpenDesk desk = new OpenDesk();
        try (Bench fresh = new Bench();
                DurableEngine engine =
                        fresh.engine().register(Quick.class, Trip.class, desk).start()) {
            bench = fresh;
            List<String> victims = new ArrayList<>();
            for (int i = 0; i < CASES; i++) {
                String id = "victim-" + i;
                engine.client().start(Trip.class, StartOptions.id(id), w -> w.run("ann"));
                victims.add(id);
            }
            for (String victim : victims) {
                Bench.awaitThat(engine.client().handle(victim), it -> it.historyLength() >= 3);
            }
            logger.addAppender(lines);
            AtomicBoolean stop = new AtomicBoolean();
            List<Long> before = new ArrayList<>();
            Thread waking = Thread.ofPlatform().start(() -> wake(victims, few -> {}));
            loadFor(engine, Duration.ofSeconds(6), before, "before");
            waking.join();
            List<Long> during = new ArrayList<>();
            Thread load = Thread.ofPlatform().start(() -> load(engine, stop, during, "during"));

            List<Poison> poisons = poison(victims);
            // All of them read their histories and messages anew, and are asked to end.
            wake(victims, few -> signalAll(engine, few));
            settle(Duration.ofSeconds(6));
            Map<String, String> stalled = new TreeMap<>();
            engine.client().workflows().where(w -> w.stalled()).stream()
                    .forEach(row -> stalled.put(row.workflowId(), ""));
            reasons(stalled);
            readEverything(engine);
            stop.set(true);
            load.join();

            assertThat(engine.problems()).isEmpty();
            assertThat(engine.healthy()).isTrue();
            mend(poisons);
            signalAll(engine, victims);
            Map<String, String> unended = awaitAll(poisons);

            report(poisons, stalled, unended, before, during, lines);
            assertThat(poisons).hasSizeGreaterThanOrEqualTo(Math.min(500, CASES));
            assertThat(stalled).isNotEmpty();
            assertThat(stalled.values())
                    .noneMatch(why -> why.startsWith("unexpected: "))
                    .anyMatch(why -> why.matches("event \\d+, [A-Za-z]+, can't be read: (?s).*"))
                    .anyMatch(why ->
                            why.matches("message [-0-9a-f]{36} \\(confirm\\) in the inbox can't be fed: it is of a kind"
                                    + " that this version of Durable does not know\\. (?s).*"));
            assertThat(unended).isEmpty();
            assertThat(failed(lines)).isEmpty();
            return new Cost(Duration.ofNanos(nth(during, 99) - nth(before, 99)), Duration.ofNanos(nth(during, 100)));
        }
    }

    /** Wakes a few at a time: the cost of poisoned runs for others is measured, not that of five hundred at once. */
    private void wake(List<String> victims, Consumer<List<String>> then) {
        for (int i = 0; i < victims.size(); i += 20) {
            List<String> few = victims.subList(i, Math.min(i + 20, victims.size()));
            try {
                execute(
                        "update durable.run_state s set fence = gen_random_uuid(), owned_until = null, not_before = null,"
                                + " wake_at = now() from durable.workflow_run w where w.run_id = s.run_id and w.workflow_id in ('"
                                + String.join("', '", few) + "')");
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
            then.accept(few);
            settle(Duration.ofMillis(150));
        }
    }

    // ── the rows ─────────────────────────────────────────────────────────────────────────────────────────────────────

    private List<Column> columns() throws SQLException {
        List<Column> columns = new ArrayList<>();
        for (List<String> row : rows("""
                select c.table_name, c.column_name, c.data_type from information_schema.columns c
                  join pg_catalog.pg_class t on t.oid = format('durable.%I', c.table_name)::regclass
                 where c.table_schema = 'durable' and t.relkind in ('r', 'p') and not t.relispartition
                   and (c.data_type in ('text', 'json', 'jsonb') or c.udt_name = '_text' or c.column_name = 'kind')
                 order by 1, 2""")) {
            if (!OF_ALL.contains(row.getFirst())) {
                columns.add(new Column(row.get(0), row.get(1), row.get(2)));
            }
        }
        return columns;
    }

    private List<Poison> poison(List<String> victims) throws SQLException {
        List<Column> columns = columns();
        List<Column> hot =
                columns.stream().filter(column -> HOT.contains(column.table)).toList();
        List<Poison> poisons = new ArrayList<>();
        try (Connection connection = bench.dataSource().getConnection()) {
            try (Statement statement = connection.createStatement()) {
                statement.execute("set session_replication_role = replica");
            }
            try {
                for (int i = 0; i < victims.size(); i++) {
                    // Each column three times, then those that runs and jobs use often, again and again.
                    List<Column> from = i < 3 * columns.size() ? columns : hot;
                    Column column = from.get(i % from.size());
                    poison(connection, column, value(column, i / from.size()), victims.get(i), poisons);
                }
            } finally {
                try (Statement statement = connection.createStatement()) {
                    statement.execute("reset session_replication_role");
                }
            }
        }
        return poisons;
    }

    private String value(Column column, int round) {
        return switch (column.type) {
            case "text" -> WORDS.get((round + random.nextInt(WORDS.size())) % WORDS.size());
            case "ARRAY" -> "{" + (random.nextBoolean() ? "NoSuchThing" : "\"\",\"a b\"") + "}";
            case "smallint" -> "99";
            default -> {
                String document = DOCUMENTS.get((round + random.nextInt(DOCUMENTS.size())) % DOCUMENTS.size());
                yield column.type.equals("jsonb") && document.contains("\\u") ? "{\"a\":5}" : document;
            }
        };
    }

    /** Writes the value into a row of the victim's, if it has one in that table, else into a new one. */
    private void poison(Connection connection, Column column, String value, String victim, List<Poison> poisons)
            throws SQLException {
        List<List<String>> runs =
                rows("select run_id, shard from durable.workflow_run where workflow_id = '" + victim + "'");
        String runId = runs.getFirst().getFirst();
        String shard = runs.getFirst().get(1);
        String table = "durable." + column.table;
        boolean ofRuns =
                !rows("select 1 from information_schema.columns where table_schema = 'durable' and table_name = '"
                                + column.table + "' and column_name = 'run_id'")
                        .isEmpty();
        String own = ofRuns ? "run_id = '" + runId + "'" : "false";
        List<List<String>> found = rows("select ctid, tableoid::regclass, " + column.name + " from " + table + " where "
                + own + " order by random() limit 1");
        try {
            if (found.isEmpty()) {
                String id = insert(connection, column, value, victim, runId, shard);
                List<String> undo = new ArrayList<>(List.of("delete from " + table + " where " + id));
                if (column.table.equals("outbox")) {
                    // The message may have been delivered meanwhile.
                    undo.add("delete from durable.inbox where " + own
                            + " and (payload::text <> '[]' or name <> 'confirm' or kind <> 1)");
                }
                poisons.add(new Poison(column, value, victim, undo));
            } else {
                String place = key(
                        column.table,
                        found.getFirst().getFirst(),
                        found.getFirst().get(1));
                String old = found.getFirst().get(2);
                update(
                        connection,
                        "update " + table + " set " + column.name + " = ?::" + cast(column) + " where " + place,
                        value);
                poisons.add(new Poison(
                        column,
                        value,
                        victim,
                        List.of("update " + table + " set " + column.name + " = "
                                + (old == null ? "null" : "'" + old.replace("'", "''") + "'::" + cast(column))
                                + " where "
                                + place
                                // The run may have replaced the value itself.
                                + " and " + column.name + "::text = '" + value.replace("'", "''") + "'")));
            }
        } catch (SQLException e) {
            // A constraint that makes the value impossible is the best remedy, and counts as a case.
            poisons.add(new Poison(column, "refused: " + e.getMessage(), victim, List.of()));
        }
    }

    /** The columns of the primary key that are not poisoned themselves, by which the row is found again. */
    private String key(String table, String ctid, String partition) throws SQLException {
        List<String> parts = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (List<String> name : rows("select a.attname from pg_index i join pg_attribute a on a.attrelid = i.indrelid"
                + " and a.attnum = any(i.indkey) where i.indrelid = 'durable." + table
                + "'::regclass and i.indisprimary")) {
            names.add(name.getFirst());
        }
        List<String> values = rows("select " + String.join(",", names) + " from " + partition + " where ctid = '" + ctid
                        + "'")
                .getFirst();
        for (int i = 0; i < names.size(); i++) {
            parts.add(names.get(i) + " = '" + values.get(i) + "'");
        }
        return String.join(" and ", parts);
    }

    private static String cast(Column column) {
        return column.type.equals("ARRAY") ? "text[]" : column.type;
    }

    private String insert(
            Connection connection, Column poisoned, String value, String victim, String runId, String shard)
            throws SQLException {
        Map<String, String> values = new LinkedHashMap<>();
        // A job that is ready, running under a session that is gone, a dead letter, an external one that has timed out,
        // an incident.
        String state = List.of("0", "2", "3", "5", "6").get(random.nextInt(5));
        boolean job = poisoned.table.equals("activity_job");
        String mark = java.util.UUID.randomUUID().toString();
        String place = null;
        for (List<String> row : rows("select column_name, data_type, is_nullable from information_schema.columns"
                + " where table_schema = 'durable' and table_name = '" + poisoned.table
                + "' order by ordinal_position")) {
            String name = row.getFirst();
            String literal = name.equals(poisoned.name)
                    ? "?::" + cast(poisoned)
                    : switch (name) {
                        case "run_id", "target_run_id" -> "'" + runId + "'";
                        case "shard" -> shard;
                        case "workflow_id", "target_workflow_id" -> "'" + victim + "'";
                        case "kind" -> "1";
                        case "name" -> "'confirm'";
                        case "task_queue" -> poisoned.table.equals("queue") ? "'" + mark + "'" : "'default'";
                        case "payload", "input" -> "'[]'";
                        case "wakes" -> "true";
                        case "state" -> job ? state : "'{}'";
                        case "activity" -> "'Desk.book'";
                        case "workflow_type" -> "'Trip'";
                        case "seq" -> "7";
                        case "max_crashes" -> "random() * 2";
                        case "notes", "operator_notes" -> "'[{\"type\":\"x\",\"at\":\"2026-01-01T00:00:00Z\"}]'";
                        case "buried_at", "claimed_at", "deadline", "rank", "scheduled_at" -> "now() - interval '1 s'";
                        case "lease", "session" -> row.get(1).equals("uuid") ? "'" + mark + "'" : "interval '1 hour'";
                        default ->
                            row.get(2).equals("YES")
                                    ? "null"
                                    : switch (row.get(1)) {
                                        case "uuid" -> "'" + mark + "'";
                                        case "timestamp with time zone" -> "now() + interval '1 hour'";
                                        case "text" -> "'x" + mark + "'";
                                        case "json", "jsonb" -> "'{}'";
                                        case "boolean" -> "false";
                                        case "interval" -> "interval '1 hour'";
                                        case "ARRAY" -> "'{}'";
                                        default -> "1";
                                    };
                    };
            values.put(name, literal);
            if (literal.contains(mark)) {
                place = name + " = " + literal;
            }
        }
        update(
                connection,
                "insert into durable." + poisoned.table + " (" + String.join(",", values.keySet()) + ") values ("
                        + String.join(",", values.values()) + ")",
                value);
        return place != null && !job
                ? place
                : values.containsKey("run_id")
                        ? "run_id = '" + runId + "'"
                        : poisoned.name + "::text = '" + value.replace("'", "''") + "'";
    }

    private static void update(Connection connection, String sql, String value) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, value);
            statement.executeUpdate();
        }
    }

    private void mend(List<Poison> poisons) throws SQLException {
        try (Connection connection = bench.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("set session_replication_role = replica");
            for (Poison poison : poisons) {
                for (String undo : poison.undo) {
                    statement.execute(undo);
                }
            }
            statement.execute("reset session_replication_role");
            // Sets runs due, as they would be by themselves within a minute.
            statement.execute("update durable.run_state set not_before = null, wake_at = now() where type = 'Trip'");
        }
    }

    // ── what goes on meanwhile ───────────────────────────────────────────────────────────────────────────────────────

    private static void loadFor(DurableEngine engine, Duration time, List<Long> took, String prefix) {
        AtomicBoolean stop = new AtomicBoolean();
        Thread load = Thread.ofPlatform().start(() -> load(engine, stop, took, prefix));
        settle(time);
        stop.set(true);
        try {
            load.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void load(DurableEngine engine, AtomicBoolean stop, List<Long> took, String prefix) {
        for (int i = 0; !stop.get(); i++) {
            String id = prefix + "-" + i;
            long begun = System.nanoTime();
            String result = engine.client()
                    .start(Quick.class, StartOptions.id(id), w -> w.run(id))
                    .result(Duration.ofSeconds(30));
            took.add(System.nanoTime() - begun);
            assertThat(result).isEqualTo("seat of " + id);
        }
    }

    private static void signalAll(DurableEngine engine, List<String> victims) {
        for (String victim : victims) {
            try {
                engine.client().handle(Trip.class, victim).signal(Trip::confirm);
            } catch (RuntimeException e) {
                // Its own row may be missing, or belong to another run.
                LoggerFactory.getLogger(PoisonedRowsTest.class).debug("{}", victim, e);
            }
        }
    }

    /** Reads views and listings, which show all rows whatever some contain. */
    private void readEverything(DurableEngine engine) throws SQLException {
        for (List<String> view :
                rows("select table_name from information_schema.views where table_schema = 'durable'")) {
            rows("select * from durable." + view.getFirst());
        }
        assertThat(engine.client().workflows().stream().count()).isGreaterThanOrEqualTo(CASES);
        assertThat(engine.client().activities().stream().toList()).isNotNull();
        assertThat(engine.client().incidents().stream().toList()).isNotNull();
        assertThat(engine.client().deadLetters().stream().toList()).isNotNull();
        assertThat(engine.client().jobs().stream().toList()).isNotNull();
    }

    private void reasons(Map<String, String> stalled) throws SQLException {
        for (List<String> row :
                rows("select workflow_id, stalled_by from durable.run_state where stalled_by is not null")) {
            stalled.computeIfPresent(row.getFirst(), (id, none) -> row.get(1));
        }
    }

    private Map<String, String> awaitAll(List<Poison> poisons) throws SQLException {
        Instant until = Instant.now().plusSeconds(120);
        Map<String, String> open = new TreeMap<>();
        do {
            settle(Duration.ofMillis(200));
            open.clear();
            for (List<String> row : rows("select w.workflow_id, w.status, s.stalled_by from durable.workflow_run w"
                    + " left join durable.run_state s on s.run_id = w.run_id"
                    + " where w.type = 'Trip' and w.status <> '" + WorkflowStatus.COMPLETED + "'")) {
                open.put(row.getFirst(), row.get(1) + ": " + row.get(2));
            }
        } while (!open.isEmpty() && Instant.now().isBefore(until));
        for (Poison poison : poisons) {
            open.computeIfPresent(
                    poison.workflowId, (id, why) -> poison.column + " = " + cut(poison.value) + " → " + why);
        }
        return open;
    }

    private static List<String> failed(ListAppender<ILoggingEvent> lines) {
        return List.copyOf(lines.list).stream()
                // A poisoned job may be one that is left to the holder of a token, and the time of that may pass.
                .filter(line -> !line.getLoggerName().equals("dev.durable.failed.Attempt"))
                .map(ILoggingEvent::getFormattedMessage)
                .filter(line -> line.contains("goes on in") || line.contains("failed"))
                .filter(line -> !line.contains(" stalls: "))
                .distinct()
                .toList();
    }

    private static void report(
            List<Poison> poisons,
            Map<String, String> stalled,
            Map<String, String> unended,
            List<Long> before,
            List<Long> during,
            ListAppender<ILoggingEvent> lines) {
        long refused =
                poisons.stream().filter(p -> p.value.startsWith("refused: ")).count();
        System.out.printf(
                "seed %d: %d poisoned rows (%d refused), %d runs stalled, %d not ended; a run took %s ms before (%d), %s ms"
                        + " during (%d): median, p99, longest%n",
                SEED,
                poisons.size(),
                refused,
                stalled.size(),
                unended.size(),
                figures(before),
                before.size(),
                figures(during),
                during.size());
        poisons.stream()
                .filter(p -> p.value.startsWith("refused: "))
                .map(p -> p.column + " " + cut(p.value))
                .distinct()
                .forEach(System.out::println);
        stalled.forEach((id, why) -> System.out.println(id + " stalled: " + cut(why)));
        unended.forEach((id, why) -> System.out.println(id + " open: " + cut(why)));
        failed(lines).forEach(line -> System.out.println("said: " + cut(line)));
    }

    private static String figures(List<Long> took) {
        return "%.0f, %.0f, %.0f".formatted(nth(took, 50) / 1e6, nth(took, 99) / 1e6, nth(took, 100) / 1e6);
    }

    /** The time that so many in a hundred did not exceed. */
    private static long nth(List<Long> took, int hundredth) {
        long[] sorted = took.stream().mapToLong(Long::longValue).sorted().toArray();
        return sorted[Math.min(sorted.length - 1, sorted.length * hundredth / 100)];
    }

    private static String cut(String text) {
        return text == null
                ? ""
                : text.substring(0, Math.min(text.length(), 260)).replace('\n', ' ');
    }

    private static void settle(Duration time) {
        LockSupport.parkNanos(time.toNanos());
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = bench.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private List<List<String>> rows(String sql) throws SQLException {
        try (Connection connection = bench.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<List<String>> found = new ArrayList<>();
            int width = rows.getMetaData().getColumnCount();
            while (rows.next()) {
                String[] row = new String[width];
                for (int i = 0; i < width; i++) {
                    row[i] = rows.getString(i + 1);
                }
                found.add(Arrays.asList(row));
            }
            return found;
        }
    }
}
