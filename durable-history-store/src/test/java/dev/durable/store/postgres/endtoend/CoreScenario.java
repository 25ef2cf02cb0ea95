package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Activity;
import dev.durable.Durable;
import dev.durable.OnExhausted;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.client.ActivityHandle;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.store.postgres.HistoryPartitions;
import dev.durable.store.postgres.SqlInvariants;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.YearMonth;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;

/** Plays the core of Durable on one database, in well under a second, to be tested under settings of others. */
final class CoreScenario {
    /** Text that a literal, an array or a script could misread. */
    private static final String ODD = "it's \"\\odd\\\" \\u0000 \\1 {a,NULL} $$ ? é € \uD83D\uDE00 \n";

    @Activity(startToClose = "20s")
    interface Desk {
        @Activity(retry = @Retry(maxAttempts = 5, initialInterval = "5ms"))
        String book(String traveller);

        @Activity(retry = @Retry(maxAttempts = 2, initialInterval = "5ms", onExhausted = OnExhausted.INCIDENT))
        String pay(String seat);
    }

    @Activity(startToClose = "20s")
    interface Mails {
        String send(String to);
    }

    @Workflow(name = "Trip")
    static class Trip {
        private final Desk desk;
        private String confirmedBy;

        Trip(Desk desk) {
            this.desk = desk;
        }

        @Run
        String run(String traveller) {
            String seat = desk.book(traveller);
            Durable.await(() -> confirmedBy != null);
            Durable.sleep(Duration.ofMillis(5));
            return desk.pay(seat) + confirmedBy;
        }

        @Signal
        void confirm(String by) {
            confirmedBy = by;
        }
    }

    private final DataSource dataSource;
    private final Set<String> failedOnce = ConcurrentHashMap.newKeySet();
    private volatile boolean bankIsAway = true;

    private CoreScenario(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /** Works there as worker, client, caller of a transaction and operator; fails if any result differs. */
    static void on(DataSource dataSource) throws SQLException {
        new CoreScenario(dataSource).play();
    }

    private final class Office implements Desk, Mails {
        @Override
        public String book(String traveller) {
            if (failedOnce.add(traveller)) {
                throw new IllegalStateException("full " + ODD);
            }
            return "seat of " + traveller;
        }

        @Override
        public String pay(String seat) {
            if (bankIsAway) {
                throw new IllegalStateException("away " + ODD);
            }
            return seat;
        }

        @Override
        public String send(String to) {
            return to;
        }
    }

    private void play() throws SQLException {
        try (DurableEngine engine =
                Bench.engineOn(dataSource).register(Trip.class, new Office()).start()) {
            DurableClient client = engine.client();
            List<ActivityHandle> mails = List.of(
                    client.enqueue(Mails.class, mail("mail-1"), m -> m.send(ODD)),
                    client.enqueue(Mails.class, mail("mail-2"), m -> m.send(ODD)));
            WorkflowHandle<Trip, String> first =
                    client.start(Trip.class, StartOptions.id("trip-1"), w -> w.run("ann " + ODD));
            startAndSignalInATransaction(client);
            for (ActivityHandle mail : mails) {
                assertThat(mail.resultAs(String.class, Bench.SOON)).isEqualTo(ODD);
            }
            Bench.awaitThat(() -> client.incidents().count() == 2);
            bankIsAway = false;
            // With the notes of the worker and those of the operator, the row has two lists of events.
            for (String trip : List.of("trip-1", "trip-2")) {
                assertThat(client.incidents()
                                .where(i -> i.workflowId(trip))
                                .by("ann")
                                .because(ODD)
                                .retry())
                        .isOne();
            }
            assertThat(first.result(Bench.SOON)).isEqualTo("seat of ann " + ODD + ODD);
            assertThat(client.handle(Trip.class, "trip-2").resultAs(String.class))
                    .isEqualTo("seat of bob" + ODD);
            assertThat(client.workflows().stream()).hasSize(4);
            assertThat(client.jobs().stream()).hasSize(2);
            assertThat(client.history("trip-1")).hasSizeGreaterThan(8);
            assertThat(engine.problems()).isEmpty();
        }
        readByHand();
    }

    private static StartOptions mail(String id) {
        return StartOptions.id(id).activity(o -> o.limitKey("smtp"));
    }

    private void startAndSignalInATransaction(DurableClient client) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            DurableClient joining = client.joining(connection);
            joining.start(Trip.class, StartOptions.id("trip-2"), w -> w.run("bob"));
            joining.handle(Trip.class, "trip-1").signal(w -> w.confirm(ODD));
            joining.handle(Trip.class, "trip-2").signal(w -> w.confirm(ODD));
            connection.commit();
            connection.setAutoCommit(true);
        }
    }

    /** Runs the SQL of operators and DBAs, in a session of their own. */
    private void readByHand() throws SQLException {
        assertThat(SqlInvariants.check(dataSource)).isEmpty();
        assertThat(HistoryPartitions.of(dataSource).drop(YearMonth.of(2020, 1))).isEmpty();
        assertThat(text("select string_agg(state, ' ' order by workflow_id, seq) from durable.v_activity"))
                .isEqualTo("completed completed completed completed completed completed");
        assertThat(text("select string_agg(distinct attempt::text, ' ') from durable.v_activity"))
                .isEqualTo("1 2 3");
        assertThat(text("select count(distinct input ->> 0)::text from durable.v_workflow where type = 'Trip'"))
                .isEqualTo("2");
        assertThat(text("select count(*)::text from durable.v_history where jsonb_typeof(attributes) <> 'object'"))
                .isEqualTo("0");
        assertThat(text(
                        "select count(*)::text from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent ="
                                + " 'durable.history_event'::regclass and durable.history_bound(pg_get_expr(c.relpartbound, c.oid),"
                                + " true) is null"))
                .as("partitions whose bounds are not understood")
                .isEqualTo("0");
        assertThat(text("select durable.purge_audit(now() - interval '2 days')::text"))
                .isEqualTo("0");
        text("select count(*)::text from durable.v_queue, durable.v_incident, durable.v_dead_letter");
    }

    private String text(String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }
}
