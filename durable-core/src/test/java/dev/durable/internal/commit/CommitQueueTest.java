package dev.durable.internal.commit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.internal.drive.Drive;
import dev.durable.internal.drive.Step;
import dev.durable.internal.drive.ThreadDrive;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The choice of the lane that writes waiting entries. */
class CommitQueueTest {
    private static final int CROWD = 64;
    private static final int SHARE = 4;

    private long now;
    private final CommitQueue turns = new CommitQueue(() -> now);
    private final CommitQueue.Line<Item> line = turns.<Item>mainLine(100, CROWD).withBatchesOfDistinct(Item::run);
    private final CommitQueue.Seat<Item> first = line.seat();
    private final CommitQueue.Seat<Item> second = line.seat();
    private final CommitQueue.Line<Item> sideLine = turns.sideLine(100, CROWD, SHARE);
    private final CommitQueue.Seat<Item> side = sideLine.seat();
    private final CommitQueue.Line<Item> otherSideLine = turns.sideLine(100, CROWD, SHARE);
    private final CommitQueue.Seat<Item> otherSide = otherSideLine.seat();
    private final List<String> woken = new ArrayList<>();
    private int runs;

    private record Item(String run, int number) {}

    CommitQueueTest() {
        first.onWork(() -> woken.add("first"));
        second.onWork(() -> woken.add("second"));
        side.onWork(() -> woken.add("side"));
        otherSide.onWork(() -> woken.add("other side"));
    }

    // ── lanes of one line ────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void what_comes_while_nobody_works_wakes_one_lane_which_takes_it() {
        Item item = added(1).getFirst();

