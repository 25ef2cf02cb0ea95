package dev.durable.internal.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.ConflictPolicy;
import dev.durable.ReusePolicy;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.EventJson;
import dev.durable.history.Payload;
import dev.durable.history.StoredEvent;
import dev.durable.history.WorkflowStarted;
import dev.durable.history.WorkflowTimedOut;
import dev.durable.internal.dispatch.ActivityBench;
import dev.durable.internal.drive.PollPace;
import dev.durable.internal.observe.FailureLog;
import dev.durable.internal.observe.Tries;
import dev.durable.store.NewRun;
import dev.durable.store.RunIds;
import dev.durable.store.RunKey;
import dev.durable.store.contract.FaultyStore.Fault;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Runs whose time is over. */
class RunTimeoutsTest {
    private final ActivityBench bench = new ActivityBench();
    private final Timeouts timeouts = new Timeouts(
            bench.store,
            new Timeouts.Kinds(
                    most -> 0,
                    most -> 0,
                    new RunTimeouts(
                            bench.store,
                            UUID::randomUUID,
                            run -> {},
                            new FailureLog("", bench.clock::nanoTime, failure -> null))),
            new PollPace(ActivityBench.POLL, bench.random),
            UnaryOperator.identity(),
            new Tries(System::nanoTime, UnaryOperator.identity()));

    @Test
    void a_run_past_its_deadline_is_ended_with_the_count_of_messages_it_never_handled() {
        RunKey run = start(bench.clock.now().plusSeconds(60));
        bench.signal(run);
        bench.signal(run);

        ActivityBench.crank(timeouts);
        assertThat(status(run)).isEqualTo(WorkflowStatus.RUNNING);
        bench.clock.advance(Duration.ofSeconds(60));
        ActivityBench.crank(timeouts);

        assertThat(status(run)).isEqualTo(WorkflowStatus.TIMED_OUT);
        StoredEvent last = bench.memory.history(run.runId(), 1, 100).getLast();
        assertThat(EventJson.decode(last)).isEqualTo(new WorkflowTimedOut(2, bench.clock.now(), 2));
    }

    @Test
    void a_run_that_nobody_began_by_its_expiry_says_that_it_expired() {
        RunKey expired = start(null, bench.clock.now().plusSeconds(60));
        RunKey timedOut = start(bench.clock.now().plusSeconds(60), null);
        bench.clock.advance(Duration.ofSeconds(60));
        ActivityBench.crank(timeouts);

        assertThat(status(expired)).isEqualTo(WorkflowStatus.TIMED_OUT);
        assertThat(bench.memory.run(expired.runId()).orElseThrow().failure())
                .contains("it expired: no worker had begun it by the time that its start allowed");
        assertThat(bench.memory.run(timedOut.runId()).orElseThrow().failure()).isNull();
    }

    @Test
    void runs_without_a_deadline_live() {
        RunKey run = start(null);
        bench.clock.advance(Duration.ofDays(1000));

        ActivityBench.crank(timeouts);

        assertThat(status(run)).isEqualTo(WorkflowStatus.RUNNING);
    }

    @Test
    void a_lost_answer_is_no_harm_and_a_database_that_is_away_is_waited_for() {
        RunKey first = start(bench.clock.now().plusSeconds(1));
        RunKey second = start(bench.clock.now().plusSeconds(1));
        bench.clock.advance(Duration.ofSeconds(2));
        bench.faulty.next("seize", Fault.DONE_BUT_UNKNOWN);
        bench.faulty.next("expiredRuns", Fault.UNAVAILABLE);

        assertThat(ActivityBench.crank(timeouts)).isPositive();
        ActivityBench.crank(timeouts);
        ActivityBench.crank(timeouts);

        assertThat(status(first)).isEqualTo(WorkflowStatus.TIMED_OUT);
        assertThat(status(second)).isEqualTo(WorkflowStatus.TIMED_OUT);
        assertThat(bench.memory.history(first.runId(), 1, 100)).hasSize(2);
    }

    private WorkflowStatus status(RunKey run) {
        return bench.memory.run(run.runId()).orElseThrow().status();
    }

    private RunKey start(Instant deadline) {
        return start(deadline, null);
    }

    private RunKey start(Instant deadline, Instant expiresAt) {
        String workflowId = "order-" + bench.random.nextInt();
        RunKey run = new RunKey(RunIds.create(bench.clock.now(), workflowId, bench.random.nextLong()), workflowId);
        bench.memory.start(List.of(new NewRun(
                run,
                "OrderWorkflow",
                ActivityBench.QUEUE,
                UUID.randomUUID(),
                NewRun.FirstTurn.later(
                        List.of(EventJson.encode(new WorkflowStarted(
                                1,
                                bench.clock.now(),
                                workflowId,
                                run.runId(),
                                "OrderWorkflow",
                                ActivityBench.QUEUE,
                                new Payload("[]"),
                                0,
                                deadline,
                                Map.of(),
                                false,
                                null,
                                null))),
                        Duration.ZERO),
                new NewRun.Policies(ReusePolicy.ALLOW_DUPLICATE, ConflictPolicy.FAIL, List.of()),
                new NewRun.Deadlines(deadline, expiresAt),
                Map.of(),
                null,
                null)));
        return run;
    }
}
