package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.ActivityFailedException;
import dev.durable.CancelledException;
import dev.durable.Durable;
import dev.durable.NonRetryableException;
import dev.durable.OnExhausted;
import dev.durable.Promise;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.StaleAttemptException;
import dev.durable.Workflow;
import dev.durable.client.ActivityHandle;
import dev.durable.client.ActivityState;
import dev.durable.client.ActivitySummary;
import dev.durable.client.AuditEntry;
import dev.durable.client.AuditQuery;
import dev.durable.client.DurableClient;
import dev.durable.client.ExternalActivity;
import dev.durable.client.Page;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowQuery;
import dev.durable.history.ActivityCompleted;
import dev.durable.history.ActivityOperated;
import dev.durable.history.ActivityOptionsUpdated;
import dev.durable.history.ActivityTimeoutUpdated;
import dev.durable.history.HistoryEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * The actions of operators and holders of tokens on activities, from the client's call to the history; on each kind of
 * store.
 */
abstract class OperatorsTest {

    @Activity(
            startToClose = "1h",
            retry = @Retry(maxAttempts = 3, initialInterval = "10m", jitter = 0, onExhausted = OnExhausted.FAIL))
    interface Work {
        String now(String what);

        String later(String what);

        @Activity(heartbeatTimeout = "5m")
        String watched(String what);

        String blocked(String what);

        @Activity(local = true)
        String inside(String what);
    }

    private final AtomicInteger failures = new AtomicInteger();
    private final CountDownLatch interrupted = new CountDownLatch(1);
    private final List<String> tokens = new ArrayList<>();

    private final class Worker implements Work {
        @Override
        public String now(String what) {
            if (failures.getAndDecrement() > 0) {
                throw new IllegalStateException("not yet");
            }
            return what + " " + ActivityContext.current().info().attempt();
        }

        @Override
        public String later(String what) {
            tokens.add(ActivityContext.current().completeLater());
            return "ignored";
        }

        @Override
        public String watched(String what) {
            return later(what);
        }

        @Override
        public String blocked(String what) {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                interrupted.countDown();
                throw new IllegalStateException("interrupted", e);
            }
            return what;
        }