        assertThat(woken).containsExactly("first");
        assertThat(first.take()).containsExactly(item);
        assertThat(first.take()).isEmpty();
        assertThat(first.pause()).isEqualTo(Step.UNTIL_WOKEN);
    }

    @Test
    void what_comes_while_a_lane_commits_is_its_next_batch() {
        firstIsAtWork();
        List<Item> next = added(3);

        assertThat(second.take()).as("the other lane leaves it").isEmpty();
        assertThat(first.take()).isEqualTo(next);
    }

    @Test
    void a_crowd_is_a_batch_for_the_second_lane() {
        firstIsAtWork();
        added(CROWD - 1);
        assertThat(second.take()).isEmpty();
        woken.clear();

        added(1);

        assertThat(woken).containsExactly("second");
        assertThat(second.take()).hasSize(CROWD);
    }

    @Test
    void the_second_lane_is_woken_once_to_watch_and_not_for_each_that_comes() {
        firstIsAtWork();
        woken.clear();

        added(1);
        second.take();
        added(10);

        assertThat(woken).containsExactly("second");
        assertThat(second.pause()).isEqualTo(CommitQueue.PATIENCE);
    }

    @Test
    void who_waits_for_a_lane_that_does_not_come_back_is_taken_by_the_other() {
        firstIsAtWork();
        List<Item> late = added(2);
        second.take();
        assertThat(second.take()).as("woken too soon").isEmpty();

        patiencePasses();
        assertThat(second.take()).as("after its pause").isEqualTo(late);
    }

    @Test
    void nobody_counts_on_a_lane_that_does_not_come_back_until_it_is_back() {
        firstIsAtWork();
        added(1);
        second.take();
        patiencePasses();
        second.take();
        second.take();
        woken.clear();

        List<Item> next = added(1);
        assertThat(woken).containsExactly("second");
        assertThat(second.take()).as("at once").isEqualTo(next);

        added(1);
        assertThat(first.take()).as("back, and the second is at work").isEmpty();
        assertThat(first.pause()).isEqualTo(CommitQueue.PATIENCE);
    }

    @Test
    void a_lane_that_came_back_meanwhile_is_waited_for_anew() {
        firstIsAtWork();
        added(1);
        second.take();
        first.take();
        List<Item> next = added(1);
        patiencePasses();

        assertThat(second.take()).isEmpty();
        assertThat(second.pause()).isEqualTo(CommitQueue.PATIENCE);
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
        added(CROWD);
        second.take();
        woken.clear();
        List<Item> next = added(1);

        assertThat(woken).isEmpty();
        assertThat(second.take()).as("the first is at work").isEmpty();
        assertThat(first.take()).isEqualTo(next);
    }

    @Test
    void batches_are_bounded() {
        List<Item> all = added(130);

        assertThat(first.take()).isEqualTo(all.subList(0, 100));
        assertThat(second.take()).as("no crowd is left").isEmpty();
        assertThat(first.take()).isEqualTo(all.subList(100, 130));
    }

    @Test
    void what_a_bounded_batch_leaves_wakes_the_other_lane_to_take_it_or_to_watch() {
        added(130);
        woken.clear();
        first.take();
        assertThat(woken).as("for 30").containsExactly("second");
        assertThat(second.take()).isEmpty();
        assertThat(second.pause()).isEqualTo(CommitQueue.PATIENCE);

        added(CROWD - 30);
        assertThat(woken).as("for a crowd").containsExactly("second", "second");
        assertThat(second.take()).hasSize(CROWD);
    }

    @Test
    void two_of_one_run_go_into_batches_of_their_own() {
        List<Item> all = Stream.of(new Item("a", 1), new Item("b", 1), new Item("a", 2))
                .peek(line::add)
                .toList();

        assertThat(first.take()).isEqualTo(all.subList(0, 2));
        assertThat(first.take()).isEqualTo(all.subList(2, 3));
    }

    // ── side lines ───────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_side_line_goes_at_once_where_the_main_one_rests() {
        Item item = addedAside(1).getFirst();

        assertThat(woken).containsExactly("side");
        assertThat(side.take()).containsExactly(item);
    }

    @Test
    void beside_the_main_line_a_side_line_goes_with_its_share_of_the_largest_batch_there() {
        added(70);
        first.take();
        added(80);
        second.take();
        woken.clear();

        addedAside(1);
        assertThat(side.take()).isEmpty();
        addedAside(18);
        assertThat(side.take()).isEmpty();
        assertThat(woken).as("once, to watch").containsExactly("side");
        addedAside(1);

        assertThat(woken).containsExactly("side", "side");
        assertThat(side.take()).as("a quarter of 80").hasSize(20);
    }

    @Test
    void beside_few_a_side_line_goes_with_whatever_it_has() {
        added(SHARE);
        first.take();

        addedAside(1);

        assertThat(side.take()).hasSize(1);
    }

    @Test
    void a_side_line_that_holds_back_is_woken_when_the_main_one_rests() {
        List<Item> held = heldBackForTheFirst();
        woken.clear();

        first.take();

        assertThat(woken).containsExactly("side");
        assertThat(side.take()).isEqualTo(held);
    }

    @Test
    void a_side_line_that_holds_back_is_woken_when_a_smaller_main_batch_makes_it_a_crowd() {
        List<Item> held = heldBackForTheFirst();
        woken.clear();

        added(8);
        first.take();

        assertThat(woken).contains("side");
        assertThat(side.take()).isEqualTo(held);
    }

    @Test
    void two_lanes_of_a_side_line_hold_back_for_each_other_as_those_of_the_main_one() {
        CommitQueue.Seat<Item> beside = sideLine.seat();
        addedAside(40);
        side.take();

        addedAside(CROWD - 1);
        assertThat(beside.take()).as("a share of its own line is no crowd").isEmpty();
        addedAside(1);
        assertThat(beside.take()).hasSize(CROWD);
    }

    @Test
    void a_side_line_that_holds_back_is_not_woken_while_another_main_lane_is_at_work() {
        added(80);
        first.take();
        added(80);
        second.take();
        addedAside(2);
        side.take();
        woken.clear();

        first.take();

        assertThat(woken).isEmpty();
        assertThat(side.pause()).isEqualTo(CommitQueue.PATIENCE);
    }

    @Test
    void a_side_line_waits_no_longer_than_its_patience_though_the_main_one_comes_back_again_and_again() {
        List<Item> held = heldBackForTheFirst();
        now += 1;
        added(80);
        first.take();

        now += CommitQueue.PATIENCE.toNanos() - 1;

        assertThat(side.take()).isEqualTo(held);
        added(1);
        assertThat(second.take())
                .as("the first came back meanwhile, so it is counted on")
                .isEmpty();
    }

    @Test
    void a_main_lane_that_does_not_come_back_holds_up_nobody() {
        added(80);
        first.take();
        addedAside(1);
        side.take();
        patiencePasses();
        side.take();
        side.take();
        woken.clear();

        List<Item> next = addedAside(1);

        assertThat(woken).containsExactly("side");
        assertThat(side.take()).isEqualTo(next);
        List<Item> more = added(1);
        assertThat(second.take()).isEqualTo(more);
    }

    @Test
    void side_lines_do_not_hold_back_for_each_other_nor_the_main_one_for_them() {
        addedAside(80);
        side.take();

        List<Item> aside = added(otherSideLine, 1);
        List<Item> next = added(1);

        assertThat(otherSide.take()).isEqualTo(aside);
        assertThat(first.take()).isEqualTo(next);
    }

    // ── threads ──────────────────────────────────────────────────────────────────────────────────────────────────────

    /** Nothing is polled here: an entry that is overlooked waits until the test's timeout. */
    @Test
    @Timeout(60)
    void nobody_is_overlooked_whoever_adds_takes_or_rests_meanwhile() throws Exception {
        CommitQueue real = new CommitQueue(System::nanoTime);
        List<CommitQueue.Line<CompletableFuture<Void>>> all =
                List.of(real.mainLine(16, 8), real.sideLine(16, 8, SHARE), real.sideLine(16, 8, SHARE));
        try (ThreadDrive drive = new ThreadDrive(UnaryOperator.identity())) {
            for (CommitQueue.Line<CompletableFuture<Void>> each : all) {
                lane(drive, each);
                lane(drive, each);
            }
            drive.start();
            List<Thread> clients = IntStream.range(0, 24)
                    .mapToObj(i -> Thread.startVirtualThread(() -> {
                        for (int n = 0; n < 2_000; n++) {
                            CompletableFuture<Void> item = new CompletableFuture<>();
                            all.get((i + n) % all.size()).add(item);
                            item.join();
                        }
                    }))
                    .toList();
            for (Thread client : clients) {
                client.join();
            }
        }
    }

    private static void lane(Drive drive, CommitQueue.Line<CompletableFuture<Void>> line) {
        CommitQueue.Seat<CompletableFuture<Void>> seat = line.seat();
        seat.onWork(drive.add("lane", Drive.Kind.IO, () -> {
            List<CompletableFuture<Void>> batch = seat.take();
            batch.forEach(item -> item.complete(null));
            return batch.isEmpty() ? seat.pause() : Step.AGAIN;
        }));
    }

    private void patiencePasses() {
        now += CommitQueue.PATIENCE.toNanos();
    }

    /** Two on the side, too few beside the eighty that the first lane writes. */
    private List<Item> heldBackForTheFirst() {
        added(80);
        first.take();
        List<Item> held = addedAside(2);
        side.take();
        return held;
    }

    private void firstIsAtWork() {
        added(1);
        first.take();
    }

    private List<Item> added(int count) {
        return added(line, count);
    }

    private List<Item> addedAside(int count) {
        return added(sideLine, count);
    }

    private List<Item> added(CommitQueue.Line<Item> line, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> new Item("run-" + ++runs, 1))
                .peek(line::add)
                .toList();
    }
}
