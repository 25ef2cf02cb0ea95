package dev.durable.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.WorkflowNotFoundException;
import dev.durable.client.WorkflowStatus;
import dev.durable.internal.dispatch.ActivityBench;
import dev.durable.internal.drive.Step;
import dev.durable.store.RunKey;
import dev.durable.store.RunResult;
import dev.durable.store.contract.Seizures;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Clients that wait for runs which others close. */
class ResultWaitersTest {
    private final ActivityBench bench = new ActivityBench();
    private boolean told = true;
    private final ResultWaiters waiters = new ResultWaiters(bench.store, () -> told);

    @Test
    void a_run_nobody_told_of_is_found_though_others_are_told_of_all_the_time() {
        RunKey quiet = bench.schedule("[\"x\"]").run();
        RunKey loud = bench.schedule("[\"x\"]").run();
        CompletableFuture<RunResult> result = waiters.result(quiet.runId());
        var unused = waiters.result(loud.runId());
        waiters.runOnce();
        bench.memory.seize(Seizures.terminate(quiet));

        for (int i = 0; i < 100 && !result.isDone(); i++) {
            waiters.look(loud.runId());
            waiters.runOnce();
            bench.clock.advance(Duration.ofMillis(4));
        }

        assertThat(result).isDone();
    }

    @Test
    void while_ends_are_hinted_at_it_is_asked_less_often() {
        assertThat(pauseOfTheNext()).isEqualTo(Duration.ofMillis(4));

        RunKey hinted = waitedFor();
        waiters.runOnce();
        bench.memory.seize(Seizures.terminate(hinted));
        waiters.look(hinted.runId());
        waiters.runOnce();
        assertThat(waiters.size()).isZero();
        assertThat(pauseOfTheNext()).isEqualTo(Duration.ofMillis(32));

        RunKey unhinted = waitedFor();
        waiters.runOnce();
        bench.memory.seize(Seizures.terminate(unhinted));
        bench.clock.advance(Duration.ofMillis(32));
        waiters.runOnce();
        assertThat(waiters.size()).isZero();
        assertThat(pauseOfTheNext()).isEqualTo(Duration.ofMillis(4));
    }

    @Test
    void a_run_that_may_have_closed_long_ago_is_asked_for_at_once() {
        RunKey old = bench.schedule("[\"x\"]").run();
        bench.memory.seize(Seizures.terminate(old));
        bench.clock.advance(Duration.ofMillis(4));

        CompletableFuture<RunResult> result = waiters.result(old.runId());
        waiters.runOnce();

        assertThat(result).isDone();
    }

    @Test
    void a_run_that_has_just_begun_is_not_asked_for_at_once() {
        bench.clock.advance(Duration.ofMinutes(1));
        RunKey young = bench.schedule("[\"x\"]").run();
        bench.clock.advance(Duration.ofMillis(1));
        bench.faulty.before("closed", () -> {
            throw new AssertionError("asked");
        });

        var unused = waiters.result(young.runId());

        assertThat(waiters.runOnce()).as("when it is 4 ms old").isEqualTo(Duration.ofMillis(3));
    }

    @Test
    void a_run_that_was_said_to_have_closed_before_somebody_waited_is_asked_for_at_once() {
        RunKey young = bench.schedule("[\"x\"]").run();
        bench.memory.seize(Seizures.terminate(young));
        waiters.look(young.runId());

        CompletableFuture<RunResult> result = waiters.result(young.runId());
        waiters.runOnce();

        assertThat(result).isDone();
    }

    @Test
    void a_run_that_closed_here_before_somebody_waited_is_asked_for_at_once() {
        RunKey young = bench.schedule("[\"x\"]").run();
        bench.memory.seize(Seizures.terminate(young));
        waiters.closed(young.runId(), new RunResult(WorkflowStatus.TERMINATED, null, null));

        CompletableFuture<RunResult> result = waiters.result(young.runId());
        waiters.runOnce();

        assertThat(result).isDone();
    }

    @Test
    void where_nobody_tells_of_ends_the_youngest_run_is_asked_for_at_once() {
        told = false;
        RunKey young = bench.schedule("[\"x\"]").run();
        bench.memory.seize(Seizures.terminate(young));

        CompletableFuture<RunResult> result = waiters.result(young.runId());
        waiters.runOnce();

        assertThat(result).isDone();
    }

