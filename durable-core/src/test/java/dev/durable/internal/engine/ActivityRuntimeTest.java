package dev.durable.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.ActivityContext;
import dev.durable.CancelledException;
import dev.durable.history.ActivityCancelled;
import dev.durable.history.ActivityCompleted;
import dev.durable.internal.attempt.Attempt;
import dev.durable.internal.dispatch.ActivityBench;
import dev.durable.internal.dispatch.QueueSettings;
import dev.durable.internal.drive.Drive;
import dev.durable.internal.engine.EngineSettings.Limits;
import dev.durable.internal.observe.Telemetry;
import dev.durable.internal.payload.PayloadCodec;
import dev.durable.observe.EngineObserver;
import dev.durable.store.ClaimedJob;
import dev.durable.store.JobKey;
import dev.durable.store.NewJob;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The activity side put together: eager jobs, and how it stops. Bodies have threads of their own, time is virtual. */
@Timeout(120)
class ActivityRuntimeTest {
    private static final Duration GRACE = Duration.ofSeconds(10);

    private final ActivityBench bench = new ActivityBench();
    private final CrankDrive drive = new CrankDrive(bench.clock);
    private final CountDownLatch running = new CountDownLatch(1);
    private final CountDownLatch go = new CountDownLatch(1);
    private final AtomicReference<ActivityContext> context = new AtomicReference<>();
    private final ActivityRuntime activities = new ActivityRuntime(
            bench.store,
            new ActivitySetup(
                    new EngineSettings(
                            "me",
                            Map.of(ActivityBench.QUEUE, new QueueSettings(2, false, null, 1)),
                            Limits.DEFAULT,
                            true,
                            false,
                            new PayloadCodec(10_000),
                            EngineSettings.Errors.DEFAULT),
                    bench.host.code(),
                    Set.of(ActivityBench.ACTIVITY),
                    Set.of(),
                    UUID::randomUUID,
                    new Telemetry(EngineObserver.NONE, bench.clock)),
            drive,
            bench.lane,
            outcome -> false);

    @BeforeEach
    void start() {
        bench.session.close();
        activities.start();
        drive.add("jobs", Drive.Kind.IO, bench.lane);
    }

    @AfterEach
    void letBodiesEnd() throws InterruptedException {
        go.countDown();
        for (Thread body : drive.bodies) {
            body.join(TimeUnit.SECONDS.toMillis(60));
        }
    }

