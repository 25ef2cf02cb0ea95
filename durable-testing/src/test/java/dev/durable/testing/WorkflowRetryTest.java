package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.ChildFailedException;
import dev.durable.ChildHandle;
import dev.durable.ChildOptions;
import dev.durable.Durable;
import dev.durable.NonRetryableException;
import dev.durable.ParentClosePolicy;
import dev.durable.Retry;
import dev.durable.RetryAfterException;
import dev.durable.RetryPolicy;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Update;
import dev.durable.UpdateFailedException;
import dev.durable.UpdateRejectedException;
import dev.durable.Workflow;
import dev.durable.WorkflowFailedException;
import dev.durable.client.StartOptions;
import dev.durable.client.UpdateHandle;
import dev.durable.client.WaitFor;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowStatus;
import dev.durable.client.WorkflowSummary;
import dev.durable.history.ChildCancelRequested;
import dev.durable.history.ChildFailed;
import dev.durable.history.History;
import dev.durable.history.HistoryEvent;
import dev.durable.history.RunAttempt;
import dev.durable.history.WorkflowFailed;
import dev.durable.history.WorkflowStarted;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Workflows that are run again when they fail, as their callers and their code see them. Run on each kind of store. */
abstract class WorkflowRetryTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration DAY = Duration.ofDays(1);

    static final class Declined extends Exception {
        private static final long serialVersionUID = 1L;

        Declined(String message) {
            super(message);
        }
    }

    /** The effects outside, in their order. */
    @Activity(retry = @Retry(maxAttempts = 1))
    interface Ledger {
        void note(String what);

        void fail(String what);
    }

    record Noted(List<String> all) implements Ledger {
        @Override
        public void note(String what) {
            all.add(what);
        }

        @Override
        public void fail(String what) {
            throw new NonRetryableException(what);
        }
    }

    /** Does what its argument says, until the attempt that succeeds. */
    @Workflow
    static class Flaky {
        private final Ledger ledger;
        private final List<String> heard = new ArrayList<>();

        Flaky(Ledger ledger) {
            this.ledger = ledger;
        }

        @Run
        String run(String how, int succeedsAt) throws Declined {
            int attempt = Durable.info().attempt();
            String before = Durable.info().lastFailure().map(Object::toString).orElse("none");
            if (attempt >= succeedsAt) {
                return "attempt " + attempt + " heard " + heard;
            }
            switch (how) {
                case "declared" -> throw new Declined("no " + attempt);
                case "never again" -> throw new NonRetryableException("for good");
                case "later" -> throw new RetryAfterException(HOUR);
                case "activity" -> ledger.fail("by the activity");
                case "sleeps" -> Durable.sleep(DAY);
                case "undone", "undo fails" -> {
                    Durable.compensate(() -> ledger.note("undo " + attempt));
                    if (how.equals("undo fails")) {
                        Durable.compensate(() -> ledger.fail("undo"));
                    }
                    ledger.note("do " + attempt);
                }
                case "undone slowly" -> Durable.compensate(() -> Durable.sleep(HOUR));
                case "listens" -> Durable.await(() -> !heard.isEmpty());
                case "asks to cancel" -> Durable.external(Flaky.class, "f-1").cancel("enough");
                case "stalls" -> throw new AssertionError("a mistake of the code");
                default -> {}
            }
            if (how.equals("asks to cancel")) {
                Durable.detached(() -> Durable.sleep(MINUTE));
            }
            throw new IllegalStateException("failed at " + attempt + " after " + before.length());
        }

        @Signal
        void say(String word) {
            if (word.equals("fail")) {
                throw new IllegalArgumentException("heard it");
            }
            heard.add(word);
        }

        @Update
        String wait(String word) {
            Durable.await(() -> heard.contains(word));
            return word;
        }
    }

    private final List<String> noted = new CopyOnWriteArrayList<>();

    private WorkflowHandle<Flaky, String> flaky(
            TestEngine engine, String how, int succeedsAt, Consumer<List<StartOptions>> options) {
        engine.register(Flaky.class, new Noted(noted));
        List<StartOptions> one = new ArrayList<>(List.of(StartOptions.id("f-1")));
        options.accept(one);
        WorkflowHandle<Flaky, String> run =
                engine.client().start(Flaky.class, one.getLast(), w -> w.run(how, succeedsAt));
        engine.settle();
        return run;
    }

    /** Starts it with three attempts, a minute apart. */
    private WorkflowHandle<Flaky, String> flaky(TestEngine engine, String how, int succeedsAt) {
        return flaky(engine, how, succeedsAt, one -> one.add(one.getLast().retry(RetryPolicy.fixed(MINUTE, 3))));
    }

    /** Returns the histories of the attempts, the first of them first. */
    static List<History> attempts(TestEngine engine, String workflowId) {
        List<History> links = new ArrayList<>();
        WorkflowHandle<?, ?> latest = engine.client().handle(workflowId);
        UUID runId = latest.describe().summary().runId();
        while (runId != null) {
            History history =
                    engine.client().handle(Flaky.class, workflowId, runId).history();
            links.addFirst(history);
            runId = history.started().chain() == null
                    ? null
                    : history.started().chain().previousRunId();
        }
        return links;
    }

    private static WorkflowStatus status(TestEngine engine, History history) {
        return engine.client()
                .handle(Flaky.class, "f-1", history.started().runId())
                .describe()
                .summary()
                .status();
    }

    private static <E extends HistoryEvent> List<E> events(History history, Class<E> type) {
        return history.stream().filter(type::isInstance).map(type::cast).toList();
    }

    // ── attempts ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_failed_workflow_is_run_again_with_its_arguments_until_it_succeeds(TestEngine engine) {
        Instant begun = engine.now();
        WorkflowHandle<Flaky, String> run = flaky(engine, "declared", 3);
        CompletableFuture<String> later = run.resultAsync();

        assertThat(run.result()).isEqualTo("attempt 3 heard []");
        assertThat(later.join()).isEqualTo("attempt 3 heard []");
        assertThat(engine.client().handle(Flaky.class, "f-1").resultAs(String.class))
                .isEqualTo("attempt 3 heard []");
        assertThat(Duration.between(begun, engine.now())).isGreaterThanOrEqualTo(MINUTE.multipliedBy(2));
        List<History> attempts = attempts(engine, "f-1");
        assertThat(attempts).hasSize(3);
        for (int i = 0; i < 3; i++) {
            WorkflowStarted started = attempts.get(i).started();
            RunAttempt attempt = started.attempt();
            assertThat(started.input()).isEqualTo(attempts.getFirst().started().input());
            assertThat(started.chainId()).isEqualTo(run.runId());
            assertThat(attempt.number()).isEqualTo(i + 1);
            assertThat(attempt.retry()).isEqualTo(RetryPolicy.fixed(MINUTE, 3));
            assertThat(
                            attempt.lastFailure() == null
                                    ? null
                                    : attempt.lastFailure().message())
                    .isEqualTo(i == 0 ? null : "no " + i);
            assertThat(started.startDelay()).isEqualTo(i == 0 ? null : MINUTE);
        }
        assertThat(attempts.getFirst().getLast()).isInstanceOfSatisfying(WorkflowFailed.class, failed -> {
            assertThat(failed.nextRunId()).isEqualTo(attempts.get(1).started().runId());
            assertThat(failed.retryIn()).isEqualTo(MINUTE);
        });
        assertThat(status(engine, attempts.getFirst())).isEqualTo(WorkflowStatus.FAILED);
        assertThat(status(engine, attempts.getLast())).isEqualTo(WorkflowStatus.COMPLETED);
    }

    @Test
    void a_workflow_whose_attempts_are_used_up_fails_with_its_last_failure(TestEngine engine) {
        WorkflowHandle<Flaky, String> run = flaky(engine, "declared", 9);

        assertThatThrownBy(run::result)
                .isInstanceOf(WorkflowFailedException.class)
                .hasCauseInstanceOf(Declined.class)
                .hasRootCauseMessage("no 3");
        List<History> attempts = attempts(engine, "f-1");
        assertThat(attempts).hasSize(3);
        assertThat(events(attempts.getLast(), WorkflowFailed.class))
                .singleElement()
                .returns(null, WorkflowFailed::nextRunId)
                .returns(null, WorkflowFailed::retryIn);
    }

    @Test
    void a_handle_with_the_run_id_of_a_failed_attempt_gives_its_failure(TestEngine engine) {
        WorkflowHandle<Flaky, String> run = flaky(engine, "declared", 2);
        run.result();

        assertThatThrownBy(() ->
                        engine.client().handle(Flaky.class, "f-1", run.runId()).resultAs(String.class))
                .isInstanceOf(WorkflowFailedException.class)
                .hasMessage("workflow f-1 failed: " + Declined.class.getName()
                        + ": no 1. Another attempt of it follows, for which a handle without a run id waits")
                .hasCauseInstanceOf(Declined.class);
    }

    @Test
    void exceptions_that_are_not_to_be_retried_fail_the_workflow_at_once(TestEngine engine) {
        WorkflowHandle<Flaky, String> run = flaky(
                engine,
                "declared",
                2,
                one -> one.add(one.getLast().retry(o -> o.maxAttempts(9).doNotRetry(Declined.class))));
        assertThatThrownBy(run::result).hasRootCauseMessage("no 1");
        assertThat(attempts(engine, "f-1")).hasSize(1);

        for (String how : List.of("never again", "activity")) {
            WorkflowHandle<Flaky, String> other = engine.client()
                    .start(Flaky.class, StartOptions.id("f-1").retry(RetryPolicy.fixed(MINUTE, 3)), w -> w.run(how, 2));
            assertThatThrownBy(other::result).isInstanceOf(WorkflowFailedException.class);
            assertThat(attempts(engine, "f-1")).hasSize(1);
        }
    }

    @Test
    void an_exception_says_how_long_the_next_attempt_waits(TestEngine engine) {
        Instant begun = engine.now();
        assertThat(flaky(engine, "later", 2).result()).startsWith("attempt 2");
        assertThat(Duration.between(begun, engine.now())).isGreaterThanOrEqualTo(HOUR);
    }

    @Test
    void a_signal_whose_handler_throws_begins_another_attempt(TestEngine engine) {
        WorkflowHandle<Flaky, String> run = flaky(engine, "listens", 2);
        run.signal(w -> w.say("fail"));

        assertThat(run.result()).isEqualTo("attempt 2 heard []");
    }

    @Test
    void a_workflow_without_a_policy_has_one_attempt(TestEngine engine) {
        WorkflowHandle<Flaky, String> run = flaky(engine, "declared", 2, one -> {});

        assertThatThrownBy(run::result).hasRootCauseMessage("no 1");
        assertThat(attempts(engine, "f-1"))
                .singleElement()
                .satisfies(history -> assertThat(history.started().attempt()).isNull());
    }

    @Test
    void a_workflow_that_stalls_has_not_failed(TestEngine engine) {
        assertThatThrownBy(() -> flaky(engine, "stalls", 2))
                .isInstanceOf(WorkflowStalledException.class)
                .hasMessageContaining("a mistake of the code");

        assertThat(attempts(engine, "f-1")).hasSize(1);
        engine.client().handle("f-1").terminate("seen");
    }

    // ── the back-off ─────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void messages_wait_for_the_next_attempt_and_do_not_end_the_back_off(TestEngine engine) {
        WorkflowHandle<Flaky, String> run = flaky(engine, "declared", 2);
        for (String word : List.of("a", "b", "c")) {
            run.signal(w -> w.say(word));
        }
        engine.settle();
        WorkflowSummary waiting = run.describe().summary();
        assertThat(run.describe().waitingMessages()).isEqualTo(3);
        engine.advance(MINUTE.minusSeconds(1));
        assertThat(run.describe().waitingMessages()).isEqualTo(3);
        assertThat(waiting.status()).isEqualTo(WorkflowStatus.RUNNING);
        assertThat(waiting.chain().attempt()).isEqualTo(2);
        assertThat(waiting.chain().firstRunId()).isEqualTo(run.runId());

        engine.advance(Duration.ofSeconds(2));

        assertThat(run.result()).startsWith("attempt 2 heard");
    }

    @Test
    void signals_that_come_while_an_attempt_is_undone_are_for_the_next_and_an_update_is_to_be_sent_again(
            TestEngine engine) {
        WorkflowHandle<Flaky, String> run = flaky(engine, "undone slowly", 2);
        run.signal(w -> w.say("meanwhile"));
        assertThatThrownBy(() -> run.update(w -> w.wait("never")))
                .isInstanceOf(UpdateRejectedException.class)
                .hasMessageContaining(
                        "an attempt of the workflow has failed, and the next one has not begun. Send the update again");
        engine.advance(HOUR);
        List<History> attempts = attempts(engine, "f-1");
        assertThat(attempts).hasSize(2);
        assertThat(events(attempts.getFirst(), WorkflowFailed.class))
                .singleElement()
                .returns(1, WorkflowFailed::lateMessages);

        assertThat(run.result()).isEqualTo("attempt 2 heard [meanwhile]");
    }

    @Test
    void a_request_to_cancel_while_an_attempt_is_undone_ends_the_retries(TestEngine engine) {
        WorkflowHandle<Flaky, String> run = flaky(engine, "undone slowly", 2);
        run.cancel();

        assertThatThrownBy(run::result).isInstanceOf(WorkflowFailedException.class);
        assertThat(attempts(engine, "f-1")).hasSize(1);
    }

    @Test
    void an_update_that_a_failed_attempt_has_not_answered_answers_with_its_cancellation(TestEngine engine) {
        WorkflowHandle<Flaky, String> run = flaky(engine, "listens", 2);
        UpdateHandle<String> update = run.startUpdate("u-1", w -> w.wait("never"), WaitFor.ACCEPTED);
        run.signal(w -> w.say("fail"));

        assertThatThrownBy(update::result)
                .isInstanceOf(UpdateFailedException.class)
                .hasMessageContaining("the run has ended");
        assertThat(run.result()).startsWith("attempt 2");
    }

    @Test
    void a_run_that_was_asked_to_cancel_is_not_retried(TestEngine engine) {
        WorkflowHandle<Flaky, String> run = flaky(engine, "asks to cancel", 2);

        assertThatThrownBy(run::result)
                .isInstanceOfSatisfying(
                        WorkflowFailedException.class,
                        e -> assertThat(e.status()).isEqualTo(WorkflowStatus.FAILED));
        assertThat(attempts(engine, "f-1")).hasSize(1);
    }

    @Test
    void a_request_to_cancel_in_the_back_off_is_fed_when_the_attempt_has_begun(TestEngine engine) {
        WorkflowHandle<Flaky, String> run = flaky(engine, "sleeps", 9);
        engine.advance(DAY);
        assertThat(attempts(engine, "f-1")).hasSize(2);
        run.cancel();
        engine.settle();
        assertThat(run.describe().summary().status()).isEqualTo(WorkflowStatus.RUNNING);

        assertThatThrownBy(run::result)
                .isInstanceOfSatisfying(
                        WorkflowFailedException.class,
                        e -> assertThat(e.status()).isEqualTo(WorkflowStatus.CANCELLED));
        assertThat(attempts(engine, "f-1")).hasSize(2);
    }

    @Test
    void terminate_ends_the_chain_in_the_back_off(TestEngine engine) {
        WorkflowHandle<Flaky, String> run = flaky(engine, "declared", 9);
        run.terminate("enough");
        engine.advance(HOUR);

        assertThat(attempts(engine, "f-1")).hasSize(2);
        assertThat(status(engine, attempts(engine, "f-1").getLast())).isEqualTo(WorkflowStatus.TERMINATED);
    }

    @Test
    void no_attempt_begins_behind_the_execution_deadline(TestEngine engine) {
        WorkflowHandle<Flaky, String> run = flaky(
                engine,
                "declared",
                9,
                one -> one.add(one.getLast()
                        .retry(RetryPolicy.fixed(MINUTE, 0))
                        .executionTimeout(MINUTE.multipliedBy(2).plusSeconds(30))));

        assertThatThrownBy(run::result)
                .isInstanceOfSatisfying(
                        WorkflowFailedException.class,
                        e -> assertThat(e.status()).isEqualTo(WorkflowStatus.FAILED))
                .hasRootCauseMessage("no 3");
        List<History> attempts = attempts(engine, "f-1");
        assertThat(attempts).hasSize(3);
        assertThat(attempts)
                .extracting(history -> history.started().executionDeadline())
                .containsOnly(attempts.getFirst().started().executionDeadline());
    }

    @Test
    void a_run_timeout_is_each_attempts_own_and_ends_the_chain(TestEngine engine) {
        WorkflowHandle<Flaky, String> run = flaky(
                engine,
                "sleeps",
                2,
                one -> one.add(one.getLast().retry(RetryPolicy.fixed(MINUTE, 0)).runTimeout(HOUR)));

        assertThatThrownBy(run::result)
                .isInstanceOfSatisfying(
                        WorkflowFailedException.class,
                        e -> assertThat(e.status()).isEqualTo(WorkflowStatus.TIMED_OUT));
        assertThat(attempts(engine, "f-1")).hasSize(1);
    }

    // ── compensations and children ───────────────────────────────────────────────────────────────────────────────────

    @Test
    void compensations_have_run_before_the_next_attempt_begins(TestEngine engine) {
        assertThat(flaky(engine, "undone", 3).result()).startsWith("attempt 3");

        assertThat(noted).containsExactly("do 1", "undo 1", "do 2", "undo 2");
    }

    @Test
    void a_run_whose_compensation_has_failed_is_not_retried(TestEngine engine) {
        WorkflowHandle<Flaky, String> run = flaky(engine, "undo fails", 2);

        assertThatThrownBy(run::result).isInstanceOf(WorkflowFailedException.class);
        assertThat(attempts(engine, "f-1")).hasSize(1);
        assertThat(noted).containsExactly("do 1", "undo 1");
    }

    /** Waits until its end is asked for. */
    @Workflow
    static class Kid {
        @Run
        String run(String how, int succeedsAt) {
            if (how.equals("fails")) {
                if (Durable.info().attempt() < succeedsAt) {
                    throw new IllegalStateException("kid " + Durable.info().attempt());
                }
                return "kid " + Durable.info().attempt();
            }
            Durable.sleep(DAY.multipliedBy(9));
            return how;
        }
    }

    /** Fails while its children are open. */
    @Workflow(retry = @Retry(maxAttempts = 3, initialInterval = "1m", backoff = 1, jitter = 0))
    static class Mother {
        @Run
        String run(boolean retriesChild) {
            if (retriesChild) {
                ChildHandle<Kid, String> kid = Durable.startChild(
                        Kid.class,
                        ChildOptions.id("kid").retry(o -> o.maxAttempts(3).initialInterval(HOUR)),
                        w -> w.run("fails", 3));
                return kid.result();
            }
            if (Durable.info().attempt() == 3) {
                return "done";
            }
            Durable.startChild(Kid.class, ChildOptions.id("kid"), w -> w.run("stays", 0))
                    .started()
                    .get();
            Durable.startChild(
                            Kid.class,
                            ChildOptions.id("orphan-" + Durable.info().attempt())
                                    .parentClosePolicy(ParentClosePolicy.ABANDON),
                            w -> w.run("stays", 0))
                    .started()
                    .get();
            throw new IllegalStateException("failed");
        }
    }

    @Test
    void a_failed_attempt_ends_its_children_before_the_next_begins(TestEngine engine) {
        engine.register(Mother.class, Kid.class);
        WorkflowHandle<Mother, String> mother = engine.client().start(Mother.class, "m-1", w -> w.run(false));
        engine.settle();
        engine.advance(MINUTE);
        engine.advance(MINUTE);

        assertThat(mother.result()).isEqualTo("done");

        List<History> attempts = attempts(engine, "m-1");
        assertThat(attempts).hasSize(3);
        for (History failed : attempts.subList(0, 2)) {
            assertThat(events(failed, ChildCancelRequested.class))
                    .singleElement()
                    .returns(true, ChildCancelRequested::terminate);
            assertThat(events(failed, ChildFailed.class))
                    .singleElement()
                    .returns(WorkflowStatus.TERMINATED, ChildFailed::status);
        }
        assertThat(attempts.get(2).started().chain().childrenStarted()).isEqualTo(4);
        for (String orphan : List.of("orphan-1", "orphan-2")) {
            assertThat(engine.client().handle(orphan).describe().summary().status())
                    .isNotEqualTo(WorkflowStatus.TERMINATED);
        }
    }

    @Test
    void a_parent_gets_the_outcome_of_the_last_attempt_of_its_child(TestEngine engine) {
        engine.register(Mother.class, Kid.class);
        WorkflowHandle<Mother, String> mother = engine.client().start(Mother.class, "m-1", w -> w.run(true));

        assertThat(mother.result()).isEqualTo("kid 3");
        assertThat(attempts(engine, "m-1")).hasSize(1);
        assertThat(attempts(engine, "kid"))
                .hasSize(3)
                .allSatisfy(history ->
                        assertThat(history.started().parent().workflowId()).isEqualTo("m-1"));
    }

    // ── chains ───────────────────────────────────────────────────────────────────────────────────────────────────────

    /** Fails once in each of two runs that continue one another. */
    @Workflow(retry = @Retry(maxAttempts = 2, initialInterval = "1m", jitter = 0))
    static class Relay {
        @Run
        String run(int link) {
            if (Durable.info().attempt() == 1) {
                throw new IllegalStateException("link " + link);
            }
            if (link == 1) {
                throw Durable.continueAsNew(Relay.class, w -> w.run(2));
            }
            return "done with link " + link;
        }
    }

    @Test
    void a_policy_is_kept_over_continue_as_new_and_attempts_begin_anew(TestEngine engine) {
        engine.register(Relay.class);
        WorkflowHandle<Relay, String> run = engine.client().start(Relay.class, "r-1", w -> w.run(1));

        assertThat(run.result()).isEqualTo("done with link 2");
        assertThat(attempts(engine, "r-1"))
                .extracting(history -> history.started().attempt().number() + " "
                        + history.getLast().getClass().getSimpleName())
                .containsExactly(
                        "1 WorkflowFailed", "2 WorkflowContinuedAsNew", "1 WorkflowFailed", "2 WorkflowCompleted");
        assertThat(engine.client().workflows().where(w -> w.workflowId("r-1")).page(9))
                .extracting(row -> row.summary().chain().attempt())
                .containsExactlyInAnyOrder(2, 1, 2, 1);
    }

    @Test
    void listings_leave_out_failed_attempts_that_another_follows_unless_their_id_is_asked_for(TestEngine engine) {
        flaky(engine, "declared", 3).result();
        WorkflowHandle<Flaky, String> failed = engine.client()
                .start(
                        Flaky.class,
                        StartOptions.id("f-2").retry(RetryPolicy.fixed(MINUTE, 2)),
                        w -> w.run("declared", 9));
        assertThatThrownBy(failed::result).hasRootCauseMessage("no 2");

        assertThat(engine.client().workflows().page(9))
                .extracting(row -> row.workflowId() + " " + row.status())
                .containsExactlyInAnyOrder("f-1 COMPLETED", "f-2 FAILED");
        assertThat(engine.client()
                        .workflows()
                        .where(w -> w.status(WorkflowStatus.FAILED))
                        .page(9))
                .extracting(row -> row.workflowId())
                .containsExactly("f-2");
        assertThat(engine.client()
                        .workflows()
                        .where(w -> w.status(WorkflowStatus.FAILED))
                        .count())
                .isEqualTo(1);
        assertThat(engine.client().workflows().where(w -> w.workflowId("f-1")).page(9))
                .extracting(row -> row.summary().chain().attempt() + " " + row.status())
                .containsExactlyInAnyOrder("3 COMPLETED", "2 FAILED", "1 FAILED");
    }

    @Test
    void a_caller_gets_the_declared_failure_of_a_childs_last_attempt(TestEngine engine) {
        engine.register(Parent.class, Flaky.class, new Noted(noted));

        assertThat(engine.client().start(Parent.class, "p-1", Parent::run).result())
                .isEqualTo("no 2");
    }

    /** Catches the failure of a child that was retried. */
    @Workflow
    static class Parent {
        @Run
        String run() {
            try {
                return Durable.startChild(
                                Flaky.class,
                                ChildOptions.defaults().retry(o -> o.maxAttempts(2)),
                                w -> w.run("declared", 9))
                        .result();
            } catch (ChildFailedException e) {
                return e.failure().message();
            } catch (Exception e) {
                return e.getMessage();
            }
        }
    }
}
