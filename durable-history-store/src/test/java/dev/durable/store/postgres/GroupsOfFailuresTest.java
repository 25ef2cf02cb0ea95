package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Activity;
import dev.durable.client.ActivityState;
import dev.durable.client.DurableEngine;
import dev.durable.client.IncidentGroup;
import dev.durable.store.JobFilter;
import dev.durable.store.postgres.internal.job.FailedJobs;
import dev.durable.store.postgres.testing.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Groups of many dead letters are counted; their texts are read only where they are shown. */
@Tag("slow")
@Timeout(120)
class GroupsOfFailuresTest {
    private static final int DEAD = 20_000;
    private static final int KINDS = 50;

    @Activity
    interface Work {
        void work();
    }

    @Test
    void texts_are_read_of_the_groups_that_are_shown_only() throws Exception {
        try (TestDatabase database = TestDatabase.migrated();
                DurableEngine client = DurableEngine.builder(PostgresHistoryStore.builder(database.pooledDataSource(2))
                                .build())
                        .clientOnly()
                        .start()) {
            client.client().enqueue(Work.class, w -> w.work());
            fill(database);

            List<IncidentGroup> groups = client.client().deadLetters().groups(20);
            assertThat(groups)
                    .hasSize(20)
                    .allSatisfy(group -> assertThat(group.count()).isEqualTo(DEAD / KINDS));
            assertThat(groups)
                    .extracting(IncidentGroup::fingerprint)
                    .containsExactlyElementsOf(IntStream.range(0, 20)
                            .mapToObj("kind-%02d"::formatted)
                            .toList());
            assertThat(groups.getFirst().lastFailure()).startsWith("failure 1 ").hasSizeGreaterThan(1_000);

            JobFilter dead = JobFilter.ALL.states(Set.of(ActivityState.DEAD));
            assertThat(PlanTest.planOf(database, dsl -> FailedJobs.groups(dsl, dead, 20)))
                    .as("the texts are looked up by an index, behind the limit")
                    .containsPattern("(?s)Limit.*Aggregate.*Limit.*Index Scan using activity_job_buried")
                    .doesNotContain("last_failure");
        }
    }

    /** Inserts equally many of each kind, the latest of the first kind first. */
    private static void fill(TestDatabase database) throws Exception {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("create temp table made as select j.* from durable.activity_job j, generate_series(1, "
                    + DEAD + ")");
            statement.execute("alter table made add number serial");
            statement.execute("update made set seq = number, state = 3, fingerprint = 'kind-'"
                    + " || lpad(((number - 1) % " + KINDS
                    + ")::text, 2, '0'), buried_at = now() - number * interval '1 s',"
                    + " last_failure = 'failure ' || number || ' ' || repeat(md5(number::text), 40)");
            statement.execute("alter table made drop number");
            statement.execute("delete from durable.activity_job");
            statement.execute("insert into durable.activity_job select * from made");
            statement.execute("analyze durable.activity_job");
        }
    }
}
