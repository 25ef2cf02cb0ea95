package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.ActivityCancellationType;
import dev.durable.ActivityContext;
import dev.durable.ActivityFailedException;
import dev.durable.ConflictPolicy;
import dev.durable.OnExhausted;
import dev.durable.Retry;
import dev.durable.WorkflowAlreadyStartedException;
import dev.durable.WorkflowFailedException;
import dev.durable.client.ActivityHandle;
import dev.durable.client.BatchHandle;
import dev.durable.client.BatchProgress;
import dev.durable.client.DurableClient;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowDescription;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.ActivityCancelled;
import dev.durable.history.ActivityOptionsUpdated;
import dev.durable.history.ActivityScheduled;
import dev.durable.history.HistoryEvent;
import dev.durable.store.SessionInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** One activity as a background job, from the call to the history; run on each kind of store. */
abstract class BackgroundJobsTest {

    @Activity(retry = @Retry(maxAttempts = 3, initialInterval = "1m", jitter = 0, onExhausted = OnExhausted.FAIL))
    interface Emails {
        void send(String to);

        List<String> addresses(String of, int atMost) throws NoSuchList;
    }

    static class NoSuchList extends RuntimeException {
        NoSuchList(String message) {
            super(message);
        }
    }

    private final List<String> sent = java.util.Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger failures = new AtomicInteger();

    private void set(TestEngine engine) {
        engine.activity(Emails.class, new Emails() {
            @Override
            public void send(String to) {
                if (failures.getAndDecrement() > 0) {
                    throw new IllegalStateException("the mail server is away");
                }
                sent.add(to + " " + ActivityContext.current().info().attempt());
            }

            @Override
            public List<String> addresses(String of, int atMost) {
                if (of.isEmpty()) {
                    throw new NoSuchList("a list has a name");
                }
                return List.of(of + "@example.org");
            }
        });
    }

    @Test
    void a_job_is_one_run_of_four_events(TestEngine engine) {
        set(engine);
        ActivityHandle job = engine.client().enqueue(Emails.class, e -> e.send("ann"));
        job.await();
        assertThat(sent).containsExactly("ann 1");
        assertThat(job.describe().summary().status()).isEqualTo(WorkflowStatus.COMPLETED);
        assertThat(job.history().stream().map(HistoryEvent::type))
                .containsExactly("WorkflowStarted", "ActivityScheduled", "ActivityCompleted", "WorkflowCompleted");
    }

    @Test
    void a_result_comes_back_by_the_type_asked_for(TestEngine engine) {
        set(engine);
        ActivityHandle job = engine.client().enqueue(Emails.class, e -> e.addresses("staff", 3));
        assertThat(job.resultAs(new dev.durable.TypeRef<List<String>>() {})).containsExactly("staff@example.org");
        assertThat(job.resultAsync(Object.class).join()).isEqualTo(List.of("staff@example.org"));
        assertThat(job.resultAs(Object.class, Duration.ofSeconds(5))).isEqualTo(List.of("staff@example.org"));
        assertThat(job.resultAs(new dev.durable.TypeRef<List<String>>() {}, Duration.ofSeconds(5)))
                .containsExactly("staff@example.org");
    }

    @Test
    void a_failed_attempt_is_retried_by_the_activitys_policy(TestEngine engine) {
        set(engine);
        failures.set(2);
        ActivityHandle job = engine.client().enqueue(Emails.class, e -> e.send("ann"));
        job.await();
        assertThat(sent).containsExactly("ann 3");
        assertThat(job.history().stream().map(HistoryEvent::type))
                .containsExactly(
                        "WorkflowStarted",
                        "ActivityScheduled",
                        "ActivityAttemptFailed",
                        "ActivityAttemptFailed",
                        "ActivityCompleted",
                        "WorkflowCompleted");
    }

    @Test
    void a_job_that_failed_for_good_says_why(TestEngine engine) {
        set(engine);
        failures.set(9);
        ActivityHandle job = engine.client().enqueue(Emails.class, e -> e.send("ann"));
        assertThatThrownBy(job::await)
                .isInstanceOf(ActivityFailedException.class)
                .hasMessageContaining("failed in attempt 3")
                .hasMessageContaining("the mail server is away");
        assertThat(job.describe().summary().status()).isEqualTo(WorkflowStatus.FAILED);
        ActivityHandle named = engine.client().enqueue(Emails.class, e -> e.addresses("", 1));
        assertThatThrownBy(named::await).isInstanceOf(NoSuchList.class).hasMessage("a list has a name");
    }