        @Override
        public String inside(String what) {
            return later(what);
        }
    }

    private TestEngine set(TestEngine engine) {
        return engine.activity(Work.class, new Worker());
    }

    // ── listings ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_listing_goes_on_behind_its_page_whatever_starts_and_ends_meanwhile(TestEngine engine) {
        set(engine);
        DurableClient client = engine.client();
        for (int i = 1; i <= 7; i++) {
            enqueueLater(engine, "job-" + i);
        }
        assertGoesOn(engine, client.jobs(), List.of("job-7", "job-6", "job-5", "job-4", "job-3", "job-2", "job-1"));
        assertGoesOn(
                engine,
                client.jobs().oldestFirst(),
                List.of("job-1", "job-2", "job-3", "job-4", "job-5", "job-6", "job-7"));

        List<String> waiting = new ArrayList<>();
        Page<ActivitySummary> page = client.activities().page(3);
        while (!page.isEmpty()) {
            assertThat(page).hasSizeLessThanOrEqualTo(3);
            page.forEach(a -> waiting.add(a.workflowId()));
            client.activities()
                    .where(a -> a.workflowId(waiting.getFirst()))
                    .fail(new IllegalStateException("not any more"));
            page = client.activities().page(3, page.next());
        }
        assertThat(waiting).startsWith("job-1", "job-2", "job-3", "job-4", "job-5", "job-6", "job-7");
    }

    private static void assertGoesOn(TestEngine engine, WorkflowQuery query, List<String> expected) {
        Page<WorkflowQuery.Row> page = query.page(3);
        List<String> seen = new ArrayList<>();
        while (!page.isEmpty() && seen.size() < expected.size()) {
            page.forEach(row -> seen.add(row.workflowId()));
            assertThat(page.next()).matches("[A-Za-z0-9_-]{1,40}");
            enqueueLater(engine, "later-" + seen.size() + "-" + expected.getFirst());
            page = query.page(3, page.next());
        }
        assertThat(seen).startsWith(expected.toArray(String[]::new)).doesNotHaveDuplicates();
    }

    @Test
    void where_a_listing_goes_on_is_told_by_its_own_pages_only(TestEngine engine) {
        set(engine);
        DurableClient client = engine.client();
        enqueueLater(engine, "job-1");
        String next = client.jobs().page(1).next();

        assertThat(client.jobs().page(1, next)).isEmpty();
        assertThat(client.jobs().page(1, next).next()).isEqualTo(next);
        assertThat(client.jobs().where(j -> j.workflowId("nobody")).page(1).next())
                .isNull();
        for (String wrong : List.of("", "order-42", "!", "A".repeat(100_000))) {
            assertThatThrownBy(() -> client.jobs().page(1, wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("that is no place in this listing. Give what next() of a page of the same"
                            + " listing, in the same order, has given, or null for its front.");
        }
        assertThatThrownBy(() -> client.jobs().oldestFirst().page(1, next))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> client.activities().page(1, next)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> client.audit().page(1, next)).isInstanceOf(IllegalArgumentException.class);
    }

    private static void enqueueLater(TestEngine engine, String id) {
        // Listings go by run id, which is by the millisecond.
        engine.advance(Duration.ofSeconds(1));
        engine.client().enqueue(Work.class, StartOptions.id(id).startDelay(Duration.ofHours(1)), w -> w.now(id));
    }

    @Test
    void the_audit_tells_what_was_done_and_by_whom(TestEngine engine) {
        ActivityHandle job = failedOnce(engine);
        engine.client().queues().by("bob").pauseActivity("Work.now");
        engine.client().activities().by("ann").pause();
        engine.client().activities().by("ann").resume();

        AuditQuery audit = engine.client().audit();
        assertThat(audit.page(10))
                .extracting(AuditEntry::actor, AuditEntry::action)
                .containsExactlyInAnyOrder(
                        tuple("ann", "resume"), tuple("ann", "pause"), tuple("bob", "pause activity"));
        assertThat(audit.where(a -> a.workflowId(job.id()).actor("ann"))
                        .page(1, audit.page(0).next()))
                .singleElement()
                .satisfies(row -> assertThat(row.target()).startsWith("activity 1 of run "));
        assertThat(audit.where(a -> a.workflowId(job.id())).stream()).hasSize(2);
        assertThat(audit.where(a -> a.workflowId("nobody")).page(10)).isEmpty();
    }

    @Test
    void who_started_a_run_stands_in_its_history_and_description(TestEngine engine) {
        set(engine);
        DurableClient client = engine.client();
        client.enqueue(Work.class, StartOptions.id("job-1").by("ann"), w -> w.now("a"));
        client.enqueue(Work.class, StartOptions.id("job-2"), w -> w.now("a"));

        assertThat(client.history("job-1").started().startedBy()).isEqualTo("ann");
        assertThat(client.handle("job-1").describe().startedBy()).isEqualTo("ann");
        String process = client.history("job-2").started().startedBy();
        assertThat(process).isNotBlank();
        assertThat(client.handle("job-2").describe().startedBy()).isEqualTo(process);
        assertThatThrownBy(() ->
                        client.enqueue(Work.class, StartOptions.id("job-3").by("an\nn"), w -> w.now("a")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("start of job-3: by");
    }

    // ── operators ────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_retry_that_waits_begins_at_once_when_an_operator_says_so(TestEngine engine) {
        ActivityHandle job = failedOnce(engine);
        assertThat(engine.client().activities().page(10)).singleElement().satisfies(a -> {
            assertThat(a.state()).isEqualTo(ActivityState.DELAYED);
            assertThat(a.attempt()).isEqualTo(2);
            assertThat(a.lastFailure()).contains("not yet");
            assertThat(a.nextAttemptAt()).isAfter(engine.now());
        });

        assertThat(engine.client()
                        .activities()
                        .where(a -> a.activity("Work.now")
                                .state(ActivityState.DELAYED)
                                .attemptFrom(2))
                        .by("ann")
                        .retry())
                .isOne();

        Instant before = engine.now();
        assertThat(job.resultAs(String.class)).isEqualTo("a 2");
        assertThat(Duration.between(before, engine.now())).isLessThan(Duration.ofMinutes(5));
        assertThat(events(job, ActivityOperated.class)).singleElement().satisfies(e -> {
            assertThat(e.action()).isEqualTo("retry");
            assertThat(e.by()).isEqualTo("ann");
        });
    }

    @Test
    void a_paused_activity_is_held_until_it_is_resumed(TestEngine engine) {
        ActivityHandle job = failedOnce(engine);
        assertThat(engine.client().activity(job.id(), 1).by("ann").pause()).isTrue();
        assertThat(engine.client().activity(job.id(), 1).by("ann").pause())
                .as("twice is as once")
                .isFalse();

        engine.advance(Duration.ofHours(3));
        assertThat(engine.client().activity(job.id(), 1).describe().state()).isEqualTo(ActivityState.PAUSED);
        assertThat(engine.client()
                        .activities()
                        .where(a -> a.workflowId(job.id()))
                        .resume())
                .isOne();

        assertThat(job.resultAs(String.class)).isEqualTo("a 2");
    }

    @Test
    void an_operator_completes_an_activity_by_hand(TestEngine engine) {
        ActivityHandle job = failedOnce(engine);

        engine.client().activity(job.id(), 1).by("ann").complete("by hand");

        assertThat(job.resultAs(String.class)).isEqualTo("by hand");
        assertThat(events(job, ActivityCompleted.class))
                .singleElement()
                .satisfies(e -> assertThat(e.worker()).isEqualTo("ann"));
    }

    @Test
    void an_operator_fails_an_activity_by_hand(TestEngine engine) {
        ActivityHandle job = failedOnce(engine);

        engine.client().activity(job.id(), 1).fail(new IllegalArgumentException("wrong customer"));

        assertThatThrownBy(job::await)
                .isInstanceOf(ActivityFailedException.class)
                .hasMessageContaining("wrong customer");
    }

    @Test
    void nothing_is_faked_for_an_activity_that_has_ended(TestEngine engine) {
        set(engine);
        ActivityHandle job = engine.client().enqueue(Work.class, w -> w.now("a"));
        job.await();

        assertThatThrownBy(() -> engine.client().activity(job.id(), 1).complete("late"))
                .isInstanceOf(StaleAttemptException.class)
                .hasMessage("STALE: activity 1 of workflow " + job.id()
                        + " is not open: it ended, or its run did, or it is local. Nothing was written.");
        assertThatThrownBy(() -> engine.client().activity(job.id(), 1).pause())
                .isInstanceOf(StaleAttemptException.class);
        assertThat(engine.client()
                        .activities()
                        .where(a -> a.workflowId(job.id()))
                        .retry())
                .isZero();
    }

    @Test
    void other_retries_hold_from_the_next_decision_on(TestEngine engine) {
        ActivityHandle job = failedOnce(engine);
        failures.set(9);

        engine.client().activity(job.id(), 1).by("ann").updateOptions(o -> o.maxAttempts(2));

        assertThatThrownBy(job::await)
                .isInstanceOf(ActivityFailedException.class)
                .hasMessageContaining("failed in attempt 2");
        assertThat(events(job, ActivityOptionsUpdated.class)).singleElement().satisfies(e -> {
            assertThat(e.oldOptions().retry().maxAttempts()).isEqualTo(3);
            assertThat(e.newOptions().retry().maxAttempts()).isEqualTo(2);
            assertThat(e.by()).isEqualTo("ann");
        });
    }

    @Test
    void the_timeout_of_an_activity_that_waits_is_that_of_its_next_attempt(TestEngine engine) {
        ActivityHandle job = failedOnce(engine);

        Instant due = engine.client().activity(job.id(), 1).describe().nextAttemptAt();

        engine.client().activity(job.id(), 1).by("ann").updateTimeout(Duration.ofDays(1));

        assertThat(engine.client().activity(job.id(), 1).describe().options().startToClose())
                .isEqualTo(Duration.ofDays(1));
        job.await();
        assertThat(events(job, ActivityOptionsUpdated.class)).isEmpty();
        assertThat(events(job, ActivityTimeoutUpdated.class)).singleElement().satisfies(e -> {
            assertThat(e.oldDeadline()).isEqualTo(due.plus(Duration.ofHours(1)));
            assertThat(e.newDeadline()).isEqualTo(due.plus(Duration.ofDays(1)));
            assertThat(e.by()).isEqualTo("ann");
        });
    }

    @Test
    void what_an_activity_was_scheduled_with_is_not_changed(TestEngine engine) {
        ActivityHandle job = failedOnce(engine);

        assertThatThrownBy(() -> engine.client().activity(job.id(), 1).updateOptions(o -> o.taskQueue("other")))
                .hasMessageContaining("updateOptions changes timeouts and the retry policy only");
    }

    // ── holders of tokens ────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void who_has_the_token_completes_the_activity(TestEngine engine) {
        ActivityHandle job = leftToOthers(engine);

        engine.client().activity(tokens.get(0)).complete("from elsewhere");

        assertThat(job.resultAs(String.class)).isEqualTo("from elsewhere");
    }

    @Test
    void the_same_completion_again_is_fine_and_another_one_is_stale(TestEngine engine) {
        ActivityHandle job = leftToOthers(engine);
        ExternalActivity holder = engine.client().activity(tokens.get(0));
        holder.complete("a");
        holder.complete("a");
        job.await();
        holder.complete("a");

        assertThatThrownBy(() -> holder.complete("b"))
                .isInstanceOf(StaleAttemptException.class)
                .hasMessageStartingWith("STALE: ");
        assertThatThrownBy(() -> holder.fail(new IllegalStateException("late")))
                .isInstanceOf(StaleAttemptException.class);
        assertThatThrownBy(() -> holder.heartbeat("late")).isInstanceOf(StaleAttemptException.class);
        assertThatThrownBy(() -> holder.updateTimeout(Duration.ofMinutes(1))).isInstanceOf(StaleAttemptException.class);
        assertThat(events(job, ActivityCompleted.class)).hasSize(1);
    }

    @Test
    void a_failure_that_the_holder_tells_is_retried_by_the_policy(TestEngine engine) {
        ActivityHandle job = leftToOthers(engine);

        engine.client().activity(tokens.get(0)).fail(new IllegalStateException("try again"));
        engine.advance(Duration.ofMinutes(11));

        assertThat(tokens).hasSize(2);
        assertThatThrownBy(() -> engine.client().activity(tokens.get(0)).complete("old token"))
                .isInstanceOf(StaleAttemptException.class);
        engine.client().activity(tokens.get(1)).fail(new NonRetryableException("no more"));
        assertThatThrownBy(job::await).hasMessageContaining("no more").hasMessageContaining("attempt 2");
    }

    @Test
    void nobody_who_ends_it_in_time_is_a_timeout(TestEngine engine) {
        ActivityHandle job = leftToOthers(engine);

        engine.advance(Duration.ofMinutes(61));
        engine.advance(Duration.ofMinutes(11));

        assertThat(tokens).as("the next attempt").hasSize(2);
        assertThat(engine.client().activity(job.id(), 1).describe().lastFailure())
                .contains("ran out of start-to-close");
    }

    @Test
    void the_holder_gives_itself_more_time_and_it_is_recorded(TestEngine engine) {
        ActivityHandle job = leftToOthers(engine);

        engine.client().activity(tokens.get(0)).updateTimeout(Duration.ofHours(5));
        engine.advance(Duration.ofHours(4));
        engine.client().activity(tokens.get(0)).complete("in time");

        assertThat(job.resultAs(String.class)).isEqualTo("in time");
        assertThat(events(job, ActivityTimeoutUpdated.class))
                .singleElement()
                .satisfies(e -> assertThat(e.newDeadline()).isAfter(e.oldDeadline()));
    }

    @Test
    void a_silent_holder_times_out_and_one_that_beats_does_not(TestEngine engine) {
        set(engine);
        ActivityHandle job = engine.client().enqueue(Work.class, w -> w.watched("a"));
        engine.settle();
        for (int i = 0; i < 3; i++) {
            engine.advance(Duration.ofMinutes(4));
            engine.client().activity(tokens.get(0)).heartbeat(i);
        }
        ActivitySummary seen = engine.client().activity(job.id(), 1).describe();
        assertThat(seen.state()).isEqualTo(ActivityState.EXTERNAL);
        assertThat(seen.heartbeatDetails()).isEqualTo("2");

        engine.advance(Duration.ofMinutes(6));

        assertThat(engine.client().activity(job.id(), 1).describe().lastFailure())
                .contains("ran out of heartbeat");
    }

    @Test
    void a_holder_is_told_of_a_cancel_with_its_heartbeat(TestEngine engine) {
        set(engine).register(Patient.class);
        var run = engine.client().startVoid(Patient.class, "p-1", Patient::run);
        engine.settle();
        run.signal(Patient::giveUp);
        engine.settle();
        ExternalActivity holder = engine.client().activity(tokens.get(0));

        assertThatThrownBy(() -> holder.heartbeat("half")).isInstanceOf(CancelledException.class);
        holder.fail(new CancelledException("stopped"));
        engine.settle();

        assertThat(run.history().stream().map(HistoryEvent::type)).contains("ActivityCancelled");
        run.signal(Patient::end);
        run.result();
    }

    @Workflow
    static class Patient {
        private final Work work;
        private boolean given;
        private boolean ended;

        Patient(Work work) {
            this.work = work;
        }

        @Run
        void run() {
            Promise<String> call = Durable.async(() -> work.later("a"));
            Durable.await(() -> given);
            call.cancel();
            Durable.await(() -> ended);
        }

        @Signal
        void giveUp() {
            given = true;
        }

        @Signal
        void end() {
            ended = true;
        }
    }

    @Test
    void a_slot_is_free_while_others_hold_the_token(TestEngine engine) {
        set(engine.queue("narrow", q -> q.slots(1)));
        for (int i = 0; i < 3; i++) {
            engine.client().enqueue(Work.class, StartOptions.id("job-" + i).taskQueue("narrow"), w -> w.later("a"));
        }
        engine.settle();

        assertThat(tokens).hasSize(3);
    }

    @Test
    void a_local_activity_ends_with_its_body(TestEngine engine) {
        set(engine).register(Inside.class);
        var run = engine.client().start(Inside.class, "i-1", Inside::run);

        assertThatThrownBy(run::result).hasStackTraceContaining("completeLater in local activity Work.inside");
    }

    @Workflow
    static class Inside {
        private final Work work;

        Inside(Work work) {
            this.work = work;
        }

        @Run
        String run() {
            return work.inside("a");
        }
    }

    @Test
    void the_deadline_of_a_running_attempt_is_moved_by_an_operator(TestEngine engine) throws Exception {
        set(engine);
        ActivityHandle job = engine.client().enqueue(Work.class, w -> w.blocked("a"));
        engine.advanceWhileRunning(Duration.ofSeconds(1));

        engine.client().activity(job.id(), 1).by("ann").updateTimeout(Duration.ofMinutes(2));
        // Beyond its deadline and not beyond that of the next attempt, however long its thread takes to hear of it.
        for (int i = 0; i < 1_500 && !interrupted.await(20, TimeUnit.MILLISECONDS); i++) {
            engine.advanceWhileRunning(i < 15 ? Duration.ofSeconds(10) : Duration.ofMillis(1));
        }
        assertThat(interrupted.getCount()).as("the body is told").isZero();
        engine.settle();

        ActivitySummary seen = engine.client().activity(job.id(), 1).describe();
        assertThat(seen.attempt()).as("the first one has timed out").isEqualTo(2);
        assertThat(seen.lastFailure()).contains("ran out of start-to-close");
        engine.client().activity(job.id(), 1).complete("seen enough");
        job.await();
        assertThat(events(job, ActivityTimeoutUpdated.class)).singleElement().satisfies(e -> {
            assertThat(e.by()).isEqualTo("ann");
            assertThat(e.newDeadline()).isBefore(e.oldDeadline());
        });
    }

    @Test
    void a_text_that_is_no_token_is_refused(TestEngine engine) {
        set(engine);
        assertThatThrownBy(() -> engine.client().activity("order-42"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is no token of an activity");
    }

    // ── words ────────────────────────────────────────────────────────────────────────────────────────────────────────

    private ActivityHandle failedOnce(TestEngine engine) {
        set(engine);
        failures.set(1);
        ActivityHandle job = engine.client().enqueue(Work.class, w -> w.now("a"));
        engine.settle();
        return job;
    }

    private ActivityHandle leftToOthers(TestEngine engine) {
        set(engine);
        ActivityHandle job = engine.client().enqueue(Work.class, w -> w.later("a"));
        engine.settle();
        assertThat(tokens).hasSize(1);
        return job;
    }

    private static <E extends HistoryEvent> List<E> events(ActivityHandle job, Class<E> type) {
        return job.history().stream().filter(type::isInstance).map(type::cast).toList();
    }
}
