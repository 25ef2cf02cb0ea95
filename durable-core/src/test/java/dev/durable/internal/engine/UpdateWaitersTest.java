package dev.durable.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.client.WaitFor;
import dev.durable.internal.dispatch.ActivityBench;
import dev.durable.internal.drive.Step;
import dev.durable.store.Reply;
import dev.durable.store.RunKey;
import dev.durable.store.contract.Seizures;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Callers that wait for updates of runs here and elsewhere. */
class UpdateWaitersTest {
    private final ActivityBench bench = new ActivityBench();
    private boolean nudges;
    private final UpdateWaiters waiters = new UpdateWaiters(bench.store, () -> nudges, run -> false);
    private final RunKey run = bench.schedule("[\"x\"]").run();

    private Reply.Question question() {
        return new Reply.Question(run, UUID.randomUUID(), Reply.idOf("u-1"));
    }

    @Test
    void a_caller_that_gives_up_leaves_nothing_behind() {
        CompletableFuture<Reply.State> first = waiters.state(question(), WaitFor.COMPLETED);
        CompletableFuture<Reply.State> second = waiters.state(question(), WaitFor.COMPLETED);
        assertThat(waiters.size()).isEqualTo(2);

        first.cancel(false);
        second.cancel(false);

        assertThat(waiters.size()).isZero();
        assertThat(waiters.runOnce()).isEqualTo(Step.UNTIL_WOKEN);
    }

    @Test
    void a_transition_of_this_process_answers_those_whose_update_it_answers() {
        Reply.Question mine = question();
        Reply.Question rejected = question();
        CompletableFuture<Reply.State> answer = waiters.state(mine, WaitFor.COMPLETED);
        CompletableFuture<Reply.State> accepted = waiters.state(mine, WaitFor.ACCEPTED);
        CompletableFuture<Reply.State> refused = waiters.state(rejected, WaitFor.COMPLETED);

        waiters.written(run, List.of(mine.message()), List.of());
        assertThat(accepted).isDone();
        assertThat(answer).isNotDone();

        waiters.written(
                run, List.of(), List.of(new Reply(rejected.message(), Reply.Kind.REJECTED, "{\"type\":\"Bad\"}")));
        assertThat(refused.join().reply().kind()).isEqualTo(Reply.Kind.REJECTED);
        assertThat(answer).as("a rejection of another message").isNotDone();

        waiters.written(run, List.of(), List.of(new Reply(mine.answer(), Reply.Kind.COMPLETED, "1")));
        assertThat(answer.join().reply().body()).isEqualTo("1");
        assertThat(waiters.size()).isZero();
    }

    @Test
    void one_query_asks_for_all_callers_less_and_less_often_and_finds_that_the_run_has_closed() {
        List<CompletableFuture<Reply.State>> answers =
                List.of(waiters.state(question(), WaitFor.COMPLETED), waiters.state(question(), WaitFor.COMPLETED));
        assertThat(waiters.runOnce()).isEqualTo(Duration.ofMillis(10));
        for (int i = 0; i < 20; i++) {
            waiters.runOnce();
            bench.clock.advance(Duration.ofSeconds(1));
        }
        assertThat(waiters.runOnce()).isEqualTo(Duration.ofSeconds(1));
        assertThat(answers).noneMatch(CompletableFuture::isDone);

        bench.memory.seize(Seizures.terminate(run));
        bench.clock.advance(Duration.ofSeconds(1));
        waiters.runOnce();

        assertThat(answers)
                .allMatch(answer -> !answer.join().open() && answer.join().reply() == null);
    }

    @Test
    void a_nudge_has_the_answers_of_its_run_read_at_once_and_while_nudges_arrive_polls_are_rare() {
        nudges = true;
        CompletableFuture<Reply.State> answer = waiters.state(question(), WaitFor.COMPLETED);
        assertThat(waiters.runOnce()).isEqualTo(Duration.ofMillis(100));
        bench.memory.seize(Seizures.terminate(run));

        waiters.look(UUID.randomUUID());
        waiters.runOnce();
        assertThat(answer).as("a nudge of another run").isNotDone();
        waiters.look(run.runId());
        waiters.runOnce();

        assertThat(answer.join().open()).isFalse();
    }

    @Test
    void a_nudge_that_comes_before_its_caller_waits_is_not_lost() {
        nudges = true;
        bench.memory.seize(Seizures.terminate(run));
        waiters.look(run.runId());

        CompletableFuture<Reply.State> answer = waiters.state(question(), WaitFor.COMPLETED);
        waiters.runOnce();

        assertThat(answer.join().open()).isFalse();
    }

    @Test
    void an_answer_of_this_process_that_comes_before_its_caller_waits_is_not_lost() {
        nudges = true;
        bench.memory.seize(Seizures.terminate(run));
        waiters.written(run, List.of(UUID.randomUUID()), List.of());

        CompletableFuture<Reply.State> answer = waiters.state(question(), WaitFor.COMPLETED);
        waiters.runOnce();

        assertThat(answer).isDone();
    }

    @Test
    void answers_that_come_together_before_their_callers_wait_are_not_lost() {
        nudges = true;
        bench.memory.seize(Seizures.terminate(run));
        waiters.written(run, List.of(UUID.randomUUID(), UUID.randomUUID()), List.of());

        for (int i = 0; i < 2; i++) {
            CompletableFuture<Reply.State> answer = waiters.state(question(), WaitFor.COMPLETED);
            waiters.runOnce();
            assertThat(answer).isDone();
        }
    }

    @Test
    void callers_of_an_engine_that_closes_are_told_so() {
        CompletableFuture<Reply.State> before = waiters.state(question(), WaitFor.COMPLETED);
        waiters.close();
        CompletableFuture<Reply.State> after = waiters.state(question(), WaitFor.COMPLETED);

        assertThatThrownBy(before::join).isNotNull();
        assertThatThrownBy(after::join).isNotNull();
        assertThat(waiters.size()).isZero();
    }
}