    @Test
    void an_id_is_used_once_while_its_job_is_open(TestEngine engine) {
        set(engine);
        StartOptions later = StartOptions.id("mail-7").startDelay(Duration.ofHours(1));
        ActivityHandle job = engine.client().enqueue(Emails.class, later, e -> e.send("ann"));
        assertThatThrownBy(() -> engine.client().enqueue(Emails.class, later, e -> e.send("ann")))
                .isInstanceOf(WorkflowAlreadyStartedException.class);
        assertThat(engine.client()
                        .enqueue(Emails.class, later.conflictPolicy(ConflictPolicy.USE_EXISTING), e -> e.send("ann"))
                        .runId())
                .isEqualTo(job.runId());
        engine.advance(Duration.ofMinutes(59));
        assertThat(sent).isEmpty();
        engine.advance(Duration.ofMinutes(2));
        assertThat(sent).containsExactly("ann 1");
        job.await();
    }

    @Test
    void a_cancelled_job_that_waits_for_its_retry_never_runs_again(TestEngine engine) {
        set(engine);
        failures.set(1);
        ActivityHandle job = engine.client().enqueue(Emails.class, e -> e.send("ann"));
        engine.settle();
        job.cancel("wrong address");
        assertThatThrownBy(job::await).isInstanceOf(WorkflowFailedException.class);
        engine.advance(Duration.ofHours(1));
        assertThat(sent).isEmpty();
        assertThat(job.describe().summary().status()).isEqualTo(WorkflowStatus.CANCELLED);
        assertThat(job.history().stream().map(HistoryEvent::type))
                .as("in the order in which they happened")
                .endsWith(
                        "ActivityAttemptFailed",
                        "WorkflowCancelRequested",
                        "ActivityCancelRequested",
                        "ActivityCancelled",
                        "WorkflowCancelled");
    }

    @Test
    void a_batch_tells_its_progress_and_is_awaited_as_a_whole(TestEngine engine) {
        set(engine);
        failures.set(9); // the first three jobs to run fail for good
        BatchHandle batch = engine.client()
                .enqueueAll(Emails.class, IntStream.range(0, 600).boxed().toList(), (e, i) -> e.send("to-" + i));
        BatchProgress done = batch.await();
        assertThat(done.total()).isEqualTo(600);
        assertThat(done.open()).isZero();
        assertThat(done.completed() + done.failed()).isEqualTo(600);
        assertThat(done.percentDone()).isEqualTo(100);
        assertThat(sent).hasSize((int) done.completed());
        assertThat(engine.client().batch(batch.id()).progress()).isEqualTo(done);
        assertThat(batch.jobs().where(w -> w.status(WorkflowStatus.FAILED)).page(5_000))
                .hasSize((int) done.failed());
    }

    @Test
    void a_batch_that_is_enqueued_again_gets_only_the_jobs_that_are_missing(TestEngine engine) {
        set(engine);
        StartOptions newsletter = StartOptions.id("newsletter-7");
        BatchHandle first =
                engine.client().enqueueAll(Emails.class, newsletter, List.of("ann", "bob"), (e, to) -> e.send(to));
        assertThat(first.added()).isEqualTo(2);
        first.await();
        assertThat(engine.client()
                        .enqueueAll(Emails.class, newsletter, List.of("ann", "bob"), (e, to) -> e.send(to))
                        .added())
                .isZero();
        assertThat(engine.client().batch("newsletter-7").added()).isZero();
        BatchHandle whole = engine.client()
                .enqueueAll(Emails.class, newsletter, List.of("ann", "bob", "eve"), (e, to) -> e.send(to));
        assertThat(whole.added()).isOne();
        assertThat(whole.await()).isEqualTo(new BatchProgress(3, 3, 0, 0));
        assertThat(sent).containsExactlyInAnyOrder("ann 1", "bob 1", "eve 1");
    }

    @Test
    void the_priority_of_a_job_goes_before_its_activitys(TestEngine engine) {
        set(engine);
        ActivityHandle job =
                engine.client().enqueue(Emails.class, StartOptions.id("mail-1").priority(7), e -> e.send("ann"));
        job.await();
        assertThat(job.history()
                        .events(ActivityScheduled.class)
                        .findFirst()
                        .orElseThrow()
                        .options()
                        .priority())
                .isEqualTo(7);
    }

