package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.OnExhausted;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.history.ActivityAttemptFailed;
import dev.durable.history.ActivityFailed;
import dev.durable.history.ActivityTimedOut;
import dev.durable.history.Failure;
import dev.durable.history.History;
import dev.durable.store.postgres.SqlInvariants;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * An SQLSTATE that a trigger of the application raises is the application's failure, whatever its meaning for the
 * server.
 */
@Timeout(300)
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class RaisedByTriggersTest {
    /** States that would be errors of the server or of the engine if they raised them themselves. */
    private static final List<String> STATES = List.of(
            "23514", "42501", "55P03", "40001", "40P01", "53100", "53300", "25006", "08006", "57014", "57P01", "57P03",
            "58030", "23505", "22001", "0A000", "25P02", "25P03", "P0001", "XX000");

    private static final String SCHEMA = """
            create table guarded (state text not null, late boolean not null);
            create function guard() returns trigger language plpgsql as $$
            begin
                if new.late = (tg_name = 'late') then
                    if new.state = 'divides' then
                        perform 1 / 0;
                    elsif new.state = 'nowait' then
                        perform 1 from held for update nowait;
                    else
                        raise exception using errcode = new.state, message = 'no ' || new.state || ', says the trigger';
                    end if;
                end if;
                return null;
            end $$;
            create trigger early after insert on guarded for each row execute function guard();
            create constraint trigger late after insert on guarded deferrable initially deferred
                for each row execute function guard();
            create table held (id int);
            insert into held values (1);
            create table parts (id int) partition by range (id);
            create table uniques (id int unique deferrable initially deferred);
            insert into uniques values (1)""";

    @Activity(
            transactional = true,
            startToClose = "20s",
            retry =
                    @Retry(
                            initialInterval = "1ms",
                            maxInterval = "1ms",
                            maxAttempts = 2,
                            onExhausted = OnExhausted.FAIL))
    interface Guarded {
        void write(String state, boolean late) throws SQLException;

        @Activity(startToClose = "20s", scheduleToClose = "8s")
        void always(String sql) throws SQLException;
    }

    @Workflow
    static class Writing {
        private final Guarded guarded;

        Writing(Guarded guarded) {
            this.guarded = guarded;
        }

        @Run
        String run(String state, boolean late) throws SQLException {
            guarded.write(state, late);
            return state;
        }
    }

    private static final class Writer implements Guarded {
        @Override
        public void write(String state, boolean late) throws SQLException {
            Connection connection = ActivityContext.current().transaction(Connection.class);
            try (var insert = connection.prepareStatement(
                    switch (state) {
                        case "unique" -> "insert into uniques select 1 where ? <> '' and ? is not null";
                        case "parts" -> "insert into parts select 1 where ? <> '' and ? is not null";
                        default -> "insert into guarded values (?, ?)";
                    })) {
                insert.setString(1, state);
                insert.setBoolean(2, late);
                insert.executeUpdate();
            }
        }

        @Override
        public void always(String sql) throws SQLException {
            try (Statement statement =
                    ActivityContext.current().transaction(Connection.class).createStatement()) {
                statement.execute(sql);
            }
        }
    }

    private final Bench bench = new Bench();

    @BeforeEach
    void create() throws SQLException {
        execute(SCHEMA);
    }

    @AfterEach
    void drop() throws SQLException {
        execute("drop trigger if exists gate on durable.inbox");
        assertThat(SqlInvariants.check(bench.dataSource())).isEmpty();
        bench.close();
    }

    @Test
    void whatever_a_trigger_raises_in_the_body_or_at_its_commit_uses_the_attempts_and_is_the_failure()
            throws Exception {
        List<String> states = Stream.concat(STATES.stream(), Stream.of("divides", "nowait", "unique", "parts"))
                .toList();
        List<String> ids = new ArrayList<>();
        Map<String, History> ends = new LinkedHashMap<>();
        try (DurableEngine engine = bench.engine()
                        .register(Writing.class)
                        .activity(Guarded.class, new Writer())
                        .start();
                Connection holder = bench.dataSource().getConnection();
                Statement hold = holder.createStatement()) {
            holder.setAutoCommit(false);
            hold.execute("select 1 from held for update");
            DurableClient client = engine.client();
            for (String state : states) {
                for (boolean late : new boolean[] {false, true}) {
                    String id = state + (late ? " at the commit of " : " in ");
                    client.start(Writing.class, id + "an activity", w -> w.run(state, late));
                    client.enqueue(Guarded.class, StartOptions.id(id + "a job"), guarded -> guarded.write(state, late));
                    ids.add(id + "an activity");
                    ids.add(id + "a job");
                }
            }
            ids.forEach(id -> ends.put(id, ended(client, id)));
            holder.rollback();
            assertThat(engine.problems()).isEmpty();
        }

        assertThat(ends).allSatisfy((id, history) -> {
            List<ActivityAttemptFailed> before = all(history, ActivityAttemptFailed.class);
            assertThat(before).extracting(ActivityAttemptFailed::reason).containsExactly("failed");
            ActivityFailed end = all(history, ActivityFailed.class).getFirst();
            assertThat(end.attempt()).isEqualTo(2);
            Failure failure = end.failure();
            assertThat(failure.type()).as(id).isEqualTo("org.postgresql.util.PSQLException");
            String state = id.substring(0, id.indexOf(' '));
            assertThat(failure.message())
                    .as(id)
                    .contains(
                            switch (state) {
                                case "divides" -> "division by zero";
                                case "nowait" -> "could not obtain lock on row in relation \"held\"";
                                case "unique" -> "uniques_id_key";
                                case "parts" -> "no partition of relation \"parts\" found for row";
                                default -> "no " + state + ", says the trigger";
                            });
        });
    }

    @Test
    void a_time_out_says_what_ended_the_tries_before_it() throws Exception {
        try (DurableEngine engine =
                bench.engine().activity(Guarded.class, new Writer()).start()) {
            var job = engine.client()
                    .enqueue(
                            Guarded.class,
                            StartOptions.id("cut"),
                            guarded -> guarded.always("select pg_terminate_backend(pg_backend_pid())"));
            History history = ended(engine.client(), job.id());

            ActivityTimedOut end = all(history, ActivityTimedOut.class).getFirst();
            assertThat(end.lastFailure()).isNotNull();
            assertThat(end.lastFailure().message()).contains("terminating connection");
            assertThatThrownBy(() -> engine.client().handle("cut").resultAs(Object.class))
                    .rootCause()
                    .message()
                    .contains("ran out of its schedule-to-close timeout", "; before that ", "terminating connection")
                    .doesNotContain("attempt 0");
        }
    }

    private static History ended(DurableClient client, String id) {
        WorkflowHandle<?, ?> run = client.handle(id);
        Bench.awaitThat(run, last -> last.summary().status().closed());
        return run.history();
    }

    private static <E> List<E> all(History history, Class<E> type) {
        return history.stream().filter(type::isInstance).map(type::cast).toList();
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = bench.direct().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
