package dev.durable.internal.drive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.StoreUnavailableException;
import dev.durable.internal.observe.OutageLog;
import dev.durable.internal.observe.Tries;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.StoreOutageException;
import dev.durable.store.memory.VirtualClock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The pauses of a step that finds the database away. */
class PatientDriveTest {
    private static final Duration IDLE = Duration.ofMinutes(1);
    private final RuntimeException lost = StoreOutageException.ofOneConnection("cut, as the test wants it", null);
    private final RuntimeException full = StoreOutageException.ofAll("SQLSTATE 53100", "disk full", null);

    private final VirtualClock clock = new VirtualClock();
    private final Tries tries = new Tries(clock::nanoTime, UnaryOperator.identity());
    private final List<Step> added = new ArrayList<>();
    private final PatientDrive drive = new PatientDrive(
            new Added(),
            clock,
            new Random(42),
            new OutageLog(LoggerFactory.getLogger(PatientDriveTest.class), clock::nanoTime),
            tries);

    private final Deque<RuntimeException> failures = new ArrayDeque<>();
    private int cranks;
    private Duration patience = Duration.ofSeconds(5);
    private final Step step = patient(new Step() {
        @Override
        public Duration runOnce() {
            cranks++;
            if (!failures.isEmpty()) {
                throw failures.remove();
            }
            return IDLE;
        }

        @Override
        public Duration patience() {
            return patience;
        }
    });

    @Test
    void what_one_connection_has_lost_is_tried_again_at_once_on_another() throws Exception {
        failures.addAll(List.of(lost, new CommitUnknownException("in doubt, as the test wants it", null)));

        assertThat(step.runOnce()).isEqualTo(Step.AGAIN);
        assertThat(step.runOnce()).as("two in a row").isBetween(Duration.ofMillis(6), Duration.ofMillis(10));
        clock.advance(Duration.ofMillis(10));

        assertThat(step.runOnce()).isEqualTo(IDLE);
        failures.add(lost);
        assertThat(step.runOnce()).as("after an answer it begins anew").isEqualTo(Step.AGAIN);
    }

    @Test
    void a_server_that_refuses_all_is_asked_less_and_less_often() throws Exception {
        for (int i = 0; i < 1_000; i++) {
            failures.add(i % 2 == 0 ? full : new StoreUnavailableException("away"));
        }
        Duration first = step.runOnce();
        assertThat(first).isBetween(Duration.ofMillis(187), Duration.ofMillis(313));

        // Woken by slots that become free, a thousand times a second.
        for (int i = 0; i < 60_000; i++) {
            clock.advance(Duration.ofMillis(1));
            step.runOnce();
        }

        assertThat(cranks).as("tries within a minute").isBetween(14, 22);
    }

    @Test
    void connections_that_are_lost_without_end_are_waited_for_as_well() throws Exception {
        for (int i = 0; i < 1_000; i++) {
            failures.add(lost);
        }
        for (int i = 0; i < 60_000; i++) {
            step.runOnce();
            clock.advance(Duration.ofMillis(1));
        }

        assertThat(cranks).isBetween(20, 30);
    }

    @Test
    void a_step_with_a_lease_to_keep_does_not_wait_for_longer_than_it_may() throws Exception {
        patience = Duration.ofMillis(500);
        for (int i = 0; i < 20; i++) {
            failures.add(full);
        }
        for (int i = 0; i < 20; i++) {
            Duration pause = step.runOnce();
            assertThat(pause).isLessThanOrEqualTo(Duration.ofMillis(625));
            clock.advance(pause);
        }
    }

    @Test
    void what_one_step_has_lost_holds_up_no_other() throws Exception {
        Step other = patient(() -> IDLE);
        failures.addAll(List.of(full, full, full));
        step.runOnce();

        assertThat(other.runOnce()).isEqualTo(IDLE);
        assertThat(step.runOnce()).isLessThan(IDLE);
    }

    @Test
    void a_step_that_has_failed_at_every_try_for_a_minute_is_told_of_until_it_works() throws Exception {
        for (int i = 0; i < 60; i++) {
            failures.add(i == 30 ? full : new IllegalStateException("broken\nfor good"));
        }
        for (int i = 0; i < 60; i++) {
            assertThat(tries.lasting()).as("after " + i + " s").isEmpty();
            try {
                step.runOnce();
            } catch (IllegalStateException e) {
                assertThat(e).hasMessageStartingWith("broken");
            }
            clock.advance(Duration.ofSeconds(1));
        }

        assertThat(tries.lasting())
                .containsExactly(new Tries.Lasting(
                        "loop \"step-0\"",
                        "loop \"step-0\" has failed at every try for 60 s, 60 times, lately:"
                                + " java.lang.IllegalStateException: broken for good. Until a try succeeds its work is not"
                                + " done; nothing is lost. The log has the stack.",
                        false));
        step.runOnce();
        assertThat(tries.lasting()).isEmpty();
    }

    @Test
    void what_is_not_tried_any_more_is_forgotten_and_one_failure_is_none_that_lasts() throws Exception {
        failures.add(full);
        step.runOnce();
        clock.advance(Duration.ofMinutes(2));
        assertThat(tries.lasting()).as("failed once").isEmpty();
        tries.failed("the depth of queue gone", full);
        tries.failed("the depth of queue gone", full);
        clock.advance(Duration.ofMinutes(2));
        assertThat(tries.lasting()).hasSize(1);
        clock.advance(Duration.ofMinutes(4));
        assertThat(tries.lasting()).isEmpty();
        assertThat(tries.any()).isFalse();
    }

    private Step patient(Step whole) {
        drive.add("step-" + added.size(), Drive.Kind.IO, whole);
        return added.getLast();
    }

    /** Keeps what is added. */
    private final class Added implements Drive {
        @Override
        public Runnable add(String name, Kind kind, Step taken) {
            added.add(taken);
            return () -> {};
        }

        @Override
        public Executor activities(String taskQueue, boolean virtualThreads) {
            return Runnable::run;
        }

        @Override
        public <T> T await(CompletableFuture<T> future, Duration timeout) {
            return future.join();
        }

        @Override
        public void breathe() {}

        @Override
        public void start() {}

        @Override
        public long nanosSinceProgress() {
            return 0;
        }

        @Override
        public void close() {}
    }
}
