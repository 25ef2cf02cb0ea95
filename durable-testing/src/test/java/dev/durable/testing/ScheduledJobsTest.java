package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.ActivityFailedException;
import dev.durable.CancelledException;
import dev.durable.OnExhausted;
import dev.durable.QueueFullException;
import dev.durable.Retry;
import dev.durable.RetryPolicy;
import dev.durable.Run;
import dev.durable.StaleAttemptException;
import dev.durable.TypeRef;
import dev.durable.Workflow;
import dev.durable.WorkflowFailedException;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.ActivityControl;
import dev.durable.client.ActivityHandle;
import dev.durable.client.ActivityQuery;
import dev.durable.client.ActivityState;
import dev.durable.client.ActivitySummary;
import dev.durable.client.DurableClient;
import dev.durable.client.QueueDescription;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowQuery;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.ActivityOperated;
import dev.durable.history.ActivityOptionsUpdated;
import dev.durable.history.ActivityScheduled;
import dev.durable.history.HistoryEvent;
import dev.durable.history.WorkflowCancelRequested;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Jobs that begin later are jobs from the enqueue on, and what is chosen for one job is its own; on each kind of store. */
abstract class ScheduledJobsTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration HOUR = Duration.ofHours(1);

    @Activity(retry = @Retry(maxAttempts = 3, initialInterval = "10m", jitter = 0, onExhausted = OnExhausted.FAIL))
    interface Emails {
        void send(String to);

        List<String> addresses(String of) throws NoSuchList;

        @Activity(scheduleToStart = "5m", scheduleToClose = "2h")
        void soon();
    }

    /** The activity as a web tier declares it, without the workers' options: it is not registered with the engine. */
    @Activity(name = "Emails", startToClose = "7s", retry = @Retry(maxAttempts = 1, onExhausted = OnExhausted.FAIL))
    interface WebEmails {
        void send(String to);
    }

    /** No worker has it. */
    @Activity
    interface Elsewhere {
        void work();
    }

    @Workflow
    static class Mailing {
        private final Emails emails;

        Mailing(Emails emails) {
            this.emails = emails;
        }

        @Run
        void run(String to) {
            emails.send(to);
        }
    }

    static class NoSuchList extends RuntimeException {
        NoSuchList(String message) {
            super(message);
        }
    }

    private final List<String> sent = Collections.synchronizedList(new ArrayList<>());
    private final List<Duration> startsToClose = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger failures = new AtomicInteger();

    private DurableClient set(TestEngine engine) {
        engine.register(Mailing.class).activity(Emails.class, new Emails() {
            @Override
            public void send(String to) {
                Duration left = Duration.between(
                        engine.now(), ActivityContext.current().info().deadline());
                startsToClose.add(Duration.ofSeconds(left.plusMillis(500).toSeconds()));
                if (failures.getAndDecrement() > 0) {
                    throw new IllegalStateException("the mail server is away");
                }
                sent.add(to + " " + ActivityContext.current().info().attempt());
            }

            @Override
            public List<String> addresses(String of) {
                if (of.isEmpty()) {
                    throw new NoSuchList("a list has a name");
                }
                return List.of(of + "@example.org");
            }

            @Override
            public void soon() {
                sent.add("soon");
            }
        });
        return engine.client();
    }

    private static StartOptions later(String id) {
        return StartOptions.id(id).startDelay(HOUR);
    }

    private static ActivityQuery mails(DurableClient client) {
        return client.activities().where(a -> a.activity("Emails.send"));
    }

    private static WorkflowStatus status(ActivityHandle job) {
        return job.describe().summary().status();
    }

    // ── seen ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_delayed_job_is_listed_counted_and_in_its_queue_from_the_enqueue_on(TestEngine engine) {
        DurableClient client = set(engine);
        ActivityHandle job = client.enqueue(Emails.class, later("mail-1"), e -> e.send("ann"));

        ActivitySummary listed = mails(client).page(10).getFirst();
        assertThat(listed.workflowId()).isEqualTo("mail-1");
        assertThat(listed.state()).isEqualTo(ActivityState.DELAYED);
        assertThat(Duration.between(engine.now(), listed.scheduledAt())).isBetween(HOUR.minusSeconds(1), HOUR);
        assertThat(Duration.between(engine.now(), listed.nextAttemptAt())).isBetween(HOUR.minusSeconds(1), HOUR);
        assertThat(mails(client).where(a -> a.state(ActivityState.DELAYED)).count())
                .isOne();
        assertThat(job.control().describe()).isEqualTo(listed);
        QueueDescription queue = client.queues().describe("default");
        assertThat(queue.delayed()).isOne();
        assertThat(queue.depth()).isOne();
        assertThat(sent).isEmpty();

        job.await();
        assertThat(sent).containsExactly("ann 1");
        assertThat(mails(client).count()).isZero();
    }

    @Test
    void a_delayed_job_is_one_run_of_four_events_that_begins_when_its_delay_is_over(TestEngine engine) {
        DurableClient client = set(engine);
        ActivityHandle job = client.enqueue(Emails.class, later("mail-1"), e -> e.send("ann"));
        engine.advance(HOUR.minusSeconds(1));
        assertThat(sent).isEmpty();
        engine.advance(Duration.ofSeconds(2));
        assertThat(sent).containsExactly("ann 1");
        assertThat(job.history().stream().map(HistoryEvent::type))
                .containsExactly("WorkflowStarted", "ActivityScheduled", "ActivityCompleted", "WorkflowCompleted");
    }

    @Test
    void delayed_jobs_count_where_a_queue_has_a_greatest_depth(TestEngine engine) {
        DurableClient client = set(engine);
        client.queues().limits("default", l -> l.maxDepth(2));
        client.enqueue(Emails.class, later("mail-1"), e -> e.send("ann"));
        client.enqueue(Emails.class, later("mail-2"), e -> e.send("bob"));
        engine.advance(Duration.ofSeconds(2));
        assertThatThrownBy(() -> client.enqueue(Emails.class, later("mail-3"), e -> e.send("eve")))
                .isInstanceOf(QueueFullException.class);
    }

    @Test
    void a_paused_queue_keeps_its_delayed_jobs_beyond_their_time(TestEngine engine) {
        DurableClient client = set(engine);
        client.queues().pause("default");
        client.enqueue(Emails.class, later("mail-1"), e -> e.send("ann"));
        engine.advance(HOUR.multipliedBy(2));
        assertThat(sent).isEmpty();
        client.queues().resume("default");
        engine.advance(MINUTE);
        assertThat(sent).containsExactly("ann 1");
    }

    // ── moved ────────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_delayed_job_is_run_now(TestEngine engine) {
        DurableClient client = set(engine);
        ActivityHandle job = client.enqueue(Emails.class, later("mail-1"), e -> e.send("ann"));
        engine.advance(MINUTE);
        assertThat(job.control().by("ann").runNow()).isTrue();
        engine.settle();
        assertThat(sent).containsExactly("ann 1");
        assertThat(job.history().events(ActivityOperated.class))
                .singleElement()
                .satisfies(
                        event -> assertThat(event.action() + " " + event.by()).isEqualTo("runNow ann"));
        assertThat(job.history()).allSatisfy(event -> assertThat(event.at()).isBeforeOrEqualTo(engine.now()));
    }

    @Test
    void retry_runs_a_delayed_job_too(TestEngine engine) {
        DurableClient client = set(engine);
        client.enqueue(Emails.class, later("mail-1"), e -> e.send("ann"));
        assertThat(mails(client).retry()).isOne();
        engine.settle();
        assertThat(sent).containsExactly("ann 1");
    }

    @Test
    void what_is_ready_already_is_not_run_any_sooner(TestEngine engine) {
        DurableClient client = set(engine);
        ActivityHandle job = client.enqueue(Elsewhere.class, Elsewhere::work);
        assertThat(job.control().runNow()).isFalse();
    }

    @Test
    void a_rescheduled_job_begins_at_its_new_time_and_not_before(TestEngine engine) {
        DurableClient client = set(engine);
        ActivityHandle job = client.enqueue(Emails.class, later("mail-1"), e -> e.send("ann"));
        Instant due = engine.now().plus(HOUR.multipliedBy(3));
        assertThat(job.control().reschedule(due)).isTrue();
        engine.advance(HOUR.multipliedBy(3).minusSeconds(1));
        assertThat(sent).isEmpty();
        engine.advance(Duration.ofSeconds(2));
        assertThat(sent).containsExactly("ann 1");
        assertThat(job.history().events(ActivityOperated.class)).singleElement().satisfies(event -> {
            assertThat(event.action()).isEqualTo("reschedule");
            assertThat(event.nextAttemptAt()).isEqualTo(due);
        });
    }

    @Test
    void a_job_is_rescheduled_to_an_earlier_time(TestEngine engine) {
        DurableClient client = set(engine);
        ActivityHandle job = client.enqueue(Emails.class, later("mail-1"), e -> e.send("ann"));
        job.control().reschedule(engine.now().plus(MINUTE));
        engine.advance(MINUTE.plusSeconds(2));
        assertThat(sent).containsExactly("ann 1");
    }

    @Test
    void a_job_that_waits_for_a_retry_is_rescheduled(TestEngine engine) {
        DurableClient client = set(engine);
        failures.set(1);
        ActivityHandle job = client.enqueue(Emails.class, StartOptions.id("mail-1"), e -> e.send("ann"));
        engine.settle();
        assertThat(job.control().reschedule(engine.now().plus(HOUR))).isTrue();
        engine.advance(HOUR.minus(MINUTE));
        assertThat(sent).isEmpty();
        engine.advance(MINUTE.multipliedBy(2));
        assertThat(sent).containsExactly("ann 2");
    }

    @Test
    void the_timeouts_of_a_rescheduled_job_count_from_its_new_time(TestEngine engine) {
        DurableClient client = set(engine);
        ActivityHandle job =
                client.enqueue(Emails.class, StartOptions.id("mail-1").startDelay(MINUTE), Emails::soon);
        job.control().reschedule(engine.now().plus(HOUR.multipliedBy(4)));
        engine.advance(HOUR.multipliedBy(3));
        assertThat(status(job)).isEqualTo(WorkflowStatus.RUNNING);
        job.await();
        assertThat(sent).containsExactly("soon");
    }

    @Test
    void an_expiry_stays_where_it_is_when_a_job_is_rescheduled(TestEngine engine) {
        DurableClient client = set(engine);
        Instant expiry = engine.now().plus(HOUR.multipliedBy(2));
        ActivityHandle job = client.enqueue(Elsewhere.class, later("job-1").expiresAt(expiry), Elsewhere::work);
        ActivityControl control = job.control();
        assertThatThrownBy(() -> control.reschedule(expiry.plusSeconds(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Elsewhere.work of job-1 expires at " + expiry)
                .hasMessageContaining("it would never run");
        assertThat(client.activities().reschedule(expiry.plusSeconds(1))).isZero();
        assertThat(control.reschedule(engine.now().plus(MINUTE))).isTrue();
        engine.advance(HOUR);
        assertThat(status(job)).as("expires as it was said").isEqualTo(WorkflowStatus.RUNNING);
        engine.advance(HOUR.plus(MINUTE));
        assertThatThrownBy(job::await)
                .isInstanceOf(WorkflowFailedException.class)
                .hasMessageContaining("Elsewhere.work (activity 1) expired at " + expiry);
    }

    @Test
    void a_time_that_has_passed_is_refused(TestEngine engine) {
        DurableClient client = set(engine);
        ActivityHandle job = client.enqueue(Emails.class, later("mail-1"), e -> e.send("ann"));
        assertThatThrownBy(() -> job.control().reschedule(engine.now().minusSeconds(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the time must be ahead")
                .hasMessageContaining("runNow()");
        assertThatThrownBy(() -> mails(client).reschedule(Instant.MAX)).isInstanceOf(IllegalArgumentException.class);
    }

    // ── held, ended ──────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_paused_delayed_job_is_held_beyond_its_time_and_begins_when_it_is_resumed(TestEngine engine) {
        DurableClient client = set(engine);
        ActivityHandle job = client.enqueue(Emails.class, later("mail-1"), e -> e.send("ann"));
        assertThat(job.control().pause()).isTrue();
        engine.advance(HOUR.multipliedBy(2));
        assertThat(job.control().describe().state()).isEqualTo(ActivityState.PAUSED);
        assertThat(sent).isEmpty();
        assertThat(job.control().resume()).isTrue();
        engine.settle();
        assertThat(sent).containsExactly("ann 1");
    }

    @Test
    void a_paused_job_that_is_rescheduled_is_due_then_when_it_is_resumed(TestEngine engine) {
        DurableClient client = set(engine);
        ActivityHandle job = client.enqueue(Emails.class, later("mail-1"), e -> e.send("ann"));
        job.control().pause();
        assertThat(job.control().reschedule(engine.now().plus(HOUR.multipliedBy(3))))
                .isTrue();
        assertThat(job.control().describe().state()).isEqualTo(ActivityState.PAUSED);
        engine.advance(HOUR.multipliedBy(2));
        job.control().resume();
        engine.settle();
        assertThat(sent).isEmpty();
        engine.advance(HOUR.plusSeconds(2));
        assertThat(sent).containsExactly("ann 1");
    }

    @Test
    void a_delayed_job_is_completed_by_hand(TestEngine engine) {
        DurableClient client = set(engine);
        ActivityHandle job = client.enqueue(Emails.class, later("list-1"), e -> e.addresses("staff"));
        job.control().complete(List.of("by hand"));
        assertThat(job.resultAs(new TypeRef<List<String>>() {})).containsExactly("by hand");
        assertThat(status(job)).isEqualTo(WorkflowStatus.COMPLETED);
        assertThatThrownBy(() -> job.control().runNow()).isInstanceOf(StaleAttemptException.class);
    }

    @Test
    void a_delayed_job_is_failed_by_hand(TestEngine engine) {
        DurableClient client = set(engine);
        ActivityHandle job = client.enqueue(Emails.class, later("list-1"), e -> e.addresses("staff"));
        job.control().fail(new NoSuchList("not this one"));
        assertThatThrownBy(job::await).isInstanceOf(NoSuchList.class).hasMessage("not this one");
    }

    @Test
    void a_cancelled_delayed_job_ends_at_once_and_never_runs(TestEngine engine) {
        DurableClient client = set(engine);
        ActivityHandle job = client.enqueue(Emails.class, later("mail-1"), e -> e.send("ann"));
        job.cancel("wrong address");
        engine.settle();
        assertThat(status(job)).isEqualTo(WorkflowStatus.CANCELLED);
        assertThatThrownBy(job::await)
                .isInstanceOfAny(WorkflowFailedException.class, CancelledException.class)
                .hasMessageContaining("wrong address");
        engine.advance(HOUR.multipliedBy(2));
        assertThat(sent).isEmpty();
    }

    @Test
    void who_cancels_a_job_by_its_control_or_a_selection_stands_in_its_history_and_result(TestEngine engine) {
        DurableClient client = set(engine);
        ActivityHandle one = client.enqueue(Emails.class, later("mail-1"), e -> e.send("ann"));
        ActivityHandle other = client.enqueue(Emails.class, later("mail-2"), e -> e.send("bob"));
        assertThat(client.job("mail-1").control().by("eve").cancel("wrong address"))
                .isTrue();
        assertThat(mails(client).by("eve").where(a -> a.workflowId("mail-2")).cancel("wrong address"))
                .isOne();
        engine.settle();
        for (ActivityHandle job : List.of(one, other)) {
            assertThat(job.history().events(WorkflowCancelRequested.class))
                    .extracting(WorkflowCancelRequested::by)
                    .containsExactly("eve");
            assertThatThrownBy(job::await).hasMessageContaining("was cancelled by eve: wrong address");
        }
    }

    @Test
    void one_selection_moves_runs_and_cancels_many_delayed_jobs(TestEngine engine) {
        DurableClient client = set(engine);
        for (int i = 0; i < 450; i++) {
            String to = "to-" + i;
            client.enqueue(Emails.class, later("mail-" + i), e -> e.send(to));
        }
        ActivityQuery delayed = mails(client).where(a -> a.state(ActivityState.DELAYED));
        assertThat(delayed.reschedule(engine.now().plus(HOUR.multipliedBy(5)))).isEqualTo(450);
        assertThat(delayed.where(a -> a.workflowId("mail-7")).runNow()).isOne();
        engine.settle();
        assertThat(sent).containsExactly("to-7 1");
        engine.advance(HOUR.multipliedBy(2));
        assertThat(delayed.cancel("campaign stopped")).isEqualTo(449);
        engine.settle();
        assertThat(delayed.count()).isZero();
        assertThat(client.jobs().where(w -> w.status(WorkflowStatus.CANCELLED)).count())
                .isEqualTo(449);
    }

    @Test
    void an_activity_of_a_workflow_is_not_cancelled_from_outside(TestEngine engine) {
        DurableClient client = set(engine);
        failures.set(1);
        client.startVoid(Mailing.class, "mailing-1", w -> w.run("ann"));
        engine.settle();
        assertThat(mails(client).cancel("no")).isZero();
        assertThatThrownBy(() -> client.activity("mailing-1", 1).cancel("no"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("was called by workflow mailing-1")
                .hasMessageContaining("Cancel the workflow");
    }

    // ── chosen for one job ───────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_preset_chosen_at_the_enqueue_goes_before_the_activitys_policy(TestEngine engine) {
        DurableClient client = set(engine);
        failures.set(4);
        ActivityHandle job = client.enqueue(
                Emails.class,
                StartOptions.id("mail-1").activity(o -> o.retry(RetryPolicy.fixed(MINUTE, 5))),
                e -> e.send("ann"));
        engine.advance(MINUTE.multipliedBy(5));
        assertThat(sent).containsExactly("ann 5");
        job.await();
    }

    @Test
    void timeouts_limit_key_and_priority_are_chosen_for_one_job(TestEngine engine) {
        DurableClient client = set(engine);
        ActivityHandle job = client.enqueue(
                Emails.class,
                later("mail-1")
                        .activity(o -> o.startToClose(Duration.ofSeconds(9))
                                .limitKey("smtp")
                                .priority(4)),
                e -> e.send("ann"));
        ActivitySummary listed = job.control().describe();
        assertThat(listed.options().limitKey()).isEqualTo("smtp");
        assertThat(listed.options().priority()).isEqualTo(4);
        job.await();
        assertThat(startsToClose).containsExactly(Duration.ofSeconds(9));
        assertThat(job.history()
                        .events(ActivityScheduled.class)
                        .findFirst()
                        .orElseThrow()
                        .options())
                .isEqualTo(listed.options());
    }

    @Test
    void what_was_not_chosen_is_taken_from_the_worker_that_begins_the_job(TestEngine engine) {
        engine.configuration(Map.of("durable.activities.Emails.start-to-close", "90s"));
        DurableClient client = set(engine);
        failures.set(2);
        ActivityHandle job = client.enqueue(WebEmails.class, later("mail-1"), e -> e.send("ann"));
        engine.advance(HOUR.multipliedBy(2));
        assertThat(sent).as("three attempts, as the worker has it").containsExactly("ann 3");
        assertThat(startsToClose).containsOnly(Duration.ofSeconds(90)).hasSize(3);
        assertThat(job.history().events(ActivityOptionsUpdated.class))
                .singleElement()
                .satisfies(event -> {
                    assertThat(event.oldOptions().startToClose()).isEqualTo(Duration.ofSeconds(7));
                    assertThat(event.newOptions().startToClose()).isEqualTo(Duration.ofSeconds(90));
                });
    }

    @Test
    void what_was_chosen_is_not_taken_from_the_worker(TestEngine engine) {
        engine.configuration(Map.of("durable.activities.Emails.start-to-close", "90s"));
        DurableClient client = set(engine);
        failures.set(1);
        StartOptions chosen = later("mail-1").activity(o -> o.startToClose(Duration.ofSeconds(9)));
        client.enqueue(WebEmails.class, chosen, e -> e.send("ann")).await();
        assertThat(sent).as("retried by the worker's policy").containsExactly("ann 2");
        assertThat(startsToClose).containsExactly(Duration.ofSeconds(9), Duration.ofSeconds(9));
    }

    @Test
    void an_operators_options_go_before_the_workers(TestEngine engine) {
        DurableClient client = set(engine);
        failures.set(2);
        ActivityHandle job = client.enqueue(WebEmails.class, later("mail-1"), e -> e.send("ann"));
        job.control().updateTimeout(Duration.ofSeconds(11));
        job.await();
        assertThat(sent).containsExactly("ann 3");
        assertThat(startsToClose).containsOnly(Duration.ofSeconds(11));
    }

    @Test
    void what_held_for_the_first_attempt_holds_for_the_job_when_it_is_a_dead_letter(TestEngine engine) {
        engine.configuration(Map.of(
                "durable.activities.Emails.start-to-close", "90s",
                "durable.activities.Emails.retry.max-attempts", "1",
                "durable.activities.Emails.retry.on-exhausted", "DEAD_LETTER"));
        DurableClient client = set(engine);
        failures.set(1);
        ActivityHandle job = client.enqueue(WebEmails.class, StartOptions.id("mail-1"), e -> e.send("ann"));
        engine.settle();
        assertThat(client.deadLetters().retry()).isOne();
        job.await();
        assertThat(sent).containsExactly("ann 2");
        assertThat(startsToClose).containsOnly(Duration.ofSeconds(90)).hasSize(2);
    }

    @Test
    void options_that_no_job_has_are_refused_at_the_enqueue(TestEngine engine) {
        DurableClient client = set(engine);
        assertThatThrownBy(() -> client.enqueue(
                        Emails.class, StartOptions.id("mail-1").activity(o -> o.local(true)), e -> e.send("ann")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a local activity has no job");
        assertThatThrownBy(() -> client.enqueue(
                        Emails.class,
                        StartOptions.id("mail-1")
                                .activity(o -> o.startToClose(MINUTE).heartbeatTimeout(HOUR)),
                        e -> e.send("ann")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("heartbeatTimeout");
        assertThatThrownBy(() -> client.enqueue(
                        Emails.class,
                        StartOptions.id("mail-1").priority(2).activity(o -> o.priority(3)),
                        e -> e.send("ann")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("job mail-1: its priority is said twice, 2 by StartOptions.priority(…) and 3 by"
                        + " activity(o -> o.priority(…)). Say it once.");
        assertThatThrownBy(() -> client.enqueue(
                        Emails.class,
                        StartOptions.id("mail-1").taskQueue("one").activity(o -> o.taskQueue("other")),
                        e -> e.send("ann")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("its taskQueue is said twice, one by StartOptions.taskQueue(…) and other by");
        assertThatThrownBy(() -> client.startVoid(
                        Mailing.class, StartOptions.id("m-1").activity(o -> o.priority(1)), w -> w.run("ann")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("activity(o -> …) is for background jobs");
        assertThatThrownBy(() ->
                        client.startVoid(Mailing.class, StartOptions.id("m-1").priority(1), w -> w.run("ann")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("priority(1) is for background jobs")
                .hasMessageContaining("@Activity(priority = …)");
        assertThat(client.workflows().count()).isZero();
    }

    // ── found again ──────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void ended_jobs_are_listed_by_activity_and_state(TestEngine engine) {
        DurableClient client = set(engine);
        client.enqueue(Emails.class, StartOptions.id("mail-1"), e -> e.send("ann"))
                .await();
        client.enqueue(Emails.class, StartOptions.id("list-1"), e -> e.addresses("staff"))
                .await();
        ActivityHandle failed = client.enqueue(
                Emails.class, StartOptions.id("list-2").activity(o -> o.maxAttempts(1)), e -> e.addresses(""));
        assertThatThrownBy(failed::await).isInstanceOf(NoSuchList.class);
        client.enqueue(Emails.class, later("mail-2"), e -> e.send("bob"));
        client.startVoid(Mailing.class, "mailing-1", w -> w.run("eve")).result();

        WorkflowQuery mails = client.jobs().oldestFirst().where(j -> j.activity("Emails.send"));
        assertThat(mails.page(10)).extracting(WorkflowQuery.Row::workflowId).containsExactly("mail-1", "mail-2");
        assertThat(mails.where(j -> j.status(WorkflowStatus.COMPLETED)).count()).isOne();
        WorkflowQuery.Row found = client.jobs()
                .where(j -> j.activity("Emails.addresses").status(WorkflowStatus.FAILED))
                .page(10)
                .getFirst();
        assertThat(found.job().activity()).isEqualTo("Emails.addresses");
        assertThatThrownBy(found.job()::await).isInstanceOf(NoSuchList.class);
        assertThat(client.jobs().count()).isEqualTo(4);
        WorkflowQuery.Row workflow =
                client.workflows().where(w -> w.workflowId("mailing-1")).page(1).getFirst();
        assertThatThrownBy(workflow::job)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("mailing-1 is a run of Mailing and no background job");
    }

    @Test
    void an_id_gives_a_handle_with_the_same_results_and_exceptions(TestEngine engine) {
        DurableClient client = set(engine);
        client.enqueue(Emails.class, StartOptions.id("list-1"), e -> e.addresses("staff"));
        ActivityHandle found = client.job("list-1");
        assertThat(found.resultAs(new TypeRef<List<String>>() {})).containsExactly("staff@example.org");
        assertThat(found.activity()).isEqualTo("Emails.addresses");

        StartOptions once = StartOptions.id("list-2").activity(o -> o.maxAttempts(1));
        ActivityHandle enqueued = client.enqueue(Emails.class, once, e -> e.addresses(""));
        assertThatThrownBy(enqueued::await).isInstanceOf(NoSuchList.class);
        assertThat(client.job("list-2").runId()).isEqualTo(enqueued.runId());
        assertThatThrownBy(() -> client.job("list-2").await())
                .isInstanceOf(NoSuchList.class)
                .hasMessage("a list has a name");
        assertThatThrownBy(() -> client.job(Emails.class, "list-2").await()).isInstanceOf(NoSuchList.class);

        failures.set(9);
        client.enqueue(Emails.class, once.withId("mail-1"), e -> e.send("ann"));
        assertThatThrownBy(() -> client.job("mail-1").await())
                .isInstanceOf(ActivityFailedException.class)
                .hasMessageContaining("Emails.send (job mail-1) failed in attempt 1")
                .hasMessageContaining("the mail server is away");
    }

    @Test
    void a_handle_of_an_id_that_is_no_jobs_is_refused(TestEngine engine) {
        DurableClient client = set(engine);
        client.startVoid(Mailing.class, "mailing-1", w -> w.run("ann"));
        client.enqueue(Emails.class, StartOptions.id("mail-1"), e -> e.send("ann"));
        assertThatThrownBy(() -> client.job("mailing-1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("mailing-1 is the id of a run of Mailing and of no background job."
                        + " Use client.handle(\"mailing-1\").");
        assertThatThrownBy(() -> client.job("nobody"))
                .isInstanceOf(WorkflowNotFoundException.class)
                .hasMessageContaining("there is no job nobody")
                .hasMessageEndingWith("if it follows a batch that is not at rest (onCompletion), once that is.");
        assertThatThrownBy(() -> client.job(Elsewhere.class, "mail-1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("job mail-1 runs Emails.send, which is none of " + Elsewhere.class.getName());
    }
}
