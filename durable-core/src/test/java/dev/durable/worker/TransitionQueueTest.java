package dev.durable.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.store.RunKey;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Which lane writes what waits. */
class TransitionQueueTest {
    private long now;
    private final TransitionQueue queue = new TransitionQueue(100, () -> now);
    private final TransitionQueue.Seat first = queue.seat();
    private final TransitionQueue.Seat second = queue.seat();
    private final List<String> woken = new ArrayList<>();

    TransitionQueueTest() {
        first.onWork(() -> woken.add("first"));
        second.onWork(() -> woken.add("second"));
    }

    @Test
    void what_comes_while_nobody_works_wakes_one_lane_which_takes_it() {
        TransitionLane.Entry entry = added(1).getFirst();

        assertThat(woken).containsExactly("first");
        assertThat(first.take()).containsExactly(entry);
        assertThat(first.take()).isEmpty();
        assertThat(first.pause()).isEqualTo(Step.UNTIL_WOKEN);
    }

    @Test
    void what_comes_while_a_lane_commits_is_its_next_batch() {
        firstIsAtWork();
        List<TransitionLane.Entry> next = added(3);

        assertThat(second.take()).as("the other lane leaves it").isEmpty();
        assertThat(first.take()).isEqualTo(next);
    }

    @Test
    void a_crowd_is_a_batch_for_the_second_lane() {
        firstIsAtWork();
        added(TransitionQueue.CROWD - 1);
        assertThat(second.take()).isEmpty();
        woken.clear();

        added(1);

        assertThat(woken).containsExactly("second");
        assertThat(second.take()).hasSize(TransitionQueue.CROWD);
    }

    @Test
    void the_second_lane_is_woken_once_to_watch_and_not_for_each_that_comes() {
        firstIsAtWork();
        woken.clear();

        added(1);
        second.take();
        added(10);

        assertThat(woken).containsExactly("second");
        assertThat(second.pause()).isEqualTo(TransitionQueue.PATIENCE);
    }

    @Test
    void who_waits_for_a_lane_that_does_not_come_back_is_taken_by_the_other() {
        firstIsAtWork();
        List<TransitionLane.Entry> late = added(2);
        second.take();
        assertThat(second.take()).as("woken too soon").isEmpty();

        now += TransitionQueue.PATIENCE.toNanos();
        assertThat(second.take()).as("after its pause").isEqualTo(late);
    }

    @Test
    void nobody_counts_on_a_lane_that_does_not_come_back_until_it_is_back() {
        firstIsAtWork();
        added(1);
        second.take();
        now += TransitionQueue.PATIENCE.toNanos();
        second.take();
        second.take();
        woken.clear();

        List<TransitionLane.Entry> next = added(1);
        assertThat(woken).containsExactly("second");
        assertThat(second.take()).as("at once").isEqualTo(next);

        added(1);
        assertThat(first.take()).as("back, and the second is at work").isEmpty();
        assertThat(first.pause()).isEqualTo(TransitionQueue.PATIENCE);
    }

    @Test
    void a_lane_that_came_back_meanwhile_is_waited_for_anew() {
        firstIsAtWork();
        added(1);
        second.take();
        first.take();
        List<TransitionLane.Entry> next = added(1);
        now += TransitionQueue.PATIENCE.toNanos();

        assertThat(second.take()).isEmpty();
        assertThat(second.pause()).isEqualTo(TransitionQueue.PATIENCE);
        assertThat(first.take()).isEqualTo(next);
    }

    @Test
    void nothing_waits_any_more_so_nobody_watches() {
        firstIsAtWork();
        added(1);
        second.take();
        first.take();

        assertThat(second.take()).isEmpty();
        assertThat(second.pause()).isEqualTo(Step.UNTIL_WOKEN);
    }

    @Test
    void when_both_commit_nobody_is_woken_and_who_comes_back_first_takes_it() {
        firstIsAtWork();
        added(TransitionQueue.CROWD);
        second.take();
        woken.clear();
        List<TransitionLane.Entry> next = added(1);

        assertThat(woken).isEmpty();
        assertThat(second.take()).as("the first is at work").isEmpty();
        assertThat(first.take()).isEqualTo(next);
    }

    @Test
    void batches_are_bounded() {
        List<TransitionLane.Entry> all = added(130);

        assertThat(first.take()).isEqualTo(all.subList(0, 100));
        assertThat(second.take()).as("no crowd is left").isEmpty();
        assertThat(first.take()).isEqualTo(all.subList(100, 130));
    }

    @Test
    void two_of_one_run_go_into_batches_of_their_own() {
        UUID run = UUID.randomUUID();
        List<TransitionLane.Entry> all =
                Stream.of(run, UUID.randomUUID(), run).map(this::added).toList();

        assertThat(first.take()).isEqualTo(all.subList(0, 2));
        assertThat(first.take()).isEqualTo(all.subList(2, 3));
    }

    private void firstIsAtWork() {
        added(1);
        first.take();
    }

    private List<TransitionLane.Entry> added(int count) {
        return IntStream.range(0, count).mapToObj(i -> added(UUID.randomUUID())).toList();
    }

    private TransitionLane.Entry added(UUID run) {
        TransitionLane.Entry entry = new TransitionLane.Entry(
                Closings.nothing(new RunKey(run, "order-1"), UUID.randomUUID(), UUID.randomUUID(), 1, null, null));
        queue.add(entry);
        return entry;
    }
}
