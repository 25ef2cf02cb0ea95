package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.store.contract.StoreContract;
import dev.durable.store.contract.StoreFixture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Tests how many pages the view of activities reads for a run with many of them. */
class LongRunViewTest extends StoreContract {
    private static final Pattern PAGES = Pattern.compile("Buffers: shared hit=(\\d+)(?: read=(\\d+))?");

    @Override
    protected StoreFixture newFixture() {
        return new PostgresFixture();
    }

    @Test
    void it_reads_pages_in_proportion_to_the_activities_of_the_run() {
        started("order-1");
        addActivities(1, 250);
        long few = pagesRead();
        addActivities(251, 2_000);

        assertThat(pagesRead())
                .as("pages for 2,000 activities; for 250 it was %s", few)
                .isLessThan(16 * few);
    }

    private static void addActivities(int from, int to) {
        Sql.execute(PostgresFixture.pool(), """
                insert into durable.history_event (run_id, event_id, at, shard, type, attributes)
                select w.run_id, 2 * i + k, now(), w.shard,
                       case k when 0 then 'ActivityScheduled' else 'ActivityCompleted' end,
                       json_build_object('seq', i, 'activity', 'A.b', 'attempt', 1, 'taskQueue', 'q', 'input', '[]')
                  from durable.workflow_run w, generate_series(%d, %d) i, generate_series(0, 1) k
                """.formatted(from, to));
        Sql.execute(PostgresFixture.pool(), "update durable.run_state set next_event_id = " + (2 * to + 2));
        Sql.execute(PostgresFixture.pool(), "analyze durable.history_event");
    }

    /** The pages of the uppermost node, which comes first and counts those below it. */
    private static long pagesRead() {
        String plan = String.join(
                "\n",
                Sql.column(
                        PostgresFixture.pool(),
                        "explain (analyze, buffers) select * from durable.v_activity where workflow_id = 'order-1'"));
        Matcher pages = PAGES.matcher(plan);
        assertThat(pages.find()).as(plan).isTrue();
        return Long.parseLong(pages.group(1)) + (pages.group(2) == null ? 0 : Long.parseLong(pages.group(2)));
    }
}
