package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.ActivityFailedException;
import dev.durable.NonRetryableException;
import dev.durable.OnExhausted;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.WorkflowAlreadyStartedException;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.ActivityHandle;
import dev.durable.client.ActivityState;
import dev.durable.client.Alert;
import dev.durable.client.BoundedCount;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowQuery;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.ActivityAbandoned;
import dev.durable.history.ActivityAttemptFailed;
import dev.durable.history.ActivityScheduled;
import dev.durable.history.HistoryEvent;
import dev.durable.history.IncidentRaised;
import dev.durable.history.IncidentResolved;
import dev.durable.history.WorkflowStarted;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * A background job that failed is kept, found, alerted, and can be done again; its history keeps why. On each kind of
 * store.
 */
abstract class KeptJobsTest {

    @Activity(retry = @Retry(maxAttempts = 2, initialInterval = "1m", jitter = 0))
    interface Mail {
        String send(String to, int number);

        @Activity(retry = @Retry(onExhausted = OnExhausted.FAIL))
        String fragile(String to);

        int count(String of);

        void report(String of);
    }

    private volatile boolean away = true;
    private final List<String> calls = Collections.synchronizedList(new ArrayList<>());
    private final List<Alert> told = Collections.synchronizedList(new ArrayList<>());

    private final class Server implements Mail {
        private String answer(String call) {
            calls.add(call + " " + ActivityContext.current().info().attempt());
            if (away) {
                throw call.startsWith("wrong")
                        ? new NonRetryableException("there is no " + call)
                        : new IllegalStateException("the mail server is away");
            }
            return call;
        }

        @Override
        public String send(String to, int number) {
            return answer(to + "-" + number);
        }

        @Override
        public String fragile(String to) {
            return answer(to);
        }

        @Override
        public int count(String of) {
            return answer(of).length();
        }

        @Override
        public void report(String of) {
            ActivityContext.current().heartbeat(Map.of("page", 3));
            answer(of);
        }
    }

    @Workflow
    static class Sending {
        private final Mail mail;

        Sending(Mail mail) {
            this.mail = mail;
        }

        @Run
        String run(String to) {
            try {
                return mail.send(to, 1);
            } catch (ActivityFailedException e) {
                return "failed";
            }
        }
    }

    private TestEngine set(TestEngine engine) {
        return engine.register(Sending.class).activity(Mail.class, new Server()).onAlert(told::add);
    }

    private static ActivityHandle send(TestEngine engine, String id) {
        return engine.client().enqueue(Mail.class, StartOptions.id(id), m -> m.send(id, 7));
    }

    /** Both its attempts have failed. */
    private static ActivityHandle failed(TestEngine engine, String id) {
        ActivityHandle job = send(engine, id);
        engine.settle();
        engine.advance(Duration.ofMinutes(2));
        return job;
    }

    private static WorkflowStatus status(ActivityHandle job) {
        return job.describe().summary().status();
    }

    private static List<String> types(ActivityHandle job) {
        return job.history().stream().map(HistoryEvent::type).toList();
    }

    private static ActivityState state(TestEngine engine, String id) {
        return engine.client().activity(id, 1).describe().state();
    }

    // ── kept ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_job_whose_attempts_are_used_up_is_a_dead_letter_and_done_when_it_is_retried(TestEngine engine) {
        set(engine);
        ActivityHandle job = failed(engine, "mail-1");

        assertThat(status(job)).isEqualTo(WorkflowStatus.RUNNING);
        assertThat(engine.client().deadLetters().page(9))
                .singleElement()
                .satisfies(dead -> assertThat(dead.activity().workflowId()).isEqualTo("mail-1"));

        away = false;
        engine.client().deadLetters().one("mail-1", 1).by("ann").retry();

