package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.ActivityCancellationType;
import dev.durable.ActivityContext;
import dev.durable.ActivityInfo;
import dev.durable.Callback;
import dev.durable.CancelledException;
import dev.durable.Durable;
import dev.durable.Promise;
import dev.durable.RefusedInputException;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.WorkflowAlreadyStartedException;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.DurableEngine;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.ActivityCompleted;
import dev.durable.history.ActivityScheduled;
import dev.durable.history.History;
import dev.durable.history.HistoryEvent;
import dev.durable.history.TimerStarted;
import dev.durable.history.WorkflowForked;
import dev.durable.history.WorkflowStarted;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.HistoryStore;
import dev.durable.store.NewRun;
import dev.durable.store.StartOutcome;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Forks of runs under another workflow id. Run on each kind of store. */
abstract class ForksTest {

    @Activity
    interface Bank {
        String charge(String what);

        String ship(String what);
    }

    /** Keeps a ledger of its calls. */
    static final class LedgerBank implements Bank {
        final List<ActivityInfo> calls = new CopyOnWriteArrayList<>();
        final List<Map<String, String>> headers = new CopyOnWriteArrayList<>();
        volatile boolean refuses;

        @Override
        public String charge(String what) {
            return called(what);
        }

        @Override
        public String ship(String what) {
            return called(what);
        }

        private String called(String what) {
            calls.add(ActivityContext.current().info());
            headers.add(ActivityContext.current().headers());
            if (refuses) {
                throw new IllegalStateException("the bank is closed");
            }
            return what + "!";
        }

        List<String> of(UUID run) {
            return calls.stream()
                    .filter(call -> call.runId().equals(run))
                    .map(ActivityInfo::activity)
                    .toList();
        }
    }

    /** What the code of an order has seen. */
    record Seen(String workflowId, UUID runId, UUID firstRunId, UUID drawn, Instant startedAt) {
        static Seen now() {
            var info = Durable.info();
            return new Seen(info.workflowId(), info.runId(), info.firstRunId(), Durable.uuid(), info.startedAt());
        }
    }

    @Workflow
    static class Order {
        private final Bank bank;
        private boolean approved;

        Order(Bank bank) {
            this.bank = bank;
        }

        @Run
        List<Seen> run() {
            List<Seen> seen = new ArrayList<>();
            seen.add(Seen.now());
            bank.charge("visa");
            seen.add(Seen.now());
            Durable.await(Duration.ofHours(1), () -> approved);
            bank.ship("book");
            seen.add(Seen.now());
            return seen;
        }

        @Signal
        void approve() {
            approved = true;
        }
    }

    private static long idOf(History history, Class<? extends HistoryEvent> type) {
        return history.events(type).findFirst().orElseThrow().id();
    }

    private static WorkflowHandle<Order, List<Seen>> order(TestEngine engine, Bank bank) {
        return engine.register(Order.class)
                .activity(Bank.class, bank)
                .client()
                .start(Order.class, "order-1", Order::run);
    }

    @Test
    void a_fork_repeats_nothing_of_what_it_has_copied_and_goes_on_from_there(TestEngine engine) {
        LedgerBank bank = new LedgerBank();
        WorkflowHandle<Order, List<Seen>> origin = order(engine, bank);
        List<Seen> first = origin.result();
        History history = origin.history();

        WorkflowHandle<Order, List<Seen>> fork =
                origin.by("ann").fork(idOf(history, TimerStarted.class), "order-1-again");
        List<Seen> again = fork.result();

        assertThat(fork.workflowId()).isEqualTo("order-1-again");
        assertThat(bank.of(fork.runId())).containsExactly("Bank.ship");
        assertThat(again.subList(0, 2))
                .as("values and identity of the copied part are those of the history")
                .isEqualTo(first.subList(0, 2));
        assertThat(again.get(2).workflowId()).isEqualTo("order-1-again");
        assertThat(again.get(2).runId()).isEqualTo(fork.runId());
        assertThat(again.get(2).firstRunId()).isEqualTo(fork.runId());
        assertThat(again.get(2).drawn())
                .as("random numbers of its own")
                .isNotEqualTo(first.get(2).drawn());
        assertThat(again.get(2).startedAt()).isAfter(first.get(2).startedAt());
        History forked = fork.history();
        assertThat(forked.workflowId()).isEqualTo("order-1-again");
        assertThat(forked.runId()).isEqualTo(fork.runId());
        WorkflowForked event = forked.events(WorkflowForked.class).findFirst().orElseThrow();
        assertThat(event.fromRunId()).isEqualTo(origin.runId());
        assertThat(event.by()).isEqualTo("ann");
        assertThat(forked.subList(0, (int) event.id() - 1)).isEqualTo(history.subList(0, (int) event.id() - 1));
        assertThat(origin.history()).as("the origin stays as it is").isEqualTo(history);
    }

