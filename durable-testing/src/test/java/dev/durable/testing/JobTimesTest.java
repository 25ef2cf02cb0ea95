package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.ActivityTimedOutException;
import dev.durable.DeferException;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.WorkflowFailedException;
import dev.durable.client.ActivityHandle;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.ActivityScheduled;
import dev.durable.history.ActivityTimedOut;
import dev.durable.history.TimeoutType;
import dev.durable.history.WorkflowStarted;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** From when a job's times count, and when it has begun; run on each kind of store. */
abstract class JobTimesTest {
    private static final Duration DELAY = Duration.ofSeconds(40);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    /** Its limits are shorter than the delays here. */
    @Activity(scheduleToStart = "10s", scheduleToClose = "20s")
    interface Brief {
        void run();
    }

    @Activity(scheduleToStart = "700ms")
    interface Hasty {
        void run();
    }

    /** Goes on where it was when it gave itself back. */
    @Activity(scheduleToStart = "5m", retry = @Retry(initialInterval = "10m", maxInterval = "10m", jitter = 0))
    interface Import {
        int rows();
    }

    /** No worker has it. */
    @Activity
    interface Elsewhere {
        void work();

        @Activity(scheduleToStart = "10s")
        void soon();

        @Activity(scheduleToClose = "10s")
        void whole();
    }

    @Workflow
    static class Importing {
        private final Import rows;

        Importing(Import rows) {
            this.rows = rows;
        }

        @Run
        int run() {
            return rows.rows();
        }
    }

    private final List<Instant> scheduled = Collections.synchronizedList(new ArrayList<>());

    private void remember() {
        scheduled.add(ActivityContext.current().info().scheduledAt());
    }

    private static Instant endOfDelay(ActivityHandle job, Duration delay) {
        return ((WorkflowStarted) job.history().getFirst()).at().plus(delay).truncatedTo(ChronoUnit.MICROS);
    }

    private static TimeoutType timeout(ActivityHandle job) {
        return job.history()
                .events(ActivityTimedOut.class)
                .findFirst()
                .orElseThrow()
                .timeout();
    }