        assertThat(job.resultAs(String.class)).isEqualTo("mail-1-7");
        assertThat(calls).containsExactly("mail-1-7 1", "mail-1-7 2", "mail-1-7 3");
    }

    @Test
    void a_failure_for_good_makes_it_a_dead_letter_at_its_first_attempt(TestEngine engine) {
        set(engine);
        ActivityHandle job = send(engine, "wrong");
        engine.settle();

        assertThat(calls).containsExactly("wrong-7 1");
        assertThat(state(engine, "wrong")).isEqualTo(ActivityState.DEAD);
        assertThat(engine.client().activity("wrong", 1).describe().lastFailure())
                .contains("there is no wrong-7");
        engine.client().deadLetters().discard();
        job.await();
    }

    @Test
    void an_activity_that_says_fail_fails_as_a_job_too(TestEngine engine) {
        set(engine);
        ActivityHandle job = engine.client().enqueue(Mail.class, m -> m.fragile("ann"));

        assertThatThrownBy(job::await).isInstanceOf(ActivityFailedException.class);
        assertThat(status(job)).isEqualTo(WorkflowStatus.FAILED);
        assertThat(engine.client().deadLetters().count()).isZero();
    }

    @Test
    void configuration_and_the_engine_say_otherwise(TestEngine engine) {
        set(engine.configuration(Map.of("durable.activities.Mail.methods.report.retry.on-exhausted", "INCIDENT")))
                .jobsOnExhausted(OnExhausted.FAIL);
        ActivityHandle job = failed(engine, "mail-1");
        engine.client().enqueue(Mail.class, StartOptions.id("report"), m -> m.report("may"));
        engine.settle();
        engine.advance(Duration.ofMinutes(2));

        assertThat(status(job)).isEqualTo(WorkflowStatus.FAILED);
        assertThat(state(engine, "report")).isEqualTo(ActivityState.INCIDENT);
        engine.client().incidents().discard();
        engine.settle();
    }

    @Test
    void the_engine_that_enqueues_says_what_becomes_of_a_job_where_its_activity_does_not(TestEngine engine) {
        set(engine.configuration(Map.of("durable.activities.Mail.methods.report.retry.on-exhausted", "INCIDENT")));
        DurableEngine.Builder web = DurableEngine.builder(engine.store()).clientOnly();
        engine.settle();
        try (DurableEngine enqueues = web.jobsOnExhausted(OnExhausted.FAIL).start()) {
            enqueues.client().enqueue(Mail.class, StartOptions.id("mail-1"), m -> m.send("ann", 1));
            enqueues.client().enqueue(Mail.class, StartOptions.id("report"), m -> m.report("may"));
        }
        engine.advance(Duration.ofMinutes(2));

        assertThat(engine.client().job("mail-1").describe().summary().status()).isEqualTo(WorkflowStatus.FAILED);
        assertThat(state(engine, "report"))
                .as("the worker's configuration says")
                .isEqualTo(ActivityState.INCIDENT);
        engine.client().incidents().discard();
        engine.settle();
    }

    @Test
    void an_engine_that_throws_failed_jobs_away_keeps_those_whose_result_can_not_be_null(TestEngine engine) {
        set(engine).jobsOnExhausted(OnExhausted.DISCARD);
        ActivityHandle job = failed(engine, "mail-1");
        engine.client().enqueue(Mail.class, StartOptions.id("count"), m -> m.count("letters"));
        engine.settle();
        engine.advance(Duration.ofMinutes(2));

        assertThat(status(job)).isEqualTo(WorkflowStatus.COMPLETED);
        assertThat(state(engine, "count")).isEqualTo(ActivityState.DEAD);
        engine.client().deadLetters().fail("not needed");
        engine.settle();
    }

    @Test
    void an_activity_of_a_workflow_fails_as_before(TestEngine engine) {
        set(engine);
        var run = engine.client().start(Sending.class, "order-1", w -> w.run("ann"));

        assertThat(run.result()).isEqualTo("failed");
        assertThat(engine.client().deadLetters().count()).isZero();
    }

    // ── told ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void an_alert_comes_of_a_job_that_nobody_waits_for(TestEngine engine) {
        set(engine);
        send(engine, "wrong");
        engine.settle();
        engine.advance(Duration.ofSeconds(1));
        assertThat(told).singleElement().satisfies(alert -> {
            assertThat(alert.activity()).isEqualTo("Mail.send");
            assertThat(alert.workflowId()).isEqualTo("wrong");
            assertThat(alert.lastFailure()).contains("there is no wrong-7");
        });

        engine.client().enqueue(Mail.class, StartOptions.id("other"), m -> m.report("wrong"));
        engine.advance(Duration.ofSeconds(1));
        assertThat(told).extracting(Alert::activity).containsExactly("Mail.send", "Mail.report");
        engine.client().deadLetters().discard();
        engine.settle();
    }

    // ── done again ───────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_job_that_has_failed_is_enqueued_again_as_it_was(TestEngine engine) {
        set(engine).queue("default", q -> {}).queue("slow", q -> {});
        StartOptions options = StartOptions.id("mail-1")
                .taskQueue("slow")
                .header("tenant", "acme")
                .memo("why", "a test")
                .priority(5)
                .runTimeout(Duration.ofDays(1));
        ActivityHandle job = engine.client().enqueue(Mail.class, options, m -> m.send("ann", 7));
        engine.settle();
        engine.advance(Duration.ofMinutes(2));
        engine.client().deadLetters().one("mail-1", 1).fail("nobody was there");
        engine.settle();
        assertThat(status(job)).isEqualTo(WorkflowStatus.FAILED);

        away = false;
        ActivityHandle again = job.enqueueAgain();

        assertThat(again.resultAs(String.class)).isEqualTo("ann-7");
        assertThat(again.id()).isEqualTo("mail-1");
        assertThat(again.runId()).isNotEqualTo(job.runId());
        assertThat(calls).endsWith("ann-7 1");
        assertThat(again.describe().summary().memo()).containsEntry("why", "a test");
        assertThat(again.describe().summary().taskQueue()).isEqualTo("slow");
        WorkflowStarted before = job.history().started();
        WorkflowStarted after = again.history().started();
        assertThat(after.input()).isEqualTo(before.input());
        assertThat(after.headers()).containsEntry("tenant", "acme");
        assertThat(Duration.between(after.at(), after.runDeadline()))
                .isCloseTo(Duration.ofDays(1), Duration.ofSeconds(5));
        assertThat(scheduled(again).options()).isEqualTo(scheduled(job).options());
        assertThat(scheduled(again).input()).isEqualTo(scheduled(job).input());
        assertThat(status(job)).as("what ended stays as it ended").isEqualTo(WorkflowStatus.FAILED);
    }

    @Test
    void a_job_with_an_expiry_that_is_enqueued_again_has_none_and_fails_as_any_other(TestEngine engine) {
        set(engine);
        StartOptions options = StartOptions.id("mail-1").expiresAt(engine.now().plus(Duration.ofMinutes(5)));
        ActivityHandle job = engine.client().enqueue(Mail.class, options, m -> m.fragile("ann"));
        engine.advance(Duration.ofHours(1));
        assertThat(status(job)).isEqualTo(WorkflowStatus.FAILED);

        ActivityHandle again = job.enqueueAgain();
        engine.advance(Duration.ofHours(1));

        assertThat(status(again)).isEqualTo(WorkflowStatus.FAILED);
        assertThat(scheduled(again).options().expiresAt()).isNull();
        assertThat(again.history().started().input().json()).doesNotContain("expiresAt");
        assertThat(calls).containsExactly("ann 1", "ann 2", "ann 1", "ann 2");
    }

    /** Waits elsewhere, where its job does not say. */
    @Activity(taskQueue = "slow", retry = @Retry(maxAttempts = 1, onExhausted = OnExhausted.FAIL))
    interface Slow {
        void work();
    }

    @Test
    void a_job_in_another_queue_than_its_activitys_fails_as_any_other(TestEngine engine) {
        engine.queue("default", q -> {}).queue("slow", q -> {}).activity(Slow.class, () -> {
            throw new IllegalStateException("no");
        });
        ActivityHandle job =
                engine.client().enqueue(Slow.class, StartOptions.id("s-1").taskQueue("default"), Slow::work);
        engine.settle();
        assertThat(status(job)).isEqualTo(WorkflowStatus.FAILED);
        assertThat(scheduled(job).taskQueue()).isEqualTo("default");
    }

    private static ActivityScheduled scheduled(ActivityHandle job) {
        return job.history().events(ActivityScheduled.class).findFirst().orElseThrow();
    }

    @Test
    void a_dead_letter_that_was_purged_is_enqueued_again(TestEngine engine) {
        set(engine).keepDeadLetters(Duration.ofDays(2), 100);
        ActivityHandle job = failed(engine, "mail-1");
        engine.advance(Duration.ofDays(3));
        assertThat(status(job)).isEqualTo(WorkflowStatus.FAILED);
        assertThatThrownBy(job::await).hasMessageContaining("no operator resolved this dead letter");

        away = false;
        UUID again = engine.client().enqueueAgain("mail-1");
        engine.settle();

        assertThat(engine.client().history(again).getLast().type()).isEqualTo("WorkflowCompleted");
    }

    @Test
    void what_is_in_use_or_completed_or_no_job_is_not_enqueued_again(TestEngine engine) {
        set(engine);
        ActivityHandle job = failed(engine, "mail-1");
        DurableClient client = engine.client();
        assertThatThrownBy(() -> client.enqueueAgain("mail-1"))
                .isInstanceOf(WorkflowAlreadyStartedException.class)
                .hasMessage("job mail-1 is not enqueued again: its id is in use by the open run " + job.runId()
                        + ". If that is a dead letter, retry it: client.deadLetters().one(\"mail-1\", 1).retry(). Else wait"
                        + " for its end, or cancel it.");
        client.deadLetters().fail("nobody was there");
        engine.settle();

        away = false;
        ActivityHandle again = job.enqueueAgain();
        again.await();
        assertThatThrownBy(() -> client.enqueueAgain("mail-1"))
                .isInstanceOf(WorkflowAlreadyStartedException.class)
                .hasMessage(
                        "job mail-1 is not enqueued again: its run " + again.runId()
                                + " has completed, and only what ended without a result is. To do it once more, enqueue it anew.");
        assertThatThrownBy(job::enqueueAgain)
                .isInstanceOf(WorkflowAlreadyStartedException.class)
                .hasMessage("job mail-1 is not enqueued again as it was in run " + job.runId()
                        + ": its id was used since, by run " + again.runId()
                        + ", which is COMPLETED. Enqueue the latest"
                        + " one again, client.enqueueAgain(\"mail-1\"), or a new job with an id of its own.");
        assertThatThrownBy(() -> client.enqueueAgain("nobody"))
                .isInstanceOf(WorkflowNotFoundException.class)
                .hasMessage("there is no job nobody to enqueue again");
        client.start(Sending.class, "order-1", w -> w.run("ann")).result();
        assertThatThrownBy(() -> client.enqueueAgain("order-1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(
                        "workflow id order-1 is that of a run of Sending, and not of a background job.");
    }

    @Test
    void all_that_failed_are_enqueued_again_however_large_they_are(TestEngine engine) {
        set(engine).jobsOnExhausted(OnExhausted.FAIL);
        String letter = "dear ann ".repeat(200_000);
        for (int i = 0; i < 4; i++) {
            engine.client().enqueue(Mail.class, StartOptions.id("mail-" + i), m -> m.fragile(letter));
        }
        engine.settle();
        engine.advance(Duration.ofMinutes(2));

        away = false;
        assertThat(engine.client().enqueueAgain(w -> w)).isEqualTo(4);
        engine.settle();
        assertThat(engine.client()
                        .workflows()
                        .where(w -> w.status(WorkflowStatus.COMPLETED))
                        .count())
                .isEqualTo(4);
    }

    @Test
    void all_that_failed_are_enqueued_again_by_a_filter(TestEngine engine) {
        set(engine).jobsOnExhausted(OnExhausted.FAIL);
        for (int i = 0; i < 230; i++) {
            send(engine, "mail-" + i);
        }
        engine.client().start(Sending.class, "order-1", w -> w.run("ann"));
        ActivityHandle cancelled = send(engine, "wanted-no-more");
        cancelled.cancel("no");
        engine.settle();
        engine.advance(Duration.ofMinutes(2));
        Instant later = engine.now();
        failed(engine, "late");

        away = false;
        DurableClient client = engine.client();
        assertThatThrownBy(() -> client.enqueueAgain(w -> null)).hasMessageContaining("must return the filter");
        assertThat(client.enqueueAgain(w -> w.closedAfter(later))).isOne();
        assertThat(client.enqueueAgain(w -> w)).isEqualTo(230);
        engine.settle();
        assertThat(client.enqueueAgain(w -> w)).as("all are done").isZero();
        WorkflowQuery sent =
                client.workflows().where(w -> w.workflowIdPrefix("mail-").status(WorkflowStatus.COMPLETED));
        assertThat(sent.count()).isEqualTo(230);
        assertThat(sent.count(230)).isEqualTo(new BoundedCount(230, false)).hasToString("230");
        assertThat(sent.count(229)).isEqualTo(new BoundedCount(229, true)).hasToString("more than 229");
        assertThatThrownBy(() -> sent.count(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("count(-1) must count up to 0 or more; to count all of them: count()");
        assertThat(status(cancelled)).isEqualTo(WorkflowStatus.CANCELLED);
        assertThat(client.enqueueAgain(w -> w.status(WorkflowStatus.CANCELLED))).isOne();
        engine.settle();
    }

    // ── history keeps why ────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_dead_letter_that_is_terminated_leaves_its_failures_in_the_history(TestEngine engine) {
        set(engine);
        ActivityHandle job = failed(engine, "mail-1");
        engine.client().deadLetters().one("mail-1", 1).by("ann").retry(1);
        engine.settle();

        engine.client().handle("mail-1").terminate("enough");

        assertThat(types(job))
                .containsExactly(
                        "WorkflowStarted",
                        "ActivityScheduled",
                        "ActivityAttemptFailed",
                        "IncidentRaised",
                        "IncidentResolved",
                        "IncidentRaised",
                        "WorkflowTerminated");
        assertThat(job.history().events(IncidentRaised.class))
                .allSatisfy(e -> assertThat(e.failure().message()).isEqualTo("the mail server is away"));
        assertThat(job.history().events(IncidentResolved.class))
                .singleElement()
                .satisfies(e -> assertThat(e.by()).isEqualTo("ann"));
    }

    @Test
    void a_dead_letter_that_is_cancelled_leaves_its_failures_in_the_history(TestEngine engine) {
        set(engine);
        ActivityHandle job = failed(engine, "mail-1");

        job.cancel("wrong address");
        engine.settle();

        assertThat(status(job)).isEqualTo(WorkflowStatus.CANCELLED);
        assertThat(types(job))
                .containsSubsequence(
                        "ActivityScheduled", "ActivityAttemptFailed", "IncidentRaised", "WorkflowCancelled");
    }

    @Test
    void a_run_that_is_terminated_keeps_how_far_its_activities_were(TestEngine engine) {
        set(engine);
        ActivityHandle job = engine.client().enqueue(Mail.class, StartOptions.id("report"), m -> m.report("may"));
        engine.settle();

        engine.client().handle("report").terminate("enough");

        assertThat(types(job))
                .containsExactly(
                        "WorkflowStarted",
                        "ActivityScheduled",
                        "ActivityAttemptFailed",
                        "ActivityAbandoned",
                        "WorkflowTerminated");
        assertThat(job.history().events(ActivityAttemptFailed.class))
                .singleElement()
                .satisfies(e -> assertThat(e.failure().message()).isEqualTo("the mail server is away"));
        assertThat(job.history().events(ActivityAbandoned.class))
                .singleElement()
                .satisfies(e -> {
                    assertThat(e.attempt()).isEqualTo(2);
                    assertThat(e.lastHeartbeatDetails().json()).isEqualTo("{\"page\":3}");
                    assertThat(e.outcome()).isNull();
                });
    }

    @Test
    void an_outcome_that_a_paused_run_has_not_taken_in_stands_in_the_history_of_its_end(TestEngine engine) {
        set(engine).jobsOnExhausted(OnExhausted.FAIL);
        var run = engine.client().start(Sending.class, "mail-1", w -> w.run("ann"));
        engine.settle();
        run.pause("an audit");
        engine.advance(Duration.ofMinutes(2));

        run.terminate("enough");

        assertThat(run.history().stream().map(HistoryEvent::type))
                .endsWith("ActivityAttemptFailed", "ActivityAbandoned", "WorkflowTerminated");
        assertThat(run.history().events(ActivityAbandoned.class))
                .singleElement()
                .satisfies(e -> assertThat(e.outcome().json())
                        .startsWith(
                                "{\"type\":\"ActivityFailed\",\"attributes\":{\"seq\":1,\"attempt\":2,\"failure\":{")
                        .contains("the mail server is away"));
    }
}
