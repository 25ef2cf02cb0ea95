package dev.durable.internal.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.internal.drive.Deadlines;
import dev.durable.store.JobUpdate.Outcome;
import dev.durable.store.memory.VirtualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** The details that go to the store, and how often they go. */
class HeartbeatSenderTest {
    private final VirtualClock clock = new VirtualClock();
    private final Deadlines deadlines = new Deadlines(clock, UnaryOperator.identity());
    private final List<String> sent = new ArrayList<>();
    private final List<Reports.Answer> answers = new ArrayList<>();
    private final List<Outcome> heard = new ArrayList<>();
    private final HeartbeatSender heartbeats =
            new HeartbeatSender(Duration.ofSeconds(8), deadlines, this::send, heard::add);

    @Test
    void the_first_goes_at_once_and_of_those_that_follow_only_the_newest_when_the_window_opens() {
        heartbeats.tell("1");
        answer(Outcome.ACCEPTED);
        heartbeats.tell("2");
        heartbeats.tell("3");
        assertThat(sent).containsExactly("1");

        pass(Duration.ofSeconds(7));
        assertThat(sent).containsExactly("1");
        pass(Duration.ofSeconds(1));

        assertThat(sent).containsExactly("1", "3");
        assertThat(heartbeats.latest()).isEqualTo("3");
    }

    @Test
    void a_body_that_tells_nothing_new_sends_nothing() {
        heartbeats.tell("1");
        answer(Outcome.ACCEPTED);

        pass(Duration.ofMinutes(1));

        assertThat(sent).containsExactly("1");
    }

    @Test
    void a_checkpoint_goes_at_once_and_is_done_when_it_is_durable() {
        heartbeats.tell("1");
        answer(Outcome.ACCEPTED);

        CompletableFuture<Outcome> durable = heartbeats.checkpoint("2");

        assertThat(sent).containsExactly("1", "2");
        assertThat(durable).isNotDone();
        answer(Outcome.ACCEPTED);
        assertThat(durable).isCompletedWithValue(Outcome.ACCEPTED);
    }

    @Test
    void one_is_under_way_at_a_time_and_a_checkpoint_waits_for_its_own_answer() {
        heartbeats.tell("1");
        CompletableFuture<Outcome> durable = heartbeats.checkpoint("2");
        assertThat(sent).containsExactly("1");

        answer(Outcome.ACCEPTED);
        assertThat(durable).as("that was the answer to the one before").isNotDone();
        assertThat(sent).containsExactly("1", "2");

        answer(Outcome.ACCEPTED);
        assertThat(durable).isDone();
    }

    @Test
    void checkpoints_of_several_threads_share_a_send() {
        heartbeats.tell("1");
        CompletableFuture<Outcome> a = heartbeats.checkpoint("2");
        CompletableFuture<Outcome> b = heartbeats.checkpoint("3");
        answer(Outcome.ACCEPTED);
        answer(Outcome.ACCEPTED);

        assertThat(sent).containsExactly("1", "3");
        assertThat(a).isDone();
        assertThat(b).isDone();
    }

    @Test
    void after_the_end_nothing_is_sent_and_nobody_waits() {
        CompletableFuture<Outcome> underWay = heartbeats.checkpoint("1");
        CompletableFuture<Outcome> next = heartbeats.checkpoint("2");
        assertThat(heartbeats.checkpointWaits()).isTrue();

        heartbeats.stop();
        answer(Outcome.ACCEPTED);
        heartbeats.tell("3");
        pass(Duration.ofMinutes(1));

        assertThat(sent).containsExactly("1");
        assertThat(underWay).isCompletedWithValue(Outcome.STALE);
        assertThat(next).isCompletedWithValue(Outcome.STALE);
        assertThat(heartbeats.latest()).as("the last details go with the end").isEqualTo("3");
    }

    @Test
    void what_the_store_says_is_heard_and_what_it_refuses_reaches_the_checkpoint() {
        CompletableFuture<Outcome> refused = heartbeats.checkpoint("1");
        answers.getLast().hear(null, new IllegalArgumentException("too large"));
        CompletableFuture<Outcome> accepted = heartbeats.checkpoint("2");
        answer(Outcome.CANCEL_REQUESTED);

        assertThat(refused).isCompletedExceptionally();
        assertThat(accepted).isCompleted();
        assertThat(heard).containsExactly(Outcome.CANCEL_REQUESTED);
    }

    private void send(String details, Reports.Answer answer) {
        sent.add(details);
        answers.add(answer);
    }

    private void answer(Outcome outcome) {
        answers.getLast().hear(outcome, null);
    }

    private void pass(Duration time) {
        clock.advance(time);
        deadlines.runOnce();
    }
}