    // ── eager jobs ───────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_slot_is_reserved_for_activities_of_this_process_only() {
        assertThat(activities.reserve("elsewhere", ActivityBench.ACTIVITY)).isEmpty();
        assertThat(activities.reserve(ActivityBench.QUEUE, "Other.run")).isEmpty();
        assertThat(reserve()).isPresent();
        assertThat(reserve()).isPresent();
        assertThat(reserve()).as("two slots").isEmpty();
    }

    @Test
    void a_reservation_that_comes_to_nothing_gives_its_slot_back() {
        NewJob.Lease first = reserve().orElseThrow();
        reserve();

        activities.cancel(first);

        assertThat(reserve()).isPresent();
        assertThatThrownBy(() -> activities.cancel(first)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void a_job_that_is_born_claimed_is_run_by_this_process() throws Exception {
        NewJob.Lease lease = reserve().orElseThrow();
        assertThat(lease.session()).isEqualTo(activities.session());
        JobKey key = bench.schedule("[\"x\"]", lease);

        activities.start(claimed(key, lease));
        join();
        drive.crank();

        assertThat(bench.outcome(key)).isInstanceOf(ActivityCompleted.class);
    }

    @Test
    void a_body_is_told_at_once_when_a_run_of_this_process_cancels_it() throws Exception {
        JobKey key = begin(() -> {
            while (!context.get().cancelRequested()) {
                Thread.onSpinWait();
            }
            context.get().heartbeat(null);
        });

        activities.cancelRequested(key);
        join();
        drive.crank();

        assertThat(bench.outcome(key)).isInstanceOf(ActivityCancelled.class);
    }

    @Test
    void a_nudge_wakes_the_workers_of_all_queues() throws Exception {
        JobKey key = bench.schedule("[\"x\"]");
        activities.wake(ActivityBench.QUEUE);

        drive.crank();
        join();
        drive.crank();

        assertThat(bench.outcome(key)).isInstanceOf(ActivityCompleted.class);
    }

    // ── drain ────────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_drain_with_nothing_to_do_takes_no_time() {
        Instant before = bench.clock.now();

        activities.drain(GRACE);
        activities.close();

        assertThat(bench.clock.now()).isEqualTo(before);
        assertThat(bench.memory.sessions()).isEmpty();
    }

    @Test
    void while_draining_nothing_is_claimed_and_nothing_begins() throws Exception {
        NewJob.Lease lease = reserve().orElseThrow();
        JobKey born = bench.schedule("[\"x\"]", lease);
        drive.eachRound(() -> {
            if (bench.state(born).equals("running 1")) {
                activities.start(claimed(born, lease));
            }
        });
        activities.drain(GRACE);
        JobKey queued = bench.schedule("[\"x\"]");

        drive.crank();

        assertThat(reserve()).isEmpty();
        assertThat(bench.state(born)).isEqualTo("ready 1");
        assertThat(bench.state(queued)).isEqualTo("ready 1");
        assertThat(drive.bodies).isEmpty();
    }

    @Test
    void what_was_claimed_but_not_begun_is_given_back_at_once_and_never_begins() throws Exception {
        drive.busy();
        bench.body = argument -> {
            throw new AssertionError("it ran");
        };
        JobKey key = bench.schedule("[\"x\"]");
        drive.crank();
        assertThat(bench.state(key)).isEqualTo("running 1");
        Instant before = bench.clock.now();

        activities.drain(GRACE);
        drive.bodies.getFirst().start();
        join();
        drive.crank();

        assertThat(bench.state(key)).isEqualTo("ready 1");
        assertThat(bench.clock.now()).isEqualTo(before);
    }

    @Test
    void a_running_attempt_gets_the_grace_to_end() throws Exception {
        JobKey key = begin(() -> go.await());
        Instant before = bench.clock.now();
        drive.eachRound(() -> {
            if (bench.clock.now().equals(before.plusSeconds(9))) {
                go.countDown();
                join();
            }
        });

        activities.drain(GRACE);

        assertThat(bench.outcome(key)).isInstanceOf(ActivityCompleted.class);
        assertThat(bench.clock.now()).isEqualTo(before.plusSeconds(9));
    }

    @Test
    void past_the_grace_a_body_is_interrupted_and_another_worker_goes_on_from_its_last_details() throws Exception {
        JobKey key = begin(
                () -> {
                    context.get().heartbeat("row 1");
                    context.get().heartbeat("row 2");
                },
                go::await);
        drive.eachRound(() -> {
            if (context.get().cancelRequested()) {
                join();
            }
        });

        activities.drain(GRACE);
        activities.close();

        assertThat(bench.state(key)).as("no attempt is used").isEqualTo("ready 1 \"row 2\"");
        assertThat(bench.memory.sessions()).isEmpty();
    }

    @Test
    void what_began_and_was_given_back_by_a_shutdown_is_not_late_to_start_and_what_never_began_is() throws Exception {
        bench.options =
                bench.with(bench.options.startToClose(), Duration.ofMinutes(1), null, null, bench.options.retry());
        JobKey began = begin(() -> context.get().heartbeat("row 1"), go::await);
        JobKey never = bench.schedule("[\"y\"]");
        drive.eachRound(() -> {
            if (context.get().cancelRequested()) {
                join();
            }
        });

        activities.drain(GRACE);
        activities.close();
        bench.clock.advance(Duration.ofHours(1));
        bench.memory.timeOutWaiting(10);

        assertThat(bench.state(began)).isEqualTo("ready 1 \"row 1\"");
        assertThat(bench.state(never)).isEqualTo("gone");
    }

    @Test
    void details_told_after_the_interrupt_still_count() throws Exception {
        JobKey key = begin(() -> context.get().heartbeat("row 2"), () -> {
            assertThatThrownBy(go::await).isInstanceOf(InterruptedException.class);
            assertThatThrownBy(() -> context.get().heartbeat("row 3")).isInstanceOf(CancelledException.class);
            throw new IllegalStateException("whatever a body makes of an interrupt");
        });
        drive.eachRound(() -> {
            if (context.get().cancelRequested()) {
                join();
            }
        });

        activities.drain(GRACE);

        assertThat(bench.state(key)).isEqualTo("ready 1 \"row 3\"");
    }

    @Test
    void a_body_that_ignores_its_interrupt_is_given_back_all_the_same() throws Exception {
        JobKey key = begin(() -> context.get().heartbeat("row 1"), () -> {
            while (go.getCount() > 0) {
                Thread.onSpinWait();
            }
        });
        Instant before = bench.clock.now();

        activities.drain(GRACE);

        assertThat(bench.state(key)).isEqualTo("ready 1 \"row 1\"");
        assertThat(bench.clock.now()).isEqualTo(before.plus(GRACE).plus(Attempt.INTERRUPT_GRACE));
    }

    @Test
    void a_drain_ends_also_when_the_database_does_not_answer() throws Exception {
        bench.away("update", 1_000);
        JobKey key = begin(() -> {});
        join();
        Instant before = bench.clock.now();

        activities.drain(GRACE);

        assertThat(bench.state(key)).isEqualTo("running 1");
        assertThat(bench.clock.now()).isAfterOrEqualTo(before.plus(GRACE));
    }

    private interface Body {
        void run() throws Exception;
    }

    /** Schedules a job and waits until its body runs. */
    private JobKey begin(Body body) throws InterruptedException {
        return begin(() -> {}, body);
    }

    /** As above; the first part of the body has been run as well. */
    private JobKey begin(Body first, Body body) throws InterruptedException {
        bench.body = argument -> {
            context.set(ActivityContext.current());
            first.run();
            running.countDown();
            body.run();
            return "done";
        };
        JobKey key = bench.schedule("[\"x\"]");
        drive.crank();
        assertThat(running.await(60, TimeUnit.SECONDS)).isTrue();
        return key;
    }

    private void join() {
        try {
            for (Thread body : drive.bodies) {
                body.join(TimeUnit.SECONDS.toMillis(60));
                assertThat(body.isAlive()).isFalse();
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private Optional<NewJob.Lease> reserve() {
        return activities.reserve(ActivityBench.QUEUE, ActivityBench.ACTIVITY);
    }

    private ClaimedJob claimed(JobKey key, NewJob.Lease lease) {
        return bench.claimed(key, lease);
    }
}