    @Test
    void a_timer_keeps_its_due_time_and_one_that_has_passed_fires_at_once(TestEngine engine) {
        LedgerBank bank = new LedgerBank();
        WorkflowHandle<Order, List<Seen>> origin = order(engine, bank);
        engine.advance(Duration.ofMinutes(20));
        long point = idOf(origin.history(), TimerStarted.class);
        Instant due = origin.history()
                .events(TimerStarted.class)
                .findFirst()
                .orElseThrow()
                .fireAt();

        WorkflowHandle<Order, List<Seen>> early = origin.fork(point, "early");
        engine.settle();
        assertThat(early.describe().summary().status()).isEqualTo(WorkflowStatus.RUNNING);
        engine.advance(Duration.between(engine.now(), due));
        assertThat(early.describe().summary().status()).isEqualTo(WorkflowStatus.COMPLETED);

        engine.advance(Duration.ofHours(5));
        WorkflowHandle<Order, List<Seen>> late = origin.fork(point, "late");
        engine.settle();
        assertThat(late.describe().summary().status()).isEqualTo(WorkflowStatus.COMPLETED);
    }

    @Test
    void an_activity_that_is_open_at_the_point_is_called_again_with_its_idempotency_key(TestEngine engine) {
        LedgerBank bank = new LedgerBank();
        WorkflowHandle<Order, List<Seen>> origin = engine.register(Order.class)
                .activity(Bank.class, bank)
                .client()
                .start(Order.class, StartOptions.id("order-1").header("tenant", "acme"), Order::run);
        origin.result();

        WorkflowHandle<Order, List<Seen>> fork =
                origin.fork(idOf(origin.history(), ActivityScheduled.class), "order-2");
        fork.result();

        assertThat(bank.of(fork.runId())).containsExactly("Bank.charge", "Bank.ship");
        assertThat(bank.calls)
                .extracting(ActivityInfo::idempotencyKey)
                .containsExactly(
                        origin.runId() + ":1", origin.runId() + ":2", origin.runId() + ":1", fork.runId() + ":2");
        assertThat(bank.headers).containsOnly(Map.of("tenant", "acme"));
        assertThat(bank.calls.get(2).attempt()).isEqualTo(1);
        assertThat(bank.calls.get(2).scheduledAt())
                .isAfterOrEqualTo(bank.calls.get(1).scheduledAt());
    }

    @Test
    void an_activity_that_is_retried_or_a_dead_letter_is_called_from_its_first_attempt(TestEngine engine) {
        LedgerBank bank = new LedgerBank();
        bank.refuses = true;
        WorkflowHandle<Order, List<Seen>> origin = order(engine, bank);
        engine.advance(Duration.ofMinutes(1));
        int attempts = bank.calls.size();
        assertThat(attempts).isGreaterThan(1);

        bank.refuses = false;
        WorkflowHandle<Order, List<Seen>> fork = origin.fork(2, "order-2");
        engine.settle();

        ActivityInfo call = bank.calls.stream()
                .filter(info -> info.runId().equals(fork.runId()))
                .findFirst()
                .orElseThrow();
        assertThat(call.attempt()).isEqualTo(1);
        assertThat(call.idempotencyKey()).isEqualTo(origin.runId() + ":1");
    }

