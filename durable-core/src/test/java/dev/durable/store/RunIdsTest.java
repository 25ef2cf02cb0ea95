package dev.durable.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class RunIdsTest {
    private static final Instant AT = Instant.parse("2026-07-01T12:00:00.123Z");

    @Test
    void a_run_id_is_a_uuid_of_version_seven_that_tells_its_time() {
        UUID id = RunIds.create(AT, "order-42", 0x1234_5678_9ABC_DEF0L);

        assertThat(id.version()).isEqualTo(7);
        assertThat(id.variant()).isEqualTo(2);
        assertThat(RunIds.time(id)).isEqualTo(AT);
    }

    @Test
    void both_ids_of_a_run_tell_the_same_shard() {
        for (int i = 0; i < 1000; i++) {
            String workflowId = "order-" + i;
            assertThat(RunIds.shard(RunIds.create(AT, workflowId, -1L - i))).isEqualTo(RunIds.shardOf(workflowId));
        }
    }

    @Test
    void an_id_that_is_no_runs_has_its_time_and_the_bits_that_it_was_given() {
        UUID id = RunIds.inTimeOrder(AT, new UUID(-1, -1));

        assertThat(id.version()).isEqualTo(7);
        assertThat(id.variant()).isEqualTo(2);
        assertThat(RunIds.time(id)).isEqualTo(AT);
        assertThat(id.toString()).endsWith("-7fff-bfff-ffffffffffff");
        assertThat(RunIds.inTimeOrder(AT, new UUID(0, 0)).toString()).endsWith("-7000-8000-000000000000");
    }

    @Test
    void ids_made_later_sort_behind_earlier_ones() {
        assertThat(RunIds.ORDER.compare(
                        RunIds.create(AT, "order-42", -1), RunIds.create(AT.plusMillis(1), "order-1", 0)))
                .isNegative();
    }
}