    /** No worker has it. */
    @Activity
    interface Elsewhere {
        void work();
    }

    @Test
    void a_job_that_nobody_began_by_its_expiry_ends_as_timed_out(TestEngine engine) {
        set(engine);
        engine.client();
        StartOptions soon = StartOptions.id("job-1").expiresAt(engine.now().plus(Duration.ofMinutes(5)));
        ActivityHandle job = engine.client().enqueue(Elsewhere.class, soon, Elsewhere::work);
        engine.advance(Duration.ofMinutes(4));
        assertThat(job.describe().summary().status()).isEqualTo(WorkflowStatus.RUNNING);
        engine.advance(Duration.ofMinutes(2));
        assertThat(job.history().stream().map(HistoryEvent::type)).contains("ActivityTimedOut");
        engine.settle();
        assertThat(engine.client().enqueueAgain(w -> w.workflowIdPrefix("job-")))
                .as("what nobody wants any more")
                .isZero();
    }

    @Test
    void what_only_workflows_have_is_refused_with_the_way_out(TestEngine engine) {
        set(engine);
        DurableClient client = engine.client();
        client.enqueue(Emails.class, StartOptions.id("job-1").startDelay(Duration.ofHours(1)), e -> e.send("ann"));
        WorkflowHandle<?, ?> handle = client.handle("job-1");
        assertThatThrownBy(() -> handle.signal("stop"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("signal stop was not sent: a background job takes no signals");
        String instead =
                "Use client.activity(\"job-1\", 1), or client.job(\"job-1\").control(): its pause() holds the job.";
        assertThatThrownBy(handle::pause)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("job-1 is a background job")
                .hasMessageEndingWith(instead);
        assertThatThrownBy(() -> client.enqueue(Mailer.class, e -> e.send("ann")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Mailer implements the activity type Emails. Name that: enqueue(Emails.class, …).");
        client.activity("job-1", 1).pause();
        engine.advance(Duration.ofHours(2));
        assertThat(sent).isEmpty();
        client.activity("job-1", 1).resume();
        client.job("job-1").await();
    }

    static class Mailer implements Emails {
        @Override
        public void send(String to) {}

        @Override
        public List<String> addresses(String of, int atMost) {
            return List.of();
        }
    }

    @Test
    void a_job_that_could_never_begin_in_time_is_refused(TestEngine engine) {
        set(engine);
        engine.client();
        StartOptions late = StartOptions.id("job-1")
                .startDelay(Duration.ofHours(1))
                .expiresAt(engine.now().plus(Duration.ofMinutes(5)));
        assertThatThrownBy(() -> engine.client().enqueue(Emails.class, late, e -> e.send("ann")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("before it may begin");
    }

    @Activity(atMostOnce = true, retry = @Retry(onExhausted = OnExhausted.FAIL))
    interface Launches {
        void launch();
    }

    @Test
    void an_at_most_once_job_that_fails_is_not_tried_again(TestEngine engine) {
        AtomicInteger launched = new AtomicInteger();
        engine.activity(Launches.class, () -> {
            launched.incrementAndGet();
            throw new IllegalStateException("on the pad");
        });
        ActivityHandle job = engine.client().enqueue(Launches.class, Launches::launch);
        assertThatThrownBy(job::await)
                .isInstanceOf(ActivityFailedException.class)
                .hasMessageContaining("on the pad");
        engine.advance(Duration.ofHours(1));
        assertThat(launched).hasValue(1);
    }

    /** The activity as a web tier declares it, which does not know that it is at most once. */
    @Activity(name = "Launches")
    interface WebLaunches {
        void launch();
    }

    @Test
    void at_most_once_that_only_the_worker_says_holds_when_the_worker_is_lost_in_the_first_body(TestEngine engine) {
        AtomicInteger launched = new AtomicInteger();
        engine.activity(Launches.class, () -> {
            launched.incrementAndGet();
            SessionInfo mine = engine.store().sessions().getFirst();
            assertThat(engine.store().markDead(mine.session(), mine.beat())).isTrue();
            engine.store().requeueOrphans(10);
        });
        ActivityHandle job = engine.client().enqueue(WebLaunches.class, WebLaunches::launch);
        assertThatThrownBy(job::await).hasMessageContaining("outcome unknown: the worker of attempt 1 was lost");
        engine.advance(Duration.ofHours(1));
        assertThat(launched).hasValue(1);
        assertThat(job.history().events(ActivityOptionsUpdated.class))
                .as("why it ended so, though it was not enqueued as at most once")
                .singleElement()
                .satisfies(event -> assertThat(event.newOptions().atMostOnce()).isTrue());
    }

    @Test
    void at_most_once_that_only_the_worker_says_holds_for_a_job_that_is_enqueued_again(TestEngine engine) {
        AtomicInteger launched = new AtomicInteger();
        engine.activity(Launches.class, () -> {
            launched.incrementAndGet();
            throw new IllegalStateException("on the pad");
        });
        ActivityHandle job = engine.client().enqueue(WebLaunches.class, WebLaunches::launch);
        assertThatThrownBy(job::await).hasMessageContaining("on the pad");
        ActivityHandle again = job.enqueueAgain();
        assertThatThrownBy(again::await).hasMessageContaining("on the pad");
        engine.advance(Duration.ofHours(1));
        assertThat(launched).as("one a run").hasValue(2);
    }

    // ── cancelled while it runs ─────────────────────────────────────────────────────────────────────────────────────

    /** An activity whose job is open until its body has ended, whatever its cancellation type says. */
    @Activity(cancellation = ActivityCancellationType.ABANDON, startToClose = "10m")
    interface Copying {
        String copy(String how);
    }

    private final Semaphore begun = new Semaphore(0);
    private final Semaphore told = new Semaphore(0);
    private final Semaphore mayEnd = new Semaphore(0);
    private final List<String> effects = java.util.Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger mostAtOnce = new AtomicInteger();

    private String copy(String how) {
        ActivityContext context = ActivityContext.current();
        mostAtOnce.accumulateAndGet(running.incrementAndGet(), Math::max);
        effects.add(how + " begins");
        try {
            if (!how.equals("quick")) {
                context.onCancel(told::release);
                begun.release();
                mayEnd.acquireUninterruptibly();
            }
            switch (how) {
                case "cleans up" -> context.checkpoint("cleaned");
                case "fails" -> throw new IllegalStateException("disk full");
                default -> effects.add(how + " is done");
            }
            return how;
        } finally {
            effects.add(how + " ends");
            running.decrementAndGet();
        }
    }

    private static void await(Semaphore semaphore, TestEngine engine) throws InterruptedException {
        while (!semaphore.tryAcquire(10, TimeUnit.MILLISECONDS)) {
            engine.advanceWhileRunning(Duration.ofMillis(1));
        }
    }

    private void oneAtATime(TestEngine engine) {
        engine.activity(Copying.class, this::copy);
        engine.client().queues().limits("default", l -> l.concurrency(1));
    }

    private ActivityHandle cancelledWhileRunning(TestEngine engine, String how) throws InterruptedException {
        engine.activity(Copying.class, this::copy);
        return cancelledOnceBegun(engine, how);
    }

    /** Cancels the job once its body has begun; the body has been asked to stop, and has not ended. */
    private ActivityHandle cancelledOnceBegun(TestEngine engine, String how) throws InterruptedException {
        ActivityHandle job = engine.client().enqueue(Copying.class, StartOptions.id("copy-1"), c -> c.copy(how));
        await(begun, engine);
        job.cancel("too late");
        await(told, engine);
        return job;
    }

    private static void isCancelled(ActivityHandle job) {
        assertThatThrownBy(job::await)
                .isInstanceOfSatisfying(
                        WorkflowFailedException.class,
                        e -> assertThat(e.status()).isEqualTo(WorkflowStatus.CANCELLED))
                .hasMessageMatching("job copy-1 was cancelled by .+: too late");
    }

    @Test
    void a_job_that_is_cancelled_while_it_runs_is_open_and_shown_as_cancelling_until_its_body_has_ended(
            TestEngine engine) throws InterruptedException {
        ActivityHandle job = cancelledWhileRunning(engine, "cleans up");
        WorkflowDescription open = job.describe();
        assertThat(open.summary().status()).isEqualTo(WorkflowStatus.RUNNING);
        assertThat(open.activities())
                .singleElement()
                .satisfies(pending -> assertThat(pending.state()).isEqualTo("cancelling"));
        assertThat(engine.client().activity("copy-1", 1).describe().cancelRequested())
                .isTrue();

        mayEnd.release();
        isCancelled(job);
        assertThat(job.history()
                        .events(ActivityCancelled.class)
                        .findFirst()
                        .orElseThrow()
                        .lastHeartbeatDetails()
                        .json())
                .as("what its body stored while it cleaned up")
                .isEqualTo("\"cleaned\"");
    }

    @Test
    void a_job_that_comes_to_its_result_all_the_same_is_completed(TestEngine engine) throws InterruptedException {
        ActivityHandle job = cancelledWhileRunning(engine, "completes");
        mayEnd.release();
        assertThat(job.resultAs(String.class)).isEqualTo("completes");
        assertThat(job.describe().summary().status()).isEqualTo(WorkflowStatus.COMPLETED);
    }

    @Test
    void a_job_whose_body_fails_after_it_was_cancelled_is_cancelled(TestEngine engine) throws InterruptedException {
        ActivityHandle job = cancelledWhileRunning(engine, "fails");
        mayEnd.release();
        isCancelled(job);
        assertThat(job.history().stream().map(HistoryEvent::type)).endsWith("ActivityFailed", "WorkflowCancelled");
    }

    @Test
    void its_id_is_taken_until_its_body_has_ended(TestEngine engine) throws InterruptedException {
        ActivityHandle job = cancelledWhileRunning(engine, "completes");
        StartOptions again = StartOptions.id("copy-1");
        assertThatThrownBy(() -> engine.client().enqueue(Copying.class, again, c -> c.copy("quick")))
                .isInstanceOf(WorkflowAlreadyStartedException.class)
                .hasMessageContaining("A job that is being cancelled is open until its attempt has ended")
                .hasMessageContaining(
                        "If it is a dead letter: client.deadLetters().one(\"copy-1\", 1).retry() or .fail(…).");
        mayEnd.release();
        job.await();
        engine.client().enqueue(Copying.class, again, c -> c.copy("quick")).await();
        assertThat(effects)
                .containsExactly(
                        "completes begins",
                        "completes is done",
                        "completes ends",
                        "quick begins",
                        "quick is done",
                        "quick ends");
    }

    @Test
    void a_queue_that_runs_one_at_a_time_begins_no_other_before_a_cancelled_one_has_ended(TestEngine engine)
            throws InterruptedException {
        oneAtATime(engine);
        ActivityHandle job = cancelledOnceBegun(engine, "completes");
        ActivityHandle next = engine.client().enqueue(Copying.class, c -> c.copy("quick"));
        engine.advanceWhileRunning(Duration.ofSeconds(5));
        assertThat(effects).containsExactly("completes begins");
        mayEnd.release();
        job.await();
        next.await();
        assertThat(mostAtOnce).hasValue(1);
    }

    @Test
    void a_queue_that_runs_one_at_a_time_begins_no_other_before_the_body_of_a_terminated_one_has_ended(
            TestEngine engine) throws InterruptedException {
        oneAtATime(engine);
        ActivityHandle job =
                engine.client().enqueue(Copying.class, StartOptions.id("copy-1"), c -> c.copy("completes"));
        await(begun, engine);
        job.terminate("no more");
        assertThat(job.describe().summary().status()).isEqualTo(WorkflowStatus.TERMINATED);
        ActivityHandle next = engine.client().enqueue(Copying.class, c -> c.copy("quick"));
        engine.advanceWhileRunning(Duration.ofSeconds(5));
        assertThat(effects).containsExactly("completes begins");
        mayEnd.release();
        next.await();
        assertThat(mostAtOnce).hasValue(1);
    }

    @Test
    void a_body_that_goes_on_after_its_cancel_is_given_up_after_a_grace(TestEngine engine) throws InterruptedException {
        ActivityHandle job = cancelledWhileRunning(engine, "completes");
        engine.advanceWhileRunning(Duration.ofSeconds(31));
        while (job.describe().summary().status() == WorkflowStatus.RUNNING) {
            engine.advanceWhileRunning(Duration.ofMillis(1));
        }
        mayEnd.release();
        isCancelled(job);
        assertThat(job.history().stream().map(HistoryEvent::type))
                .containsSubsequence("ActivityCancelRequested", "ActivityCancelled", "WorkflowCancelled");
    }
}
