package dev.durable.testing.conformance;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.Durable;
import dev.durable.Query;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Update;
import dev.durable.Workflow;
import dev.durable.WorkflowFailedException;
import dev.durable.WorkflowInfo;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowStatus;
import dev.durable.client.WorkflowSummary;
import dev.durable.history.WorkflowContinuedAsNew;
import dev.durable.testing.DurableTest;
import dev.durable.testing.TestEngine;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Runs that continue as new, as the feature lists of other engines name them; {@code docs/conformance.md}. */
@DurableTest
class ChainConformanceTest {
    private static final Duration HOUR = Duration.ofHours(1);

    /** Continues as new a number of times, an hour apart. */
    @Workflow
    static class Rounds {
        private int signals;

        @Run
        String run(int left, int signalsBefore) {
            signals += signalsBefore;
            WorkflowInfo info = Durable.info();
            Durable.sleep(HOUR);
            if (left > 0) {
                throw Durable.continueAsNew(Rounds.class, w -> w.run(left - 1, signals));
            }
            return info.headers().get("tenant") + " " + info.taskQueue() + " "
                    + info.continuedFrom().isPresent() + " " + signals;
        }

        @Signal
        void signal() {
            signals++;
        }

        @Query
        int signals() {
            return signals;
        }

        @Update
        UUID where() {
            return Durable.info().runId();
        }
    }

    private static WorkflowHandle<Rounds, String> rounds(TestEngine engine, int left) {
        engine.register(Rounds.class).queue("default", q -> {}).queue("other", q -> {});
        WorkflowHandle<Rounds, String> run = engine.client()
                .start(
                        Rounds.class,
                        StartOptions.id("r-1")
                                .taskQueue("other")
                                .memo("order", "42")
                                .header("tenant", "acme")
                                .executionTimeout(HOUR.multipliedBy(10)),
                        w -> w.run(left, 0));
        engine.settle();
        return run;
    }

    private static WorkflowSummary last(TestEngine engine) {
        return engine.client().handle("r-1").describe().summary();
    }

    @Test
    void queue_headers_and_memo_of_the_start_move_along(TestEngine engine) {
        assertThat(rounds(engine, 2).result()).isEqualTo("acme other true 0");
        assertThat(last(engine).memo()).containsEntry("order", "42");
    }

    @Test
    void each_run_has_its_own_history_and_says_which_came_before_and_after(TestEngine engine) {
        WorkflowHandle<Rounds, String> run = rounds(engine, 1);
        assertThat(run.result()).startsWith("acme");

        WorkflowSummary last = last(engine);
        WorkflowHandle<Rounds, ?> first =
                engine.client().handle(Rounds.class, "r-1", last.chain().firstRunId());
        assertThat(last.chain().previousRunId()).isEqualTo(last.chain().firstRunId());
        assertThat(first.describe().summary().chain().nextRunId()).isEqualTo(last.runId());
        assertThat(first.describe().summary().status()).isEqualTo(WorkflowStatus.CONTINUED_AS_NEW);
        assertThat(first.history().events(WorkflowContinuedAsNew.class)).hasSize(1);
    }

    @Test
    void the_execution_timeout_counts_from_the_first_start_over_all_runs(TestEngine engine) {
        Instant before = engine.now();
        WorkflowHandle<Rounds, String> run = rounds(engine, 100);

        assertThatThrownBy(run::result)
                .isInstanceOfSatisfying(
                        WorkflowFailedException.class,
                        e -> assertThat(e.status()).isEqualTo(WorkflowStatus.TIMED_OUT));
        assertThat(Duration.between(before, engine.now())).isBetween(HOUR.multipliedBy(10), HOUR.multipliedBy(11));
    }

    @Test
    void signals_of_all_runs_are_counted_and_a_query_reads_the_newest(TestEngine engine) {
        WorkflowHandle<Rounds, String> run = rounds(engine, 3);
        for (int i = 0; i < 3; i++) {
            run.signal(Rounds::signal);
            engine.advance(HOUR);
        }
        int seen = run.query(Rounds::signals);

        assertThat(seen).isEqualTo(3);
        assertThat(run.result()).isEqualTo("acme other true 3");
    }

    @Test
    void an_update_is_answered_by_the_run_that_is_open_then(TestEngine engine) {
        WorkflowHandle<Rounds, String> run = rounds(engine, 1);
        UUID first = run.update(Rounds::where);
        engine.advance(HOUR);
        UUID second = run.update(Rounds::where);

        assertThat(run.result()).startsWith("acme");
        assertThat(List.of(first, second))
                .containsExactly(last(engine).chain().firstRunId(), last(engine).runId());
    }

    @Test
    void a_request_to_cancel_that_comes_between_two_runs_reaches_the_open_one(TestEngine engine) {
        WorkflowHandle<Rounds, String> run = rounds(engine, 3);
        engine.advance(HOUR);
        run.cancel("enough");

        assertThatThrownBy(run::result)
                .isInstanceOfSatisfying(
                        WorkflowFailedException.class,
                        e -> assertThat(e.status()).isEqualTo(WorkflowStatus.CANCELLED));
        assertThat(last(engine).status()).isEqualTo(WorkflowStatus.CANCELLED);
    }
}