    @Test
    void who_begins_to_wait_for_old_runs_keeps_nobody_from_being_asked_for_in_time() {
        RunKey first = bench.schedule("[\"x\"]").run();
        CompletableFuture<RunResult> result = waiters.result(first.runId());
        waiters.runOnce();
        bench.memory.seize(Seizures.terminate(first));
        RunKey old = bench.schedule("[\"x\"]").run();

        for (int i = 0; i < 5; i++) {
            bench.clock.advance(Duration.ofMillis(2));
            var unused = waiters.result(old.runId());
            waiters.runOnce();
        }

        assertThat(result).as("within 10 ms").isDone();
    }

    @Test
    void who_waits_for_a_run_that_is_not_there_any_more_is_told_so_at_the_second_look() {
        CompletableFuture<RunResult> lost = waiters.result(UUID.randomUUID());
        CompletableFuture<RunResult> open =
                waiters.result(bench.schedule("[\"x\"]").run().runId());
        waiters.runOnce();
        bench.clock.advance(Duration.ofSeconds(5));
        waiters.runOnce();
        assertThat(lost).as("it may be a look that went wrong").isNotDone();
        bench.clock.advance(Duration.ofSeconds(5));
        waiters.runOnce();

        assertThat(lost)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(WorkflowNotFoundException.class)
                .withMessageContaining(
                        "is not in the store any more, so it has no result. It was there when this wait began."
                                + " Usual cause: the database was restored to an earlier time");
        assertThat(open).isNotDone();
        assertThat(waiters.size()).isOne();
    }

    private RunKey waitedFor() {
        RunKey run = bench.schedule("[\"x\"]").run();
        var unused = waiters.result(run.runId());
        return run;
    }

    /** Returns the pause between the first two reads for a waiter. */
    private Duration pauseOfTheNext() {
        RunKey run = waitedFor();
        Duration pause = waiters.runOnce();
        waiters.closed(run.runId(), new RunResult(WorkflowStatus.TERMINATED, null, null));
        return pause;
    }

    @Test
    void who_gives_up_is_asked_for_no_longer_and_the_others_still_are() {
        RunKey run = bench.schedule("[\"x\"]").run();
        CompletableFuture<RunResult> impatient = waiters.result(run.runId());
        CompletableFuture<RunResult> patient = waiters.result(run.runId());

        impatient.cancel(false);
        assertThat(waiters.size()).isEqualTo(1);
        bench.memory.seize(Seizures.terminate(run));
        bench.clock.advance(Duration.ofMillis(4));
        waiters.runOnce();
        assertThat(patient).isDone();

        RunKey other = bench.schedule("[\"x\"]").run();
        waiters.result(other.runId()).cancel(false);
        assertThat(waiters.size()).isZero();
        assertThat(waiters.runOnce()).isEqualTo(Step.UNTIL_WOKEN);
    }

    /** Runs close on other threads between the answer of a condition and its next check. */
    @Test
    void a_condition_that_is_waited_for_is_not_forgotten_while_runs_close() throws InterruptedException {
        AtomicBoolean over = new AtomicBoolean();
        List<Thread> closers = Stream.generate(() -> Thread.ofPlatform().start(() -> {
                    while (!over.get()) {
                        waiters.closed(UUID.randomUUID(), new RunResult(WorkflowStatus.COMPLETED, null, null));
                    }
                }))
                .limit(2)
                .toList();
        AtomicBoolean holds = new AtomicBoolean();
        CompletableFuture<?> wanted = waiters.until(holds::get);
        crank(TimeUnit.SECONDS.toNanos(1), () -> false);
        holds.set(true);
        crank(TimeUnit.SECONDS.toNanos(60), wanted::isDone);
        over.set(true);
        for (Thread closer : closers) {
            closer.join();
        }
        assertThat(wanted).isDone();
    }

    private void crank(long nanos, BooleanSupplier enough) {
        long end = System.nanoTime() + nanos;
        while (System.nanoTime() - end < 0 && !enough.getAsBoolean()) {
            waiters.runOnce();
        }
    }
}
