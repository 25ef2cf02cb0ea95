package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.store.contract.ListingContract;
import dev.durable.store.contract.StoreFixture;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Listings, views and functions where the planner goes parallel whenever it may, as it does by itself in a large database. */
@Tag("slow")
class ParallelPlanTest extends ListingContract {
    private static final int CAN_ASK_FOR_VALIDITY = 160_000;
    /** Jackson never writes the first three, but payloads are kept as their writer had them. */
    private static final List<String> ODD =
            List.of("\"a\\u0000b\"", "\"\\ud800\"", "{\"n\":1e999999}", "\"\\ud83d\\ude00\"", "[1,2]", "null");

    @Override
    protected StoreFixture newFixture() {
        return new PostgresFixture();
    }

    @BeforeEach
    void goParallel() {
        long version = version();
        String database = PostgresFixture.database().name();
        String debug = version >= CAN_ASK_FOR_VALIDITY ? "debug_parallel_query" : "force_parallel_mode";
        Sql.execute(PostgresFixture.pool(), """
                alter database %1$s set %2$s = on; alter database %1$s set parallel_setup_cost = 0;
                alter database %1$s set parallel_tuple_cost = 0; alter database %1$s set min_parallel_table_scan_size = 0;
                alter database %1$s set min_parallel_index_scan_size = 0;
                alter database %1$s set max_parallel_workers_per_gather = 2""".formatted(database, debug));
        reconnect();
    }

    @AfterEach
    void goAsUsual() {
        Sql.execute(
                PostgresFixture.pool(),
                "alter database " + PostgresFixture.database().name() + " reset all");
        reconnect();
    }

    private static long version() {
        return Sql.number(PostgresFixture.pool(), "select current_setting('server_version_num')");
    }

    /** Opens new connections, as settings of a database hold for new ones only. */
    private static void reconnect() {
        PostgresFixture.evict();
    }

    @ParameterizedTest
    @ValueSource(strings = {"v_workflow", "v_history", "v_activity", "v_queue", "v_dead_letter", "v_incident"})
    void every_view_answers(String view) {
        scheduled("order-1", 3);
        update(completed(claimJobs(session, 1).getFirst()));
        started("order-2");
        for (String odd : ODD) {
            start(newRun("odd-" + odd.hashCode()).started("{\"input\":" + odd + "}"));
        }

        assertThat(Sql.number(PostgresFixture.pool(), "select count(v::text) from durable." + view + " v"))
                .as("with every column of every row")
                .isNotNegative();
    }

    @Test
    void plans_are_parallel_indeed() {
        scheduled("order-1", 3);
        PGSimpleDataSource fresh =
                (PGSimpleDataSource) PostgresFixture.database().dataSource();
        String debug = version() >= CAN_ASK_FOR_VALIDITY ? "debug_parallel_query" : "force_parallel_mode";
        fresh.setOptions("-c " + debug + "=on -c parallel_setup_cost=0 -c parallel_tuple_cost=0"
                + " -c min_parallel_table_scan_size=0 -c max_parallel_workers_per_gather=2");
        assertThat(String.join("\n", Sql.column(fresh, "explain select e.type from durable.history_event e")))
                .contains("Workers Planned");
        assertThat(String.join("\n", Sql.column(fresh, "explain select v.attributes from durable.v_history v")))
                .as("a server that can't ask whether a text is readable reads it without workers")
                .matches(
                        version() >= CAN_ASK_FOR_VALIDITY
                                ? plan -> plan.contains("Workers Planned")
                                : plan -> !plan.contains("Workers Planned"));
    }

    @Test
    void what_jsonb_refuses_is_mended_or_comes_as_one_string() {
        assertThat(ODD.stream()
                        .map(odd -> Sql.column(
                                        PostgresFixture.pool(), "select durable.readable('" + odd + "'::json)::text")
                                .getFirst()))
                .containsExactly(
                        "\"a\ufffdb\"", "\"\ufffd\"", "{\"n\": \"1e999999\"}", "\"\ud83d\ude00\"", "[1, 2]", "null");
    }
}
