package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;

import dev.durable.Durable;
import dev.durable.Query;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.history.FirstTurnStarted;
import dev.durable.history.HistoryEvent;
import dev.durable.history.WorkflowStarted;
import dev.durable.store.RunIds;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** When the code of a run begins to run, what time it has then, and what it finds there. Run on each kind of store. */
abstract class FirstTurnTest {
    private static final Duration DAY = Duration.ofDays(1);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    @Workflow
    static class Approval {
        private boolean approved;
        private Instant begun = Instant.EPOCH;

        @Run
        public String run(Duration limit) {
            begun = Durable.now();
            return Durable.await(limit, () -> approved)
                    ? "approved at " + Durable.now()
                    : "timed out at " + Durable.now();
        }

        @Signal
        public void approve() {
            approved = true;
        }

        @Query
        public Instant begun() {
            return begun;
        }
    }

    /** Its first turn gives no command. */
    @Workflow
    static class Waiting {
        private boolean more;

        @Run
        public List<Instant> run() {
            Instant begun = Durable.now();
            Instant started = Durable.info().startedAt();
            Durable.await(() -> more);
            return List.of(started, begun);
        }

        @Signal
        public void more() {
            more = true;
        }
    }

    private WorkflowHandle<Approval, String> start(TestEngine engine, Duration delay, Duration limit) {
        engine.register(Approval.class, Waiting.class);
        return engine.client().start(Approval.class, StartOptions.id("a-1").startDelay(delay), w -> w.run(limit));
    }

    private static Instant started(WorkflowHandle<?, ?> run) {
        return ((WorkflowStarted) run.history().getFirst()).at();
    }

    /** "timed out" or "approved", and how long after the start. */
    private static void expect(WorkflowHandle<Approval, String> run, String what, Duration after) {
        String result = run.result();
        assertThat(result).startsWith(what + " at ");
        Instant at = Instant.parse(result.substring(what.length() + 4));
        assertThat(Duration.between(started(run), at)).isBetween(after, after.plusSeconds(30));
    }

    private static boolean hasFirstTurnStarted(WorkflowHandle<?, ?> run) {
        return run.history().stream().anyMatch(FirstTurnStarted.class::isInstance);
    }

    @Test
    void a_time_limit_counts_from_the_end_of_the_delay(TestEngine engine) {
        WorkflowHandle<Approval, String> run = start(engine, DAY, HOUR);
        expect(run, "timed out", DAY.plus(HOUR));
        assertThat(hasFirstTurnStarted(run)).isTrue();
    }

    @Test
    void a_signal_that_comes_during_the_delay_ends_it_and_is_there_at_the_first_turn(TestEngine engine) {
        WorkflowHandle<Approval, String> run = start(engine, DAY, HOUR);
        engine.advance(HOUR.multipliedBy(3));
        run.signal(Approval::approve);
        expect(run, "approved", HOUR.multipliedBy(3));
    }

    @Test
    void a_signal_that_comes_within_the_limit_behind_the_delay_counts(TestEngine engine) {
        WorkflowHandle<Approval, String> run = start(engine, DAY, HOUR);
        engine.advance(DAY.plus(MINUTE.multipliedBy(30)));
        run.signal(Approval::approve);
        expect(run, "approved", DAY.plus(MINUTE.multipliedBy(30)));
    }

    @Test
    void a_signal_that_comes_behind_the_limit_is_too_late(TestEngine engine) {
        WorkflowHandle<Approval, String> run = start(engine, DAY, HOUR);
        engine.advance(DAY.plus(HOUR).plus(MINUTE));
        expect(run, "timed out", DAY.plus(HOUR));
    }

    @Test
    void without_a_delay_the_limit_counts_from_the_start(TestEngine engine) {
        WorkflowHandle<Approval, String> run = start(engine, Duration.ZERO, HOUR);
        expect(run, "timed out", HOUR);
        assertThat(hasFirstTurnStarted(run)).isFalse();
    }

    @Test
    void without_a_delay_a_signal_within_the_limit_counts(TestEngine engine) {
        WorkflowHandle<Approval, String> run = start(engine, Duration.ZERO, HOUR);
        engine.advance(MINUTE);
        run.signal(Approval::approve);
        expect(run, "approved", MINUTE);
    }

