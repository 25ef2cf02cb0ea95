package dev.durable.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.store.BuildRamps.Ramp;
import dev.durable.store.BuildRamps.Share;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** How ramps divide the runs of a task queue between builds. */
class BuildRampsTest {
    private static BuildRamps ramps(Set<String> alive, Ramp... lastFirst) {
        return new BuildRamps(List.of(lastFirst), Map.of("default", alive));
    }

    private static Share share(int from, int to) {
        return new Share(from, to, false);
    }

    @Test
    void a_build_gets_its_percentage_and_those_without_a_ramp_the_rest() {
        BuildRamps ramps = ramps(Set.of("blue", "green", ""), new Ramp("green", 25));

        assertThat(ramps.of("default", "green")).isEqualTo(share(0, 256));
        assertThat(ramps.of("default", "blue")).isEqualTo(share(256, 1024));
        assertThat(ramps.of("default", null)).isEqualTo(share(256, 1024));
    }

    @Test
    void each_shard_belongs_to_one_of_the_ramped_builds_or_to_the_rest() {
        BuildRamps ramps =
                ramps(Set.of("blue", "green", "red"), new Ramp("red", 10), new Ramp("green", 100), new Ramp("old", 50));

        assertThat(ramps.of("default", "red")).isEqualTo(share(0, 102));
        assertThat(ramps.of("default", "green")).as("clipped").isEqualTo(share(102, 1024));
        assertThat(ramps.of("default", "blue")).isEqualTo(share(1024, 1024));
    }

    @Test
    void a_ramp_of_a_build_without_a_process_in_the_queue_counts_for_nothing_there() {
        BuildRamps ramps = ramps(Set.of("blue"), new Ramp("green", 100));

        assertThat(ramps.of("default", "blue")).isEqualTo(Share.ALL);
        assertThat(ramps.of("other", "blue")).isEqualTo(Share.ALL);
    }

    @Test
    void what_is_left_goes_to_the_ramp_that_was_set_first_where_all_builds_have_one() {
        BuildRamps ramps = ramps(Set.of("green", "red"), new Ramp("red", 10), new Ramp("green", 20));

        assertThat(ramps.of("default", "red")).isEqualTo(share(0, 102));
        assertThat(ramps.of("default", "green")).isEqualTo(share(102, 1024));
    }

    @Test
    void a_build_at_zero_gets_nothing_also_where_it_is_alone() {
        BuildRamps ramps = ramps(Set.of("green"), new Ramp("green", 0));

        assertThat(ramps.of("default", "green")).isEqualTo(new Share(0, 0, true));
        assertThat(ramps.of("default", "blue")).isEqualTo(Share.ALL);
    }
}
