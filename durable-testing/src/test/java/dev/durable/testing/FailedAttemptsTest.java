package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.ActivityCancellationType;
import dev.durable.ActivityContext;
import dev.durable.DeferException;
import dev.durable.Durable;
import dev.durable.HandlerUnfinishedPolicy;
import dev.durable.Retry;
import dev.durable.RetryPolicy;
import dev.durable.RetryableException;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Update;
import dev.durable.UpdateRejectedException;
import dev.durable.Workflow;
import dev.durable.WorkflowFailedException;
import dev.durable.client.StartOptions;
import dev.durable.client.WaitFor;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.History;
import dev.durable.history.WorkflowFailed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The end of an attempt that another one follows: what it has seen, and what has ended with it. Run on each kind of store. */
abstract class FailedAttemptsTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final StartOptions RETRIED = StartOptions.id("c-1").retry(RetryPolicy.fixed(MINUTE, 0));

    @Activity(startToClose = "30m", retry = @Retry(maxAttempts = 1))
    interface Bank {
        String charge(int attempt);

        void refuse(String how);
    }

    @Activity(startToClose = "30m", cancellation = ActivityCancellationType.ABANDON)
    interface Mail {
        String send(int attempt);
    }

    static class PaymentException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    static final class CardDeclined extends PaymentException {
        private static final long serialVersionUID = 1L;
    }

    /** Fails in the way that its argument says. */
    @Workflow
    static class Checkout {
        private final Bank bank;
        private final Mail mail;
        private final List<String> heard = new ArrayList<>();

        Checkout(Bank bank, Mail mail) {
            this.bank = bank;
            this.mail = mail;
        }

        @Run
        String run(String how) {
            int attempt = Durable.info().attempt();
            if (how.equals("is deferred")) {
                throw new DeferException(Duration.ofSeconds(10));
            }
            if (how.equals("limits itself") && attempt == 1) {
                throw new RetryableException("once more").remainingAttempts(1);
            }
            if (how.equals("limits itself")) {
                throw Durable.continueAsNew(Checkout.class, w -> w.run("deaf"));
            }
            if (how.equals("is refused")) {
                bank.refuse(how);
            } else if (how.equals("is refused in a block")) {
                Durable.retry(o -> o.initialInterval(MINUTE).doNotRetry(PaymentException.class), () -> {
                    bank.refuse(how);
                    return "";
                });
            }
            if (how.equals("fails at once") && attempt < 3) {
                throw new IllegalStateException("a bean is missing");
            }
            if (how.equals("asks the bank") && attempt == 1) {
                bank.refuse(how);
            }
            if (how.equals("asks at its end") && attempt == 1) {
                Durable.compensate(() -> Durable.sleep(MINUTE));
                Durable.compensate(() -> Durable.await(() -> heard.contains("refund")));
                throw new IllegalStateException("to be undone");
            }
            if (how.equals("asks at its end") || how.equals("asks the bank")) {
                Durable.await(() -> heard.contains("go"));
            }
            if (how.equals("writes a mail") && attempt == 1) {
                Durable.async(mail::send, attempt);
                Durable.await(() -> !heard.isEmpty());
                throw new IllegalStateException("another branch failed");
            }
            if (how.equals("writes a mail")) {
                return "attempt " + attempt;
            }
            if (how.equals("charges")) {
                if (attempt == 1) {
                    Durable.async(bank::charge, attempt);
                    Durable.await(() -> !heard.isEmpty());
                    throw new IllegalStateException("another branch failed");
                }
                Durable.await(MINUTE, () -> heard.contains("go"));
                return "attempt " + attempt + " heard " + heard;
            }
            if (heard.isEmpty()) {
                throw new IllegalArgumentException("heard nothing at attempt " + attempt);
            }
            return "attempt " + attempt + " heard " + heard;
        }

        @Signal
        void say(String word) {
            heard.add(word);
        }

        /** Waits for something that holds already. */
        @Signal
        void sayAfterAwait(String word) {
            Durable.await(() -> !word.isEmpty());
            heard.add(word);
        }

        @Update
        String tell(String word) {
            heard.add(word);
            return word;
        }
    }

    /** Returns at its first attempt while a handler is open for which it waits, and says at the next what it has heard. */
    @Workflow
    static class Desk {
        private final List<String> heard = new ArrayList<>();
        private boolean isOpen;

        @Run
        String run() {
            Durable.await(() -> isOpen || !heard.isEmpty());
            return "attempt " + Durable.info().attempt() + " heard " + heard;
        }

        @Signal(unfinishedPolicy = HandlerUnfinishedPolicy.WAIT)
        void open() {
            isOpen = true;
            Durable.await(() -> !isOpen);
        }

        @Signal
        void say(String word) {
            heard.add(word);
        }

        @Signal
        void fail() {
            throw new IllegalStateException("a handler fails");
        }
    }

    private final List<Integer> charged = new ArrayList<>();
    private final BlockingQueue<String> tokens = new LinkedBlockingQueue<>();

    private TestEngine set(TestEngine engine) {
        Mail down = attempt -> {
            throw new IllegalStateException("the mail server is down");
        };
        return engine.register(Checkout.class).activity(Mail.class, down).activity(Bank.class, new Bank() {
            @Override
            public String charge(int attempt) {
                charged.add(attempt);
                tokens.add(ActivityContext.current().completeLater());
                return "";
            }

            @Override
            public void refuse(String how) {
                charged.add(0);
                throw new IllegalStateException(how, new CardDeclined());
            }
        });
    }

    private WorkflowHandle<Checkout, String> start(TestEngine engine, String how) {
        WorkflowHandle<Checkout, String> run = set(engine).client().start(Checkout.class, RETRIED, w -> w.run(how));
        engine.settle();
        return run;
    }

    private static void hasResult(WorkflowHandle<?, String> run, String result) {
        assertThat(run.describe().summary().status()).isEqualTo(WorkflowStatus.COMPLETED);
        assertThat(run.result()).isEqualTo(result);
    }

    private static List<History> attempts(TestEngine engine) {
        return WorkflowRetryTest.attempts(engine, "c-1");
    }

    private static void isFailed(WorkflowHandle<?, ?> run) {
        assertThat(run.describe().summary().status()).isEqualTo(WorkflowStatus.FAILED);
        assertThatThrownBy(run::result)
                .isInstanceOfSatisfying(
                        WorkflowFailedException.class,
                        e -> assertThat(e.status()).isEqualTo(WorkflowStatus.FAILED));
    }

    // ── an attempt that fails in its first turn ──────────────────────────────────────────────────────────────────────

    @Test
    void an_attempt_that_fails_without_a_wait_has_seen_the_request_to_cancel(TestEngine engine) {
        WorkflowHandle<Checkout, String> run = start(engine, "deaf");
        engine.advance(MINUTE.plusSeconds(1));
        assertThat(attempts(engine)).hasSize(3);
        run.cancel();
        engine.advance(MINUTE.multipliedBy(5));

        isFailed(run);
        assertThat(attempts(engine)).hasSize(3);
    }

    @Test
    void an_attempt_that_would_fail_without_a_wait_has_seen_the_signals_of_the_back_off(TestEngine engine) {
        WorkflowHandle<Checkout, String> run = start(engine, "deaf");
        run.signal(w -> w.say("one"));
        run.signal(w -> w.say("two"));
        engine.advance(MINUTE.multipliedBy(5));

        hasResult(run, "attempt 2 heard [one, two]");
    }

    @Test
    void the_first_attempt_has_seen_the_signal_that_started_it(TestEngine engine) {
        WorkflowHandle<Checkout, String> run =
                set(engine).client().signalWithStart(Checkout.class, RETRIED, w -> w.run("deaf"), w -> w.say("first"));
        engine.advance(MINUTE.multipliedBy(5));

        hasResult(run, "attempt 1 heard [first]");
    }

    @Test
    void attempts_that_fail_at_once_hand_on_the_signals_that_they_have_seen(TestEngine engine) {
        WorkflowHandle<Checkout, String> run = set(engine)
                .client()
                .signalWithStart(Checkout.class, RETRIED, w -> w.run("fails at once"), w -> w.say("first"));
        engine.settle();
        run.signal(w -> w.say("second"));
        run.signal(w -> w.say("third"));
        engine.advance(MINUTE.multipliedBy(5));

        hasResult(run, "attempt 3 heard [first, second, third]");
    }

    @Test
    void an_attempt_that_has_waited_is_gone_with_the_signals_that_came_before_it_failed(TestEngine engine) {
        WorkflowHandle<Checkout, String> run = set(engine)
                .client()
                .signalWithStart(Checkout.class, RETRIED, w -> w.run("asks the bank"), w -> w.say("first"));
        engine.settle();
        run.signal(w -> w.say("go"));
        engine.advance(MINUTE.multipliedBy(5));

        hasResult(run, "attempt 2 heard [go]");
    }

    @Test
    void an_update_of_an_attempt_that_fails_at_once_is_to_be_sent_again(TestEngine engine) {
        WorkflowHandle<Checkout, String> run = start(engine, "deaf");

        assertThatThrownBy(() -> run.startUpdate("u-1", w -> w.tell("word"), WaitFor.ACCEPTED))
                .isInstanceOf(UpdateRejectedException.class)
                .hasMessageContaining(
                        "an attempt of the workflow has failed, and the next one has not begun. Send the update again");
        assertThat(attempts(engine).size()).isBetween(2, 3);
    }

    // ── exceptions that are not to be retried ────────────────────────────────────────────────────────────────────────

    @ParameterizedTest
    @ValueSource(strings = {"is refused", "is refused in a block"})
    void a_subclass_that_no_signature_names_is_not_retried_either(String how, TestEngine engine) {
        WorkflowHandle<Checkout, String> run = set(engine)
                .client()
                .start(
                        Checkout.class,
                        StartOptions.id("c-1")
                                .retry(o -> o.initialInterval(MINUTE).doNotRetry(PaymentException.class)),
                        w -> w.run(how));
        engine.advance(MINUTE.multipliedBy(5));

        isFailed(run);
        assertThat(attempts(engine)).hasSize(1);
        assertThat(charged).containsExactly(0);
    }

    // ── the limit of attempts ────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_run_that_defers_itself_uses_an_attempt_each_time(TestEngine engine) {
        WorkflowHandle<Checkout, String> run = set(engine)
                .client()
                .start(
                        Checkout.class,
                        StartOptions.id("c-1").retry(RetryPolicy.fixed(MINUTE, 3)),
                        w -> w.run("is deferred"));
        engine.advance(Duration.ofSeconds(25));

        assertThat(attempts(engine)).hasSize(3);
        isFailed(run);
    }

    @Test
    void a_limit_that_a_failure_has_set_is_not_that_of_the_runs_behind_continue_as_new(TestEngine engine) {
        WorkflowHandle<Checkout, String> run = set(engine)
                .client()
                .start(
                        Checkout.class,
                        StartOptions.id("c-1").retry(RetryPolicy.fixed(MINUTE, 3)),
                        w -> w.run("limits itself"));
        engine.advance(MINUTE.multipliedBy(5));

        assertThat(attempts(engine))
                .extracting(history -> history.started().attempt())
                .extracting(
                        attempt -> attempt.number() + " of " + attempt.policy().maxAttempts() + " of "
                                + attempt.retry().maxAttempts())
                .containsExactly("1 of 3 of 3", "2 of 2 of 3", "1 of 3 of 3", "2 of 3 of 3", "3 of 3 of 3");
        isFailed(run);
    }

    // ── activities of a failed attempt ───────────────────────────────────────────────────────────────────────────────

    @Test
    void the_next_attempt_begins_when_the_activities_of_the_failed_one_have_ended(TestEngine engine) {
        WorkflowHandle<Checkout, String> run = start(engine, "charges");
        run.signal(w -> w.say("fail"));
        engine.advance(MINUTE.multipliedBy(5));
        assertThat(charged).containsExactly(1);

        engine.client().activity(tokens.remove()).complete("paid");
        engine.settle();
        assertThat(attempts(engine)).hasSize(2);
        assertThat(charged).containsExactly(1);
        engine.advance(MINUTE.plusSeconds(1));

        assertThat(run.result()).isEqualTo("attempt 2 heard []");
        assertThat(attempts(engine).getFirst().stream().map(event -> event.type()))
                .endsWith("ActivityCancelRequested", "ActivityCompleted", "WorkflowFailed");
    }

    @Test
    void signals_that_come_while_activities_of_a_failed_attempt_end_are_for_the_next(TestEngine engine) {
        WorkflowHandle<Checkout, String> run = start(engine, "charges");
        run.signal(w -> w.say("fail"));
        engine.settle();
        run.signal(w -> w.say("one"));
        engine.settle();
        run.signal(w -> w.sayAfterAwait("two"));
        run.signal(w -> w.say("three"));
        engine.settle();
        assertThat(run.describe().waitingMessages())
                .as("none wakes the run again")
                .isZero();
        engine.client().activity(tokens.remove()).complete("paid");
        engine.settle();
        run.signal(w -> w.say("go"));
        engine.advance(MINUTE.plusSeconds(1));

        hasResult(run, "attempt 2 heard [one, two, three, go]");
        assertThat(attempts(engine).getFirst().getLast())
                .isInstanceOfSatisfying(
                        WorkflowFailed.class,
                        failed -> assertThat(failed.lateMessages()).isEqualTo(3));
    }

    @Test
    void a_compensation_that_waits_for_a_signal_uses_it_and_later_ones_are_for_the_next_attempt(TestEngine engine) {
        WorkflowHandle<Checkout, String> run = start(engine, "asks at its end");
        run.signal(w -> w.say("refund"));
        engine.settle();
        run.signal(w -> w.say("go"));
        engine.settle();
        assertThat(attempts(engine)).hasSize(1);
        engine.advance(MINUTE.multipliedBy(5));

        hasResult(run, "attempt 2 heard [go]");
    }

    @Test
    void a_signal_that_comes_while_the_run_waits_for_a_handler_is_for_the_next_attempt_and_one_that_fails_is_not(
            TestEngine engine) {
        WorkflowHandle<Desk, String> run = engine.register(Desk.class).client().start(Desk.class, RETRIED, Desk::run);
        run.signal(Desk::open);
        engine.settle();
        run.signal(w -> w.say("late"));
        engine.settle();
        run.signal(Desk::fail);
        engine.settle();
        assertThat(attempts(engine)).hasSize(2);
        engine.advance(MINUTE.plusSeconds(1));

        hasResult(run, "attempt 2 heard [late]");
    }

    @Test
    void terminate_ends_an_attempt_that_holds_signals_for_the_next(TestEngine engine) {
        WorkflowHandle<Checkout, String> run = start(engine, "charges");
        run.signal(w -> w.say("fail"));
        engine.settle();
        run.signal(w -> w.say("late"));
        engine.settle();
        run.terminate("enough");

        assertThat(run.describe().summary().status()).isEqualTo(WorkflowStatus.TERMINATED);
        assertThat(attempts(engine)).hasSize(1);
    }

    @Test
    void the_next_attempt_does_not_wait_for_an_activity_that_is_abandoned(TestEngine engine) {
        WorkflowHandle<Checkout, String> run = start(engine, "writes a mail");
        run.signal(w -> w.say("fail"));
        engine.advance(MINUTE.plusSeconds(1));

        hasResult(run, "attempt 2");
    }

    @Test
    void a_request_to_cancel_while_activities_of_a_failed_attempt_end_is_its_last_word(TestEngine engine) {
        WorkflowHandle<Checkout, String> run = start(engine, "charges");
        run.signal(w -> w.say("fail"));
        engine.settle();
        run.signal(w -> w.say("late"));
        run.cancel();
        engine.advance(MINUTE.multipliedBy(5));

        isFailed(run);
        assertThat(attempts(engine)).hasSize(1);
    }
}