    @Test
    void a_run_that_nobody_ran_for_a_while_has_its_limit_from_when_somebody_does(TestEngine engine) {
        WorkflowHandle<Approval, String> run = start(engine, MINUTE, HOUR);
        run.pause();
        engine.advance(DAY);
        run.resume();
        expect(run, "timed out", DAY.plus(HOUR));
    }

    @Test
    void a_signal_that_came_while_nobody_ran_it_is_there_when_somebody_does(TestEngine engine) {
        WorkflowHandle<Approval, String> run = start(engine, MINUTE, HOUR);
        run.pause();
        engine.advance(HOUR.multipliedBy(3));
        run.signal(Approval::approve);
        engine.advance(DAY);
        run.resume();
        expect(run, "approved", DAY.plus(HOUR.multipliedBy(3)));
    }

    @Test
    void messages_that_wait_precede_a_timer_that_is_due_as_it_is_started(TestEngine engine) {
        WorkflowHandle<Approval, String> run = start(engine, DAY, Duration.ofNanos(1_000));
        engine.advance(HOUR.multipliedBy(3));
        run.signal(Approval::approve);
        expect(run, "approved", HOUR.multipliedBy(3));
    }

    @Test
    void the_code_sees_the_time_of_its_first_turn_and_when_it_was_started(TestEngine engine) {
        engine.register(Waiting.class, Approval.class);
        WorkflowHandle<Waiting, List<Instant>> run =
                engine.client().start(Waiting.class, StartOptions.id("w-1").startDelay(DAY), Waiting::run);
        engine.advance(DAY.plus(HOUR));
        run.signal(Waiting::more);

        List<Instant> times = run.result();
        assertThat(times.getFirst()).isEqualTo(started(run));
        assertThat(Duration.between(times.getFirst(), times.getLast())).isBetween(DAY, DAY.plusSeconds(30));
        FirstTurnStarted first = (FirstTurnStarted) run.history().get(1);
        assertThat(first.at()).isEqualTo(times.getLast());
    }

    @Test
    void a_first_turn_without_a_command_keeps_its_time_when_the_run_is_rebuilt_later(TestEngine engine) {
        engine.register(Waiting.class, Approval.class);
        WorkflowHandle<Waiting, List<Instant>> run = engine.client().start(Waiting.class, "w-1", Waiting::run);
        engine.settle();
        run.pause();
        engine.advance(DAY);
        run.resume();
        run.signal(Waiting::more);

        List<Instant> times = run.result();
        assertThat(times.getLast()).isEqualTo(times.getFirst()).isEqualTo(started(run));
    }

    @Test
    void a_first_turn_without_a_command_behind_a_delay_keeps_its_time_when_the_run_is_rebuilt_later(TestEngine engine) {
        engine.register(Waiting.class, Approval.class);
        WorkflowHandle<Waiting, List<Instant>> run =
                engine.client().start(Waiting.class, StartOptions.id("w-1").startDelay(HOUR), Waiting::run);
        engine.advance(HOUR.plus(MINUTE));
        run.pause();
        engine.advance(DAY);
        run.resume();
        run.signal(Waiting::more);

        List<Instant> times = run.result();
        assertThat(times.getFirst()).isEqualTo(started(run));
        assertThat(Duration.between(times.getFirst(), times.getLast())).isBetween(HOUR, HOUR.plusSeconds(30));
    }

    @Test
    void a_run_timeout_counts_from_the_end_of_the_delay(TestEngine engine) {
        engine.register(Waiting.class, Approval.class);
        WorkflowHandle<Waiting, List<Instant>> run = engine.client()
                .start(
                        Waiting.class,
                        StartOptions.id("w-1").startDelay(HOUR).runTimeout(HOUR.multipliedBy(2)),
                        Waiting::run);
        engine.advance(HOUR.multipliedBy(4));
        HistoryEvent last = run.history().getLast();
        assertThat(last.type()).isEqualTo("WorkflowTimedOut");
        WorkflowStarted first = (WorkflowStarted) run.history().getFirst();
        // The caller counts the deadline, from the time that it gives to the run's id; from then on the database's
        // clock decides.
        Instant deadline = Objects.requireNonNull(first.runDeadline());
        assertThat(deadline.truncatedTo(ChronoUnit.MILLIS))
                .isEqualTo(RunIds.time(first.runId()).plus(HOUR.multipliedBy(3)));
        assertThat(last.at()).isBetween(deadline, deadline.plus(MINUTE));
    }
}
