package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.client.WorkflowStatus;
import dev.durable.store.NewJob;
import dev.durable.store.RunClaim;
import dev.durable.store.RunRecord;
import dev.durable.store.Transition;
import dev.durable.store.contract.NewRunBuilder;
import dev.durable.store.contract.Outcomes;
import dev.durable.store.contract.Writer;
import dev.durable.store.postgres.testing.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Tests settings of the driver under which values are sent in other forms, as old poolers and proxies need them. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class QueryModeTest {
    private static final String ACTIVITY = "Payments.charge";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "preferQueryMode=simple",
                "preferQueryMode=extendedForPrepared",
                "prepareThreshold=0",
                "binaryTransfer=false",
                "stringtype=unspecified"
            })
    void a_run_is_written_and_read_alike(String setting) {
        try (TestDatabase database = TestDatabase.migrated();
                PostgresHistoryStore store = PostgresHistoryStore.of(with(setting, database))) {
            store.open();
            UUID session = UUID.randomUUID();
            store.openSession(session, "worker", Duration.ofSeconds(30));
            Instant now = store.now();
            NewJob.Lease first = new NewJob.Lease(UUID.randomUUID(), session);
            NewJob.Lease second = new NewJob.Lease(UUID.randomUUID(), session);
            NewRunBuilder run = new NewRunBuilder(store, "order-1")
                    .deadline(now.plus(1, ChronoUnit.DAYS))
                    .schedules(Outcomes.job(1, now, ACTIVITY, "default", 0, first));
            store.start(List.of(run.build()));
            Writer writer = new Writer(store, run.key(), run.fence(), 3);

            assertThat(writer.write(writer.step()
                            .settles(1, first.token())
                            .schedules(Outcomes.job(2, store.now(), ACTIVITY, "default", 0, second))
                            .wakesAt(now.plus(1, ChronoUnit.HOURS))))
                    .isEqualTo(Transition.Outcome.APPLIED);
            assertThat(store.claimRuns(new RunClaim(session, Set.of("default"), Set.of(), 1, Duration.ofSeconds(1)))
                            .nextDue())
                    .isEqualTo(now.plus(1, ChronoUnit.HOURS));
            assertThat(writer.write(writer.closing().settles(2, second.token())))
                    .isEqualTo(Transition.Outcome.APPLIED);

            RunRecord record = store.run(run.key().runId()).orElseThrow();
            assertThat(record.status()).isEqualTo(WorkflowStatus.COMPLETED);
            assertThat(store.history(run.key().runId(), 1, 100))
                    .extracting(event -> event.type())
                    .containsExactly(
                            "WorkflowStarted",
                            "ActivityScheduled",
                            "ActivityCompleted",
                            "ActivityScheduled",
                            "ActivityCompleted",
                            "WorkflowCompleted");
            assertThat(store.history(run.key().runId(), 1, 1).getFirst().at()).isEqualTo(run.startedAt());
        }
    }

    private static PGSimpleDataSource with(String setting, TestDatabase database) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        String url = database.jdbcUrl();
        dataSource.setUrl(url + (url.contains("?") ? "&" : "?") + setting);
        dataSource.setUser(database.username());
        dataSource.setPassword(database.password());
        return dataSource;
    }
}
