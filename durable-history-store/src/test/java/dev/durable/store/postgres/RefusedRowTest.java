package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.StoreRefusedException;
import dev.durable.client.QueueLimits;
import dev.durable.store.ClaimedJob;
import dev.durable.store.JobClaim;
import dev.durable.store.QueueChange;
import dev.durable.store.RunClaim;
import dev.durable.store.contract.NewRunBuilder;
import dev.durable.store.contract.Outcomes;
import dev.durable.store.postgres.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A row that the database does not let be taken, whatever raises the error, holds up no other row of its queue. */
class RefusedRowTest {
    private static final String QUEUE = "default";
    private static final String ACTIVITY = "Payments.charge";

    private final TestDatabase database = TestDatabase.migrated();
    private final DataSource sql = database.dataSource();
    private long now = System.nanoTime();
    private final PostgresHistoryStore store = PostgresHistoryStore.builder(database.pooledDataSource(4))
            .nanoTime(() -> now)
            .build();
    private final UUID session = UUID.randomUUID();

    @BeforeEach
    void open() {
        store.open();
        store.openSession(session, "worker", Duration.ofSeconds(30));
    }

    @AfterEach
    void close() {
        store.close();
        database.close();
    }

    /** Starts runs with a ready job each. */
    private void jobs(String... workflowIds) {
        for (String id : workflowIds) {
            store.start(List.of(new NewRunBuilder(store, id)
                    .schedules(Outcomes.job(1, store.now(), ACTIVITY, QUEUE, 0, null))
                    .build()));
        }
    }

    private List<String> claimed(int limit) {
        return ids(store.claimJobs(new JobClaim(session, QUEUE, Set.of(ACTIVITY), limit)));
    }

    private static List<String> ids(List<ClaimedJob> jobs) {
        return jobs.stream().map(job -> job.key().run().workflowId()).toList();
    }

    private List<String> claimedRuns(int limit) {
        return store
                .claimRuns(new RunClaim(session, Set.of(QUEUE), Set.of("OrderWorkflow"), limit, Duration.ofSeconds(30)))
                .runs()
                .stream()
                .map(run -> run.run().workflowId())
                .toList();
    }

    /**
     * Creates a trigger of the application, which raises an error at an update of rows for which this condition holds.
     */
    private void refuse(String table, String condition) {
        Sql.execute(
                sql,
                "create function public.refuse() returns trigger language plpgsql as $$ begin"
                        + " raise exception 'not this one' using errcode = '22P02'; end $$");
        Sql.execute(
                sql,
                "create trigger refuse before update on durable." + table + " for each row when (" + condition
                        + ") execute function public.refuse()");
    }

    private void refuseNoMore(String table) {
        Sql.execute(sql, "drop trigger refuse on durable." + table);
    }

    @Test
    void a_job_whose_claim_is_refused_becomes_an_incident_and_the_others_are_claimed() {
        jobs("a", "b", "bad", "c", "d");
        refuse("activity_job", "new.workflow_id = 'bad' and new.state = 2");

        assertThat(Stream.of(claimed(10), claimed(10)).flatMap(List::stream)).containsExactly("a", "b", "c", "d");

        assertThat(Sql.column(
                        sql, "select state || ' ' || last_failure from durable.activity_job where workflow_id = 'bad'"))
                .singleElement()
                .asString()
                .startsWith("6 no worker can claim it: ")
                .contains("22P02", "not this one");
        assertThat(Sql.number(sql, "select count(*) from durable.v_incident where workflow_id = 'bad'"))
                .isOne();
    }

    @Test
    void a_function_that_can_not_digest_what_stands_in_one_row_keeps_only_that_one() {
        jobs("a", "bad", "b");
        Sql.execute(
                sql, "update durable.activity_job set notes = '[1]', operator_notes = '[2]' where workflow_id = 'bad'");
        Sql.execute(sql, """
                create or replace function durable.joined(first json, second json) returns json language sql immutable
                    return case when second is null then first else (substring(first::text from '(') || '')::json end""");

        assertThat(Stream.of(claimed(10), claimed(10)).flatMap(List::stream)).containsExactly("a", "b");
        assertThat(Sql.column(sql, "select last_failure from durable.activity_job where workflow_id = 'bad'"))
                .singleElement()
                .asString()
                .contains("2201B", "invalid regular expression");
    }

    @Test
    void a_job_that_nobody_may_change_at_all_is_left_out_for_a_while_and_tried_again() {
        jobs("bad", "a", "b");
        refuse("activity_job", "new.workflow_id = 'bad'");

        assertThat(Stream.of(claimed(10), claimed(10)).flatMap(List::stream)).containsExactly("a", "b");
        refuseNoMore("activity_job");
        assertThat(claimed(10)).as("in its pause").isEmpty();
        now += Duration.ofSeconds(6).toNanos();

        assertThat(claimed(10)).containsExactly("bad");
    }