    @Test
    void messages_behind_the_point_are_not_copied_and_those_before_it_are(TestEngine engine) {
        LedgerBank bank = new LedgerBank();
        WorkflowHandle<Order, List<Seen>> origin = order(engine, bank);
        engine.settle();
        long timer = idOf(origin.history(), TimerStarted.class);
        origin.signal(Order::approve);
        origin.result();

        WorkflowHandle<Order, List<Seen>> before = origin.fork(timer, "before");
        WorkflowHandle<Order, List<Seen>> behind = origin.fork(
                origin.history()
                        .events(ActivityScheduled.class)
                        .skip(1)
                        .findFirst()
                        .orElseThrow()
                        .id(),
                "behind");
        engine.settle();

        assertThat(before.describe().summary().status()).isEqualTo(WorkflowStatus.RUNNING);
        assertThat(behind.describe().summary().status()).isEqualTo(WorkflowStatus.COMPLETED);
        before.signal(Order::approve);
        engine.settle();
        assertThat(before.describe().summary().status()).isEqualTo(WorkflowStatus.COMPLETED);
    }

    @Test
    void a_fork_can_be_forked_and_each_part_has_the_identity_of_its_run(TestEngine engine) {
        LedgerBank bank = new LedgerBank();
        WorkflowHandle<Order, List<Seen>> origin = order(engine, bank);
        List<Seen> first = origin.result();
        WorkflowHandle<Order, List<Seen>> second = origin.fork(2, "second");
        List<Seen> seenBySecond = second.result();
        long point = idOf(second.history(), TimerStarted.class);

        WorkflowHandle<Order, List<Seen>> third = second.fork(point, "third");
        List<Seen> seenByThird = third.result();

        assertThat(seenByThird.get(0)).isEqualTo(first.get(0));
        assertThat(seenByThird.get(1)).isEqualTo(seenBySecond.get(1));
        assertThat(seenByThird.get(1).runId()).isEqualTo(second.runId());
        assertThat(seenByThird.get(2).runId()).isEqualTo(third.runId());
        assertThat(bank.of(third.runId())).containsExactly("Bank.ship");
    }

    @Test
    void timeouts_of_the_run_begin_anew_with_the_fork(TestEngine engine) {
        LedgerBank bank = new LedgerBank();
        WorkflowHandle<Order, List<Seen>> origin = engine.register(Order.class)
                .activity(Bank.class, bank)
                .client()
                .start(
                        Order.class,
                        StartOptions.id("order-1")
                                .runTimeout(Duration.ofHours(2))
                                .executionTimeout(Duration.ofHours(3)),
                        Order::run);
        origin.result();
        engine.advance(Duration.ofHours(10));

        WorkflowHandle<Order, List<Seen>> fork = origin.fork(idOf(origin.history(), TimerStarted.class), "order-2");

        assertThat(fork.result()).hasSize(3);
        WorkflowForked event =
                fork.history().events(WorkflowForked.class).findFirst().orElseThrow();
        assertThat(event.runDeadline()).isEqualTo(event.at().plus(Duration.ofHours(2)));
        assertThat(event.executionDeadline()).isEqualTo(event.at().plus(Duration.ofHours(3)));
    }

    @Test
    void a_fork_whose_commit_was_not_answered_is_sent_again_and_is_one_run(TestEngine engine) {
        LedgerBank bank = new LedgerBank();
        order(engine, bank).result();
        AtomicInteger sent = new AtomicInteger();
        MeddledStore store = new MeddledStore(engine.store()) {
            @Override
            Optional<StartOutcome> fork(NewRun fork, HistoryStore real) {
                Optional<StartOutcome> outcome = real.fork(fork);
                if (sent.incrementAndGet() == 1) {
                    throw new CommitUnknownException("the connection was lost", null);
                }
                return outcome;
            }
        };
        try (DurableEngine other = DurableEngine.builder(store.store())
                .identity("bob")
                .register(Order.class)
                .clientOnly()
                .start()) {
            UUID fork = other.client()
                    .handle(Order.class, "order-1")
                    .fork(2, "order-2")
                    .runId();
            engine.settle();

            assertThat(sent).hasValue(2);
            assertThat(bank.of(fork)).containsExactly("Bank.charge");
            assertThat(engine.client()
                            .handle(Order.class, "order-2")
                            .describe()
                            .summary()
                            .runId())
                    .isEqualTo(fork);
        }
    }

