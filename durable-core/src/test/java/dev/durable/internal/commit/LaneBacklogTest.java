package dev.durable.internal.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.StoreUnavailableException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The items that callers leave waiting while the store is away. */
@Timeout(60)
class LaneBacklogTest {
    private static final int SIZE = 100_000;
    private static final int SENDS = 10_000;

    private final List<String> written = new ArrayList<>();
    private boolean away = true;
    private final Lane<String, String> lane = new Lane<>(
            "messages",
            new CommitQueue(System::nanoTime)
                    .<Lane.Entry<String, String>>mainLine(256, 1)
                    .withWeights(entry -> entry.item().length()),
            this::write);

    private List<String> write(List<String> batch) {
        if (away) {
            throw new StoreUnavailableException("away");
        }
        written.addAll(batch);
        return batch;
    }

    @Test
    void callers_that_give_up_and_come_again_leave_no_more_than_the_backlog() {
        int refused = 0;
        List<CompletableFuture<String>> kept = new ArrayList<>();
        for (int i = 0; i < SENDS; i++) {
            CompletableFuture<String> sent = lane.offer(text(i));
            refused += sent.isCompletedExceptionally() ? 1 : 0;
            if (i % 2 == 0) {
                sent.cancel(false);
            } else {
                kept.add(sent);
            }
            assertThat(lane.held()).isLessThan(HeapShare.backlog() + SIZE);
        }

        int fit = (int) Math.ceilDiv(HeapShare.backlog(), SIZE);
        assertThat(kept.stream().filter(sent -> !sent.isDone())).hasSize(Math.min(fit, SENDS / 2));
        assertThat(refused).isPositive();
    }

    @Test
    void the_refusal_says_what_waits_and_what_to_do() {
        while (lane.held() < HeapShare.backlog()) {
            assertThat(lane.offer(text(0))).isNotDone();
        }
        assertThatThrownBy(lane.offer(text(1))::join)
                .hasCauseInstanceOf(StoreUnavailableException.class)
                .cause()
                .hasMessage("messages: " + (HeapShare.backlog() >> 20)
                        + " MiB already wait in this process to be written, so this was not sent. Usually the database is"
                        + " away or overloaded, and callers go on sending. Send again later; fewer at a time, or a larger"
                        + " heap, help where the database is well.");
    }

    @Test
    void what_was_given_up_is_not_written_when_the_store_is_back() {
        CompletableFuture<String> first = lane.offer("first");
        CompletableFuture<String> given = lane.offer("given up");
        CompletableFuture<String> last = lane.offer("last");
        given.cancel(false);
        given.cancel(false);
        away = false;

        lane.runOnce();

        assertThat(written).containsExactly("first", "last");
        assertThat(first).isCompletedWithValue("first");
        assertThat(last).isCompletedWithValue("last");
        assertThat(lane.held()).isZero();
    }

    @Test
    void what_a_batch_has_taken_is_not_given_up() {
        CompletableFuture<String> sent = lane.offer("sent");
        assertThatThrownBy(lane::runOnce).isInstanceOf(StoreUnavailableException.class);
        sent.cancel(false);
        away = false;

        lane.runOnce();

        assertThat(written).containsExactly("sent");
        assertThat(lane.held()).isZero();
    }

    @Test
    void a_hundred_thousand_that_give_up_do_not_look_for_one_another() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadCpuTime();
        List<CompletableFuture<String>> sent = new ArrayList<>();
        for (int i = 0; i < 150_000; i++) {
            sent.add(lane.offer("short"));
        }
        sent.reversed().forEach(each -> each.cancel(false));
        assertThat(lane.held()).isZero();
        assertThat(Duration.ofNanos(threads.getCurrentThreadCpuTime() - before))
                .as("of the thread's own time")
                .isLessThan(Duration.ofSeconds(5));
    }

    private static String text(int i) {
        return String.valueOf((char) ('a' + i % 26)).repeat(SIZE);
    }
}
