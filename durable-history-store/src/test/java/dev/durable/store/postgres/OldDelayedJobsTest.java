package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Activity;
import dev.durable.client.ActivityState;
import dev.durable.client.ActivitySummary;
import dev.durable.client.DurableEngine;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.EventJson;
import dev.durable.history.History;
import dev.durable.history.HistoryEvent;
import dev.durable.history.Payload;
import dev.durable.history.WorkflowStarted;
import dev.durable.store.InboxMessage;
import dev.durable.store.MessageKind;
import dev.durable.store.contract.NewRunBuilder;
import dev.durable.store.postgres.testing.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Background jobs that an older release enqueued with a delay: runs without a job, which the schema's upgrade gives them. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class OldDelayedJobsTest {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final String OPTIONS = "{\"startToClose\":\"PT1M\",\"scheduleToStart\":\"PT1H30M\",\"priority\":3,"
            + "\"retry\":{\"maxAttempts\":0,\"initialInterval\":\"PT1S\",\"backoff\":2.0,\"maxInterval\":\"PT1M\","
            + "\"jitter\":0.2,\"maxWorkerCrashes\":5}}";

    private final TestDatabase database = TestDatabase.create();
    private final List<String> sent = new CopyOnWriteArrayList<>();

    @Activity
    interface Mail {
        void send(String to);
    }

    @AfterEach
    void drop() {
        database.close();
    }

    private PostgresHistoryStore store() {
        return PostgresHistoryStore.of(database.pooledDataSource(8));
    }

    private static NewRunBuilder old(PostgresHistoryStore store, String id, String arguments) {
        NewRunBuilder run = new NewRunBuilder(store, id).type("durable.job").startDelay(HOUR);
        WorkflowStarted started = new WorkflowStarted(
                1,
                run.startedAt(),
                id,
                run.key().runId(),
                "durable.job",
                "default",
                new Payload("[\"Mail.send\"," + arguments + "," + OPTIONS + "]"),
                0,
                null,
                Map.of(),
                List.of());
        return run.fenced(run.key().runId()).started(EventJson.attributes(started));
    }

    private long bear() {
        return Sql.number(database.dataSource(), "select durable.bear_delayed_jobs()");
    }

    @Test
    void get_the_job_that_they_were_to_bear_once_and_run_it() throws SQLException {
        try (PostgresHistoryStore store = store()) {
            store.open();
            store.start(List.of(
                    old(store, "mail-1", "[\"a \\\"b\\\"  c\"]").build(),
                    old(store, "mail-2", "[\"bob\"]").build()));

            assertThat(bear()).isEqualTo(2);
            assertThat(bear()).as("again").isZero();

            try (DurableEngine engine = DurableEngine.builder(store)
                    .activity(Mail.class, (Mail) sent::add)
                    .start()) {
                ActivitySummary job = engine.client().activity("mail-1", 1).describe();
                assertThat(job.state()).isEqualTo(ActivityState.DELAYED);
                assertThat(job.activity()).isEqualTo("Mail.send");
                assertThat(job.options().priority()).isEqualTo(3);
                assertThat(Duration.between(store.now(), job.nextAttemptAt())).isBetween(HOUR.minusMinutes(1), HOUR);
                assertThat(engine.client().queues().describe("default").delayed())
                        .isEqualTo(2);

                engine.client().job("mail-1").control().runNow();
                engine.client().job("mail-1").await();
                assertThat(sent).containsExactly("a \"b\"  c");
                assertThat(engine.client().history("mail-1").stream().map(HistoryEvent::type))
                        .containsExactly(
                                "WorkflowStarted",
                                "ActivityScheduled",
                                "ActivityOperated",
                                "ActivityCompleted",
                                "WorkflowCompleted");
                engine.client().job("mail-2").cancel("no more");
                History history = ended(engine, "mail-2");
                assertThat(history.getLast().type()).isEqualTo("WorkflowCancelled");
            }
        }
        assertThat(SqlInvariants.check(database.dataSource())).isEmpty();
    }

    private static History ended(DurableEngine engine, String id) {
        assertThat(Sql.await(
                        Duration.ofSeconds(20),
                        () -> engine.client().handle(id).describe().summary().status() != WorkflowStatus.RUNNING))
                .isTrue();
        return engine.client().history(id);
    }

    @Test
    void are_left_as_they_are_where_somebody_has_touched_them_or_their_text_is_none_that_postgres_reads() {
        try (PostgresHistoryStore store = store()) {
            store.open();
            NewRunBuilder told = old(store, "told", "[\"ann\"]");
            InboxMessage cancel = new InboxMessage(
                    UUID.randomUUID(),
                    MessageKind.CANCEL,
                    "WorkflowCancelRequested",
                    "{\"reason\":\"no\"}",
                    null,
                    null);
            NewRunBuilder due = old(store, "due", "[\"ann\"]").startDelay(Duration.ofSeconds(5));
            store.start(List.of(
                    told.with(cancel).build(),
                    due.build(),
                    old(store, "odd", "[\"\\u0000\"]").build(),
                    new NewRunBuilder(store, "order-1").startDelay(HOUR).build()));

            assertThat(bear()).isZero();
            assertThat(Sql.number(database.dataSource(), "select count(*) from durable.activity_job"))
                    .isZero();
        }
    }

    @Test
    void keep_their_deadlines_and_expire_when_that_was_said() {
        try (PostgresHistoryStore store = store()) {
            store.open();
            Instant expiry = store.now().plus(HOUR).plusSeconds(600);
            store.start(List.of(
                    old(store, "mail-1", "[\"ann\"]").build(),
                    old(store, "mail-2", "[\"bob\"]").expiresAt(expiry).build()));
            bear();

            assertThat(Sql.number(
                            database.dataSource(),
                            "select count(*) from durable.activity_job j where j.workflow_id = 'mail-1' and j.max_crashes = 5"
                                    + " and j.schedule_to_start_deadline = j.scheduled_at + interval '90 min'"
                                    + " and j.visible_at = j.scheduled_at"))
                    .isOne();
            assertThat(Sql.number(
                            database.dataSource(),
                            "select count(*) from durable.activity_job j where j.workflow_id = 'mail-2'"
                                    + " and j.schedule_to_start_deadline < j.scheduled_at + interval '11 min'"))
                    .isOne();
            assertThat(
                            Sql.number(
                                    database.dataSource(),
                                    "select count(*) from durable.run_state s where s.wake_at is null and s.expires_at is null"))
                    .isEqualTo(2);
        }
    }
}