    // ── where it is refused ─────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_point_within_a_turn_is_refused_with_the_nearest_ones(TestEngine engine) {
        WorkflowHandle<Order, List<Seen>> origin = order(engine, new LedgerBank());
        origin.result();
        long completed = idOf(origin.history(), ActivityCompleted.class);

        assertThatThrownBy(() -> origin.fork(completed, "order-2"))
                .isInstanceOf(RefusedInputException.class)
                .hasMessageContaining("a fork of order-1 (run " + origin.runId() + ") at event " + completed
                        + ": that is in the middle of a turn")
                .hasMessageContaining(
                        "The nearest events at which it can are " + (completed - 1) + " and " + (completed + 1) + ".");
        int last = origin.history().size();
        assertThatThrownBy(() -> origin.fork(last, "order-2"))
                .isInstanceOf(RefusedInputException.class)
                .hasMessageContaining("or the end of the run")
                .hasMessageEndingWith("The nearest event at which it can is " + (last - 1) + ".");
        assertThatThrownBy(() -> origin.fork(1_000, "order-2"))
                .isInstanceOf(RefusedInputException.class)
                .hasMessageContaining("its history has " + last + " events. The nearest event at which it can is "
                        + (last - 1) + ".");
        assertThatThrownBy(() -> origin.fork(0, "order-2"))
                .isInstanceOf(RefusedInputException.class)
                .hasMessageContaining("events are numbered from 1. The nearest event at which it can is 2.");
    }

    @Test
    void a_run_that_has_not_begun_is_refused(TestEngine engine) {
        WorkflowHandle<Order, List<Seen>> origin = engine.register(Order.class)
                .activity(Bank.class, new LedgerBank())
                .client()
                .start(Order.class, StartOptions.id("order-1").startDelay(Duration.ofDays(1)), Order::run);

        assertThatThrownBy(() -> origin.fork(1, "order-2"))
                .isInstanceOf(RefusedInputException.class)
                .hasMessageContaining("its code has not run its first turn there. There is no event at which it can be"
                        + " forked: start it anew.");
    }

    @Test
    void the_own_id_an_id_in_use_and_an_unknown_run_are_refused(TestEngine engine) {
        WorkflowHandle<Order, List<Seen>> origin = order(engine, new LedgerBank());
        engine.client().start(Order.class, "order-2", Order::run);
        engine.settle();

        assertThatThrownBy(() -> origin.fork(2, "order-1"))
                .isInstanceOf(RefusedInputException.class)
                .hasMessageContaining("under its own workflow id");
        assertThatThrownBy(() -> origin.fork(2, "order-2")).isInstanceOf(WorkflowAlreadyStartedException.class);
        assertThatThrownBy(() -> engine.client().handle(Order.class, "none").fork(2, "order-3"))
                .isInstanceOf(WorkflowNotFoundException.class);
        assertThatThrownBy(() -> origin.fork(2, "")).isInstanceOf(RefusedInputException.class);
    }

    @Workflow
    static class Parent {
        @Run
        String run() {
            var child = Durable.startChild(Child.class, Child::run);
            String result = child.result();
            Durable.sleep(Duration.ofMinutes(1));
            return result;
        }
    }

    @Workflow
    static class Child {
        @Run
        String run() {
            Durable.sleep(Duration.ofHours(1));
            return "grown";
        }
    }

    @Test
    void an_open_child_is_refused_and_one_that_has_ended_is_not(TestEngine engine) {
        WorkflowHandle<Parent, String> origin =
                engine.register(Parent.class, Child.class).client().start(Parent.class, "parent", Parent::run);
        origin.result();

        assertThatThrownBy(() -> origin.fork(2, "parent-2"))
                .isInstanceOf(RefusedInputException.class)
                .hasMessageMatching("a fork of parent \\(run .*\\) at event 2: child 1, parent:.*-1, is open there,"
                        + " and tells its outcome to that run only\\. .*");
        WorkflowHandle<Parent, String> fork = origin.fork(idOf(origin.history(), TimerStarted.class), "parent-2");
        assertThat(fork.result()).isEqualTo("grown");
    }

    @Workflow
    static class Caller {
        @Run
        String run() {
            Callback<String> callback = Durable.callback(String.class, Duration.ofHours(1));
            return callback.promise().get();
        }
    }

    @Test
    void an_open_callback_is_refused(TestEngine engine) {
        WorkflowHandle<Caller, String> origin =
                engine.register(Caller.class).client().start(Caller.class, "caller", Caller::run);
        engine.settle();

        assertThatThrownBy(() -> origin.fork(origin.history().size(), "caller-2"))
                .isInstanceOf(RefusedInputException.class)
                .hasMessageContaining("a callback is open there, whose token names that run");
    }

    // ── what is cancelled, local or continued ───────────────────────────────────────────────────────────────────────

    @Workflow
    static class Canceller {
        @Run
        String run() {
            Promise<String> charge = Durable.async(() -> Durable.activity(
                    "Bank.charge",
                    o -> o.cancellation(ActivityCancellationType.WAIT_CANCELLATION_COMPLETED),
                    String.class,
                    "visa"));
            Durable.sleep(Duration.ofSeconds(1));
            charge.cancel();
            try {
                return charge.get();
            } catch (CancelledException e) {
                return "cancelled";
            }
        }
    }

    @Test
    void an_activity_that_was_asked_to_cancel_is_not_called_again(TestEngine engine) {
        LedgerBank bank = new LedgerBank();
        bank.refuses = true;
        WorkflowHandle<Canceller, String> origin = engine.register(Canceller.class)
                .activity(Bank.class, bank)
                .client()
                .start(Canceller.class, "order-1", Canceller::run);
        origin.result();
        long asked = origin.history().stream()
                .filter(event -> event.type().equals("ActivityCancelRequested"))
                .findFirst()
                .orElseThrow()
                .id();

        WorkflowHandle<Canceller, String> fork = origin.fork(asked, "order-2");

        assertThat(fork.result()).isEqualTo("cancelled");
        assertThat(bank.of(fork.runId())).isEmpty();
    }

    @Workflow
    static class Looping {
        private final Bank bank;

        Looping(Bank bank) {
            this.bank = bank;
        }

        @Run
        String run(int round) {
            bank.charge("round " + round);
            Durable.sleep(Duration.ofMinutes(1));
            if (round == 2) {
                return Durable.info().workflowId() + " of "
                        + Durable.info().continuedFrom().isPresent();
            }
            throw Durable.continueAsNew(Looping.class, w -> w.run(round + 1));
        }
    }

    @Test
    void one_link_of_a_chain_is_forked_into_a_chain_of_its_own(TestEngine engine) {
        LedgerBank bank = new LedgerBank();
        WorkflowHandle<Looping, String> origin = engine.register(Looping.class)
                .activity(Bank.class, bank)
                .client()
                .start(Looping.class, "loop", w -> w.run(0));
        assertThat(origin.result()).isEqualTo("loop of true");
        WorkflowHandle<Looping, ?> first = engine.client().handle(Looping.class, "loop", origin.runId());

        WorkflowHandle<Looping, ?> fork = first.fork(first.history().size() - 1L, "loop-2");

        assertThat(fork.resultAs(String.class)).as("two links more").isEqualTo("loop-2 of true");
        History last = engine.client().history("loop-2");
        assertThat(last.started().chainId()).isEqualTo(fork.runId());
        assertThat(bank.calls).hasSize(5);
        assertThat(engine.client().history(fork.runId()).started())
                .as("the first event is that of the origin")
                .isEqualTo(first.history().started())
                .isInstanceOf(WorkflowStarted.class);
    }
}