    @Test
    void a_job_that_another_worker_had_locked_when_the_one_behind_it_was_refused_is_not_set_aside() throws Exception {
        jobs("a", "bad", "b");
        // Sequences change for all transactions at once: the trigger shows by one that it was met, and goes on by the
        // other.
        Sql.execute(sql, "create sequence public.met; create sequence public.gate");
        Sql.execute(sql, """
                create function public.refuse() returns trigger language plpgsql as $$ begin
                    perform nextval('public.met');
                    while (select last_value from public.gate) = 1 loop perform pg_sleep(0.01); end loop;
                    raise exception 'not this one' using errcode = '22P02'; end $$""");
        Sql.execute(
                sql,
                "create trigger refuse before update on durable.activity_job for each row"
                        + " when (new.workflow_id = 'bad' and new.state = 2) execute function public.refuse()");
        try (Connection other = sql.getConnection()) {
            other.setAutoCommit(false);
            execute(other, "select 1 from durable.activity_job where workflow_id = 'a' for update");
            CompletableFuture<List<String>> claimed = CompletableFuture.supplyAsync(() -> claimed(1));
            assertThat(Sql.await(
                            Duration.ofMinutes(1),
                            () -> Sql.number(sql, "select is_called::integer from public.met") == 1))
                    .isTrue();
            other.rollback();
            Sql.execute(sql, "select setval('public.gate', 2)");

            assertThat(claimed.get(1, TimeUnit.MINUTES)).containsExactly("b");
        }
        assertThat(Sql.column(sql, "select workflow_id || state from durable.activity_job order by 1"))
                .containsExactly("a0", "b2", "bad6");
    }

    private static void execute(Connection connection, String statement) throws SQLException {
        try (Statement one = connection.createStatement()) {
            one.execute(statement);
        }
    }

    @Test
    void under_limits_it_is_the_same() {
        jobs("a", "bad", "b");
        store.change(new QueueChange(
                UUID.randomUUID(),
                "ann",
                new QueueChange.Limit(QUEUE, QueueLimits.of(limits -> limits.concurrency(10)))));
        refuse("activity_job", "new.workflow_id = 'bad' and new.state = 2");
        JobClaim claim = new JobClaim(session, QUEUE, Set.of(ACTIVITY), 10);

        assertThat(Stream.of(store.claimLimitedJobs(claim), store.claimLimitedJobs(claim))
                        .flatMap(claimed -> ids(claimed.jobs()).stream()))
                .containsExactly("a", "b");
    }

    @Test
    void where_no_job_can_be_claimed_the_database_is_at_fault_and_none_is_set_aside() {
        String[] many =
                Stream.iterate(1, n -> n + 1).limit(20).map(n -> "job-" + n).toArray(String[]::new);
        jobs(many);
        refuse("activity_job", "new.state = 2");

        assertThatThrownBy(() -> claimed(10)).isInstanceOf(StoreRefusedException.class);

        refuseNoMore("activity_job");
        assertThat(claimed(100)).hasSize(20);
    }

    @Test
    void a_run_whose_claim_is_refused_keeps_neither_those_that_are_due_nor_those_with_messages() {
        for (String id : List.of("a", "bad", "b")) {
            store.start(List.of(new NewRunBuilder(store, id).build()));
        }
        refuse("run_state", "new.workflow_id = 'bad' and new.owned_until is not null");

        assertThat(Stream.of(claimedRuns(10), claimedRuns(10)).flatMap(List::stream))
                .containsExactlyInAnyOrder("a", "b");
        refuseNoMore("run_state");
        now += Duration.ofSeconds(6).toNanos();

        assertThat(claimedRuns(10)).containsExactly("bad");
    }

    @Test
    void jobs_of_dead_workers_and_those_that_are_overdue_are_worked_off_but_for_one() {
        jobs("a", "bad", "b");
        assertThat(claimed(10)).hasSize(3);
        refuse("activity_job", "new.workflow_id = 'bad'");
        Sql.execute(sql, "update durable.session set dead = true");

        store.requeueOrphans(10);
        store.requeueOrphans(10);

        assertThat(Sql.column(sql, "select workflow_id from durable.activity_job where state = 0 order by 1"))
                .containsExactly("a", "b");
        Sql.execute(
                sql, "update durable.activity_job set schedule_to_close_deadline = now() where workflow_id <> 'bad'");
        String runOfA = Sql.column(sql, "select run_id from durable.activity_job where workflow_id = 'a'")
                .getFirst();
        Sql.execute(sql, "alter table durable.inbox add check (run_id <> '" + runOfA + "')");

        store.timeOutWaiting(10);
        store.timeOutWaiting(10);

        assertThat(Sql.column(sql, "select workflow_id from durable.activity_job order by 1"))
                .containsExactly("a", "bad");
    }
}