    // ── a delay is taken off once ────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_delayed_job_that_expires_after_its_delay_is_called(TestEngine engine) {
        engine.activity(Brief.class, this::remember);
        engine.client();
        StartOptions delayed = StartOptions.id("job-1")
                .startDelay(DELAY)
                .expiresAt(engine.now().plusSeconds(60));
        ActivityHandle job = engine.client().enqueue(Brief.class, delayed, Brief::run);
        engine.advance(Duration.ofSeconds(30));
        assertThat(scheduled).isEmpty();
        job.await();
        assertThat(scheduled).hasSize(1);
    }

    @Test
    void timeouts_shorter_than_the_delay_count_from_its_end(TestEngine engine) {
        engine.activity(Brief.class, this::remember);
        engine.client()
                .enqueue(Brief.class, StartOptions.id("job-1").startDelay(DELAY), Brief::run)
                .await();
        assertThat(scheduled).hasSize(1);
    }

    @Test
    void a_timeout_shorter_than_a_delay_of_less_than_a_second_counts_from_its_end(TestEngine engine) {
        engine.activity(Hasty.class, this::remember);
        Duration moment = Duration.ofMillis(900);
        ActivityHandle job =
                engine.client().enqueue(Hasty.class, StartOptions.id("job-1").startDelay(moment), Hasty::run);
        engine.advance(MINUTE);
        job.await();
        assertThat(scheduled).hasSize(1);
    }

    @Test
    void a_delayed_job_counts_as_scheduled_at_the_end_of_its_delay(TestEngine engine) {
        engine.activity(Brief.class, this::remember);
        ActivityHandle job =
                engine.client().enqueue(Brief.class, StartOptions.id("job-1").startDelay(DELAY), Brief::run);
        job.await();
        assertThat(scheduled)
                .singleElement()
                .satisfies(at -> assertThat(at.truncatedTo(ChronoUnit.MICROS)).isEqualTo(endOfDelay(job, DELAY)));
    }

    @Test
    void timeouts_of_a_delayed_job_end_it_that_long_after_its_delay(TestEngine engine) {
        ActivityHandle soon = engine.client()
                .enqueue(Elsewhere.class, StartOptions.id("job-1").startDelay(DELAY), Elsewhere::soon);
        ActivityHandle whole = engine.client()
                .enqueue(Elsewhere.class, StartOptions.id("job-2").startDelay(DELAY), Elsewhere::whole);
        engine.advance(Duration.ofSeconds(42));
        assertThat(soon.describe().summary().status()).isEqualTo(WorkflowStatus.RUNNING);
        engine.advance(Duration.ofSeconds(20));
        assertThat(timeout(soon)).isEqualTo(TimeoutType.SCHEDULE_TO_START);
        assertThat(timeout(whole)).isEqualTo(TimeoutType.SCHEDULE_TO_CLOSE);
    }

    @Test
    void an_expiry_is_the_time_that_was_said_and_says_so(TestEngine engine) {
        engine.client();
        Instant expiry = engine.now().plusSeconds(60).truncatedTo(ChronoUnit.MILLIS);
        StartOptions delayed = StartOptions.id("job-1").startDelay(DELAY).expiresAt(expiry);
        ActivityHandle job = engine.client().enqueue(Elsewhere.class, delayed, Elsewhere::work);
        engine.advance(Duration.ofSeconds(50));
        assertThat(job.describe().summary().status()).isEqualTo(WorkflowStatus.RUNNING);
        assertThat(job.history()
                        .events(ActivityScheduled.class)
                        .findFirst()
                        .orElseThrow()
                        .options()
                        .expiresAt())
                .isEqualTo(expiry);
        engine.advance(Duration.ofSeconds(20));
        assertThatThrownBy(job::await)
                .isInstanceOf(WorkflowFailedException.class)
                .hasCauseInstanceOf(ActivityTimedOutException.class)
                .hasMessageEndingWith(
                        ": Elsewhere.work (activity 1) expired at " + expiry + ": no worker had begun it by then");
        assertThat(timeout(job)).isEqualTo(TimeoutType.EXPIRY);
        ActivityTimedOut end =
                job.history().events(ActivityTimedOut.class).findFirst().orElseThrow();
        assertThat(end.at()).isBetween(expiry, expiry.plusSeconds(10));
    }

    @Test
    void of_expiry_and_schedule_to_start_the_earlier_one_ends_a_job(TestEngine engine) {
        engine.client();
        StartOptions late = StartOptions.id("job-1").expiresAt(engine.now().plus(MINUTE));
        StartOptions early = StartOptions.id("job-2").expiresAt(engine.now().plusSeconds(5));
        ActivityHandle byTimeout = engine.client().enqueue(Elsewhere.class, late, Elsewhere::soon);
        ActivityHandle byExpiry = engine.client().enqueue(Elsewhere.class, early, Elsewhere::soon);
        engine.advance(Duration.ofSeconds(30));
        assertThat(timeout(byTimeout)).isEqualTo(TimeoutType.SCHEDULE_TO_START);
        assertThat(timeout(byExpiry)).isEqualTo(TimeoutType.EXPIRY);
    }

    // ── what has begun does not expire ───────────────────────────────────────────────────────────────────────────────

    private void defers(TestEngine engine) {
        engine.register(Importing.class).activity(Import.class, () -> {
            ActivityContext activity = ActivityContext.current();
            int from = activity.heartbeatDetails(Integer.class).orElse(0);
            activity.heartbeat(from + 1);
            if (from < 2) {
                throw new DeferException(Duration.ofMinutes(10));
            }
            return from + 1;
        });
    }

    @Test
    void a_job_that_began_and_was_given_back_by_its_body_goes_on_after_its_expiry(TestEngine engine) {
        defers(engine);
        engine.client();
        StartOptions soon = StartOptions.id("job-1").expiresAt(engine.now().plus(MINUTE));
        ActivityHandle job = engine.client().enqueue(Import.class, soon, Import::rows);
        assertThat(job.resultAs(Integer.class)).isEqualTo(3);
    }

    @Test
    void an_activity_of_a_workflow_that_began_and_was_given_back_is_not_late_to_start(TestEngine engine) {
        defers(engine);
        WorkflowHandle<Importing, Integer> run = engine.client().start(Importing.class, "i-1", Importing::run);
        assertThat(run.result()).isEqualTo(3);
    }

    @Test
    void an_attempt_that_failed_and_waits_for_its_retry_has_begun(TestEngine engine) {
        List<Integer> attempts = Collections.synchronizedList(new ArrayList<>());
        engine.activity(Import.class, () -> {
            attempts.add(ActivityContext.current().info().attempt());
            if (attempts.size() == 1) {
                throw new IllegalStateException("the file is away");
            }
            return 7;
        });
        engine.client();
        StartOptions soon = StartOptions.id("job-1").expiresAt(engine.now().plus(MINUTE));
        ActivityHandle job = engine.client().enqueue(Import.class, soon, Import::rows);
        assertThat(job.resultAs(Integer.class)).isEqualTo(7);
        assertThat(attempts).containsExactly(1, 2);
    }

    @Test
    void an_operator_who_changes_the_times_of_what_has_begun_does_not_end_it(TestEngine engine) {
        defers(engine);
        engine.client();
        StartOptions soon = StartOptions.id("job-1").expiresAt(engine.now().plus(MINUTE));
        ActivityHandle job = engine.client().enqueue(Import.class, soon, Import::rows);
        engine.advance(Duration.ofSeconds(30));
        engine.client().activity("job-1", 1).updateOptions(o -> o.scheduleToStart(Duration.ofMinutes(2)));
        assertThat(job.resultAs(Integer.class)).isEqualTo(3);
    }
}
