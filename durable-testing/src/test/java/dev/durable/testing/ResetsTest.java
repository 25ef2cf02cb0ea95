package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.ActivityInfo;
import dev.durable.ChildOptions;
import dev.durable.Durable;
import dev.durable.DurableException;
import dev.durable.ParentClosePolicy;
import dev.durable.RefusedInputException;
import dev.durable.RetryPolicy;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Update;
import dev.durable.Workflow;
import dev.durable.WorkflowFailedException;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.DurableEngine;
import dev.durable.client.ForkOptions;
import dev.durable.client.UpdateHandle;
import dev.durable.client.WaitFor;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.ActivityFailed;
import dev.durable.history.ActivityScheduled;
import dev.durable.history.ChildStartRequested;
import dev.durable.history.ChildStarted;
import dev.durable.history.ExternalSignalRequested;
import dev.durable.history.History;
import dev.durable.history.HistoryEvent;
import dev.durable.history.TimerStarted;
import dev.durable.history.UpdateAccepted;
import dev.durable.history.WorkflowForked;
import dev.durable.history.WorkflowTerminated;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.HistoryStore;
import dev.durable.store.RunReset;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Forks that take the places of runs. Run on each kind of store. */
abstract class ResetsTest {

    @Activity
    interface Bank {
        String charge(String what);

        String ship(String what);
    }

    /** Keeps a ledger of its calls. */
    static final class LedgerBank implements Bank {
        final List<ActivityInfo> calls = new CopyOnWriteArrayList<>();
        volatile boolean shipsNothing;

        @Override
        public String charge(String what) {
            return called(what);
        }

        @Override
        public String ship(String what) {
            String shipped = called(what);
            if (shipsNothing) {
                throw new IllegalStateException("no ship sails");
            }
            return shipped;
        }

        private String called(String what) {
            calls.add(ActivityContext.current().info());
            return what + "!";
        }

        List<String> names() {
            return calls.stream().map(ActivityInfo::activity).toList();
        }
    }

    /** Charges, waits an hour or for its approval, and ships. */
    @Workflow
    static class Order {
        private final Bank bank;
        private boolean approved;
        private String note = "";

        Order(Bank bank) {
            this.bank = bank;
        }

        @Run
        String run() {
            String paid = bank.charge("visa");
            Durable.await(Duration.ofHours(1), () -> approved);
            String shipped = Durable.activity("Bank.ship", o -> o.retry(RetryPolicy.none()), String.class, "book");
            return paid + shipped + note;
        }

        @Signal
        void approve(String by) {
            approved = true;
            note += " by " + by;
        }
    }

    private static WorkflowHandle<Order, String> order(TestEngine engine, Bank bank) {
        return engine.register(Order.class)
                .activity(Bank.class, bank)
                .client()
                .start(Order.class, "order-1", Order::run);
    }

    private static long idOf(History history, Class<? extends HistoryEvent> type) {
        return history.events(type).findFirst().orElseThrow().id();
    }

    private static <T extends HistoryEvent> T only(History history, Class<T> type) {
        return history.events(type).findFirst().orElseThrow();
    }

    private static WorkflowStatus status(WorkflowHandle<?, ?> run) {
        return run.describe().summary().status();
    }

    // ── the run ──────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void an_open_run_is_replaced_and_callers_who_wait_for_it_get_the_result_of_the_fork(TestEngine engine) {
        LedgerBank bank = new LedgerBank();
        WorkflowHandle<Order, String> origin = order(engine, bank);
        CompletableFuture<String> result = origin.resultAsync();
        engine.settle();
        History history = origin.history();
        long point = idOf(history, TimerStarted.class);

        WorkflowHandle<Order, String> fork =
                origin.by("ann").fork(point, ForkOptions.defaults().reason("the timer was too long"));
        origin.signal(w -> w.approve("bob"));

        assertThat(origin.result()).isEqualTo("visa!book! by bob");
        assertThat(fork.result()).isEqualTo("visa!book! by bob");
        assertThat(result).succeedsWithin(Duration.ofSeconds(10)).isEqualTo("visa!book! by bob");
        assertThat(bank.names()).containsExactly("Bank.charge", "Bank.ship");
        assertThat(fork.workflowId()).isEqualTo("order-1");
        assertThat(fork.runId()).isNotEqualTo(origin.runId());
        WorkflowForked event = only(fork.history(), WorkflowForked.class);
        assertThat(event.fromRunId()).isEqualTo(origin.runId());
        assertThat(event.chainId()).isEqualTo(origin.runId());
        assertThat(event.by()).isEqualTo("ann");
        assertThat(event.reason()).isEqualTo("the timer was too long");
        assertThat(fork.history().subList(0, (int) point)).isEqualTo(history.subList(0, (int) point));
        History replaced = engine.client().history(origin.runId());
        assertThat(only(replaced, WorkflowTerminated.class).reason())
                .isEqualTo("run " + fork.runId() + ", a fork, takes its place: the timer was too long");
        Replayer.of(Order.class, Bank.class).replay(fork.history());
        Replayer.of(Order.class, Bank.class).replay(replaced);
    }

    @Test
    void a_completed_run_opens_again_and_its_handle_waits_for_the_fork(TestEngine engine) {
        LedgerBank bank = new LedgerBank();
        WorkflowHandle<Order, String> origin = order(engine, bank);
        origin.result();
        long point = idOf(origin.history(), TimerStarted.class);

        WorkflowHandle<Order, String> fork = origin.fork(point);

        assertThat(fork.result()).isEqualTo("visa!book!");
        assertThat(origin.history()).isEqualTo(fork.history());
        assertThat(bank.names()).containsExactly("Bank.charge", "Bank.ship", "Bank.ship");
        assertThat(status(engine.client().handle(Order.class, "order-1", origin.runId())))
                .isEqualTo(WorkflowStatus.COMPLETED);
    }

    @Test
    void a_failed_run_is_repaired_by_a_fork_in_front_of_the_failure(TestEngine engine) {
        LedgerBank bank = new LedgerBank();
        bank.shipsNothing = true;
        WorkflowHandle<Order, String> origin = order(engine, bank);
        assertThatThrownBy(origin::result).isInstanceOf(WorkflowFailedException.class);
        long failure = idOf(origin.history(), ActivityFailed.class);
        bank.shipsNothing = false;

        WorkflowHandle<Order, String> fork = origin.fork(failure - 1);

        assertThat(origin.result()).isEqualTo("visa!book!");
        assertThat(bank.names()).containsExactly("Bank.charge", "Bank.ship", "Bank.ship");
        assertThat(bank.calls.get(2).idempotencyKey())
                .isEqualTo(bank.calls.get(1).idempotencyKey());
        assertThat(bank.calls.get(2).runId()).isEqualTo(fork.runId());
    }

    @Test
    void terminated_and_cancelled_runs_are_reset(TestEngine engine) {
        WorkflowHandle<Order, String> origin = order(engine, new LedgerBank());
        engine.settle();
        long point = idOf(origin.history(), TimerStarted.class);
        origin.terminate("by mistake");
        WorkflowHandle<Order, String> second = origin.fork(point);
        second.cancel("by mistake, too");
        engine.settle();
        assertThat(status(second)).isEqualTo(WorkflowStatus.CANCELLED);

        WorkflowHandle<Order, String> third = second.fork(point);

        assertThat(third.result()).isEqualTo("visa!book!");
        assertThat(origin.result()).isEqualTo("visa!book!");
    }

    @Test
    void an_activity_that_is_open_is_called_again_with_its_key_and_the_late_outcome_is_stale(TestEngine engine) {
        LedgerBank bank = new LedgerBank();
        WorkflowHandle<Order, String> origin = order(engine, bank);
        origin.result();

        WorkflowHandle<Order, String> fork = origin.fork(idOf(origin.history(), ActivityScheduled.class));
        fork.result();

        assertThat(bank.calls)
                .extracting(ActivityInfo::idempotencyKey)
                .containsExactly(
                        origin.runId() + ":1", origin.runId() + ":2", origin.runId() + ":1", fork.runId() + ":2");
    }

    @Test
    void a_run_is_reset_again_and_again(TestEngine engine) {
        LedgerBank bank = new LedgerBank();
        WorkflowHandle<Order, String> run = order(engine, bank);
        UUID chain = run.runId();
        run.result();
        for (int i = 0; i < 3; i++) {
            run = run.fork(idOf(run.history(), TimerStarted.class));
            assertThat(run.result()).isEqualTo("visa!book!");
            assertThat(run.history().events(WorkflowForked.class)).hasSize(1);
        }
        run = run.fork(run.history().size() - 1L);
        assertThat(run.result()).isEqualTo("visa!book!");
        assertThat(run.history().events(WorkflowForked.class))
                .hasSize(2)
                .allMatch(fork -> fork.chainId().equals(chain));
        assertThat(bank.names()).containsExactly("Bank.charge", "Bank.ship", "Bank.ship", "Bank.ship", "Bank.ship");
    }

    // ── refusals ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @Workflow
    static class Looping {
        @Run
        String run(int round) {
            Durable.sleep(Duration.ofMinutes(1));
            if (round == 2) {
                return "round 2";
            }
            throw Durable.continueAsNew(Looping.class, w -> w.run(round + 1));
        }
    }

    @Test
    void an_older_link_of_a_chain_is_refused_and_the_newest_one_is_reset(TestEngine engine) {
        WorkflowHandle<Looping, String> origin =
                engine.register(Looping.class).client().start(Looping.class, "loop", w -> w.run(0));
        UUID first = origin.runId();
        engine.settle();
        long point = origin.history().size();
        WorkflowHandle<Looping, String> second = origin.fork(point);
        assertThat(origin.result()).as("the fork continues as new").isEqualTo("round 2");
        UUID newest = engine.client().history("loop").runId();

        assertThatThrownBy(() -> engine.client()
                        .handle(Looping.class, "loop", second.runId())
                        .fork(point))
                .isInstanceOf(RefusedInputException.class)
                .hasMessage("a fork of loop (run " + second.runId() + ") in its place: " + newest
                        + " is the newest run of the workflow id, and a fork of an older one would be a second future of it."
                        + " Fork the newest one, or fork this one under another workflow id: fork(eventId, otherId).");
        assertThat(second.fork(engine.client().history("loop").size() - 1L).result())
                .isEqualTo("round 2");
        assertThat(engine.client().history("loop").started().chainId()).isEqualTo(first);
    }

    @Test
    void what_can_not_be_forked_is_refused_with_the_nearest_points(TestEngine engine) {
        WorkflowHandle<Order, String> origin = order(engine, new LedgerBank());
        origin.result();
        long last = origin.history().size();

        assertThatThrownBy(() -> origin.fork(last))
                .isInstanceOf(RefusedInputException.class)
                .hasMessageEndingWith("The nearest event at which it can is " + (last - 1) + ".");
        assertThatThrownBy(() -> origin.fork(1)).isInstanceOf(RefusedInputException.class);
        assertThatThrownBy(() -> engine.client().handle(Order.class, "none").fork(2))
                .isInstanceOf(WorkflowNotFoundException.class);
        assertThatThrownBy(() -> origin.fork(2, ForkOptions.defaults().reason("x".repeat(5_000))))
                .isInstanceOf(RefusedInputException.class);
    }

    // ── crashes and races ────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_reset_whose_commit_was_not_answered_is_sent_again_and_is_one_run(TestEngine engine) {
        order(engine, new LedgerBank()).result();
        AtomicInteger sent = new AtomicInteger();
        MeddledStore store = new MeddledStore(engine.store()) {
            @Override
            RunReset.Outcome reset(RunReset reset, HistoryStore real) {
                RunReset.Outcome outcome = real.reset(reset);
                if (sent.incrementAndGet() == 1) {
                    throw new CommitUnknownException("the connection was lost", null);
                }
                return outcome;
            }
        };
        try (DurableEngine other = DurableEngine.builder(store.store())
                .register(Order.class)
                .clientOnly()
                .start()) {
            UUID fork = other.client().handle(Order.class, "order-1").fork(2).runId();
            engine.settle();

            assertThat(sent).hasValue(2);
            assertThat(engine.client().history("order-1").runId()).isEqualTo(fork);
            assertThat(engine.client().workflows().count()).isEqualTo(2);
        }
    }

    @Test
    void a_run_that_goes_on_meanwhile_is_read_again_and_given_up_after_ten_times(TestEngine engine) {
        WorkflowHandle<Order, String> origin = order(engine, new LedgerBank());
        engine.settle();
        AtomicInteger sent = new AtomicInteger();
        AtomicInteger changes = new AtomicInteger(1);
        MeddledStore store = new MeddledStore(engine.store()) {
            @Override
            RunReset.Outcome reset(RunReset reset, HistoryStore real) {
                sent.incrementAndGet();
                if (changes.getAndDecrement() > 0) {
                    origin.pause();
                    origin.resume();
                }
                return real.reset(reset);
            }
        };
        try (DurableEngine other = DurableEngine.builder(store.store())
                .register(Order.class)
                .clientOnly()
                .start()) {
            WorkflowHandle<Order, ?> handle = other.client().handle(Order.class, "order-1");
            handle.fork(2);
            assertThat(sent).hasValue(2);

            changes.set(100);
            assertThatThrownBy(() -> handle.fork(2))
                    .isInstanceOf(DurableException.class)
                    .hasMessageContaining("the run has gone on each time that its history was read, 10 times")
                    .hasMessageContaining("Pause it first: handle.pause()");
        }
    }

    // ── messages ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void messages_behind_the_point_are_not_given_again(TestEngine engine) {
        WorkflowHandle<Order, String> origin = order(engine, new LedgerBank());
        engine.settle();
        long point = idOf(origin.history(), TimerStarted.class);
        origin.signal(w -> w.approve("ann"));
        assertThat(origin.result()).isEqualTo("visa!book! by ann");

        assertThat(origin.fork(point).result()).isEqualTo("visa!book!");
    }

    @Test
    void messages_behind_the_point_are_given_again_in_their_order_where_the_options_say_so(TestEngine engine) {
        WorkflowHandle<Listener, List<String>> origin =
                engine.register(Listener.class).client().start(Listener.class, "listener", Listener::run);
        engine.settle();
        long point = origin.history().size();
        origin.signal(w -> w.hear("a"));
        int second = origin.update(w -> w.ask("b"));
        assertThat(second).isEqualTo(2);
        origin.signal(w -> w.hear("c"));
        engine.settle();
        origin.pause();
        origin.signal(w -> w.hear("waits"));
        origin.cancel("by mistake");

        WorkflowHandle<Listener, List<String>> fork =
                origin.fork(point, ForkOptions.defaults().withMessagesAgain().signal("hear", "with the fork"));
        assertThat(fork.describe().waitingMessages()).isEqualTo(5);
        fork.resume();
        fork.signal(Listener::end);

        assertThat(fork.result()).containsExactly("a", "b", "c", "waits", "with the fork");
        Replayer.of(Listener.class).replay(fork.history());
    }

    @Test
    void an_update_that_was_not_answered_is_answered_by_the_fork_that_is_given_it_again(TestEngine engine) {
        WorkflowHandle<Counter, Integer> origin =
                engine.register(Counter.class).client().start(Counter.class, "counter", Counter::run);
        engine.settle();
        long point = origin.history().size();
        UpdateHandle<Integer> update = origin.startUpdate("u-1", w -> w.add(7), WaitFor.ACCEPTED);

        origin.fork(point, ForkOptions.defaults().withMessagesAgain());

        assertThat(update.result()).isEqualTo(7);
    }

    @Test
    void an_update_whose_caller_waits_is_given_again_though_no_option_says_so(TestEngine engine) {
        WorkflowHandle<Counter, Integer> origin =
                engine.register(Counter.class).client().start(Counter.class, "counter", Counter::run);
        engine.settle();
        long point = origin.history().size();
        origin.startUpdate("u-1", w -> w.add(1), WaitFor.ACCEPTED).result();
        UpdateHandle<Integer> waits = origin.startUpdate("u-2", w -> w.add(7), WaitFor.ACCEPTED);

        WorkflowHandle<Counter, Integer> fork = origin.fork(point);

        assertThat(waits.result()).as("without the update that has its answer").isEqualTo(7);
        assertThat(fork.history().events(UpdateAccepted.class))
                .extracting(UpdateAccepted::updateId)
                .containsExactly("u-2");
        assertThat(fork.result()).isEqualTo(7);
    }

    @Test
    void an_update_that_ended_with_its_run_is_not_given_again(TestEngine engine) {
        WorkflowHandle<Counter, Integer> origin =
                engine.register(Counter.class).client().start(Counter.class, "counter", Counter::run);
        engine.settle();
        long point = origin.history().size();
        UpdateHandle<Integer> ended = origin.startUpdate("u-1", w -> w.add(7), WaitFor.ACCEPTED);
        origin.terminate("by mistake");
        assertThatThrownBy(ended::result).isInstanceOf(DurableException.class);

        assertThat(origin.fork(point).result()).isZero();
    }

    @Test
    void a_signal_goes_with_the_fork_of_a_closed_run(TestEngine engine) {
        WorkflowHandle<Order, String> origin = order(engine, new LedgerBank());
        origin.result();
        long point = idOf(origin.history(), TimerStarted.class);

        WorkflowHandle<Order, String> fork =
                origin.fork(point, ForkOptions.defaults().signal("approve", "ann"));

        assertThat(fork.result()).isEqualTo("visa!book! by ann");
        assertThatThrownBy(() -> fork.fork(point, ForkOptions.defaults().signal("aprove", "ann")))
                .hasMessageContaining("aprove");
    }

    /** Tells another workflow of each minute. */
    @Workflow
    static class Speaker {
        @Run
        String run() {
            for (int i = 1; i <= 3; i++) {
                String word = "word " + i + " " + Durable.uuid();
                Durable.external(Listener.class, "listener").signal(w -> w.hear(word));
                Durable.stream("words", String.class).append(word);
                Durable.sleep(Duration.ofMinutes(1));
            }
            return "said";
        }
    }

    @Workflow
    static class Listener {
        private final List<String> heard = new ArrayList<>();
        private boolean over;

        @Run
        List<String> run() {
            Durable.await(() -> over);
            return heard;
        }

        @Signal
        void hear(String word) {
            heard.add(word);
        }

        @Update
        int ask(String word) {
            heard.add(word);
            return heard.size();
        }

        @Signal
        void end() {
            over = true;
        }
    }

    @Test
    void messages_and_stream_entries_of_the_fork_are_numbered_behind_those_of_the_run(TestEngine engine) {
        WorkflowHandle<Listener, List<String>> listener = engine.register(Speaker.class, Listener.class)
                .client()
                .start(Listener.class, "listener", Listener::run);
        WorkflowHandle<Speaker, String> origin = engine.client().start(Speaker.class, "speaker", Speaker::run);
        origin.result();
        long point = idOf(origin.history(), TimerStarted.class);

        WorkflowHandle<Speaker, String> fork = origin.fork(point);
        assertThat(fork.result()).isEqualTo("said");
        listener.signal(Listener::end);

        assertThat(listener.result())
                .extracting(word -> word.substring(0, 6))
                .as("the words behind the point are said twice, with other numbers")
                .containsExactly("word 1", "word 2", "word 3", "word 2", "word 3");
        assertThat(fork.history().events(ExternalSignalRequested.class))
                .extracting(ExternalSignalRequested::number)
                .containsExactly(1L, 4L, 5L);
        assertThat(fork.stream("words", String.class).page(0, 10).entries())
                .extracting(entry -> entry.offset())
                .containsExactly(0L, 1L, 2L, 3L, 4L);
        Replayer.of(Speaker.class).replay(fork.history());
    }

    @Workflow
    static class Counter {
        private int count;

        @Run
        int run() {
            Durable.await(Duration.ofHours(2), () -> false);
            return count;
        }

        @Update
        int add(int more) {
            count += more;
            Durable.sleep(Duration.ofMinutes(10));
            return count;
        }
    }

    @Test
    void an_update_that_was_accepted_is_answered_by_the_fork(TestEngine engine) {
        WorkflowHandle<Counter, Integer> origin =
                engine.register(Counter.class).client().start(Counter.class, "counter", Counter::run);
        engine.settle();
        UpdateHandle<Integer> update = origin.startUpdate("u-1", w -> w.add(7), WaitFor.ACCEPTED);
        History history = origin.history();
        long accepted = idOf(history, UpdateAccepted.class);
        long point = history.events(TimerStarted.class)
                .filter(timer -> timer.id() > accepted)
                .findFirst()
                .orElseThrow()
                .id();

        WorkflowHandle<Counter, Integer> fork = origin.fork(point);

        assertThat(update.result()).isEqualTo(7);
        assertThat(fork.result()).isEqualTo(7);
    }

    // ── children ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @Workflow
    static class Parent {
        @Run
        String run(ParentClosePolicy policy) {
            Durable.sleep(Duration.ofMinutes(1));
            var first =
                    Durable.startChild(Child.class, ChildOptions.id("first").parentClosePolicy(policy), w -> w.run(10));
            Durable.sleep(Duration.ofMinutes(1));
            var second =
                    Durable.startChild(Child.class, ChildOptions.defaults().parentClosePolicy(policy), w -> w.run(90));
            return first.result() + second.result();
        }
    }

    @Workflow
    static class Child {
        @Run
        String run(int minutes) {
            Durable.sleep(Duration.ofMinutes(minutes));
            return "grown in " + minutes + ";";
        }
    }

    private static WorkflowHandle<Parent, String> parent(TestEngine engine, ParentClosePolicy policy) {
        return engine.register(Parent.class, Child.class).client().start(Parent.class, "parent", w -> w.run(policy));
    }

    /** The last event before the second child is started. */
    private static long behindFirst(History history) {
        return history.events(TimerStarted.class)
                .skip(1)
                .findFirst()
                .orElseThrow()
                .id();
    }

    private static String secondChild(History history) {
        return history.events(ChildStartRequested.class)
                .reduce((one, other) -> other)
                .orElseThrow()
                .workflowId();
    }

    @Test
    void an_open_child_goes_on_with_the_fork_and_one_that_began_behind_the_point_is_terminated(TestEngine engine) {
        WorkflowHandle<Parent, String> origin = parent(engine, ParentClosePolicy.TERMINATE);
        engine.advance(Duration.ofMinutes(5));
        String dropped = secondChild(origin.history());

        WorkflowHandle<Parent, String> fork = origin.fork(behindFirst(origin.history()));

        assertThat(fork.result()).isEqualTo("grown in 10;grown in 90;");
        assertThat(status(engine.client().handle(Child.class, dropped))).isEqualTo(WorkflowStatus.TERMINATED);
        assertThat(secondChild(fork.history()))
                .as("numbers are not given again")
                .isNotEqualTo(dropped);
        assertThat(engine.client().workflows().where(w -> w.workflowId("first")).count())
                .isEqualTo(1);
        Replayer.of(Parent.class).replay(fork.history());
    }

    @Test
    void a_child_that_ended_behind_the_point_gives_its_outcome_at_once(TestEngine engine) {
        WorkflowHandle<Parent, String> origin = parent(engine, ParentClosePolicy.TERMINATE);
        origin.result();

        WorkflowHandle<Parent, String> fork = origin.fork(behindFirst(origin.history()));

        assertThat(fork.result()).isEqualTo("grown in 10;grown in 90;");
        assertThat(engine.client().workflows().where(w -> w.workflowId("first")).count())
                .isEqualTo(1);
    }

    @Test
    void a_child_that_was_ended_with_the_run_has_failed_for_the_fork(TestEngine engine) {
        WorkflowHandle<Parent, String> origin = parent(engine, ParentClosePolicy.TERMINATE);
        engine.advance(Duration.ofMinutes(5));
        origin.terminate("by mistake");
        engine.settle();

        WorkflowHandle<Parent, String> fork = origin.fork(behindFirst(origin.history()));

        assertThatThrownBy(fork::result)
                .isInstanceOf(WorkflowFailedException.class)
                .hasMessageContaining("its parent has ended");
    }

    @Test
    void children_that_are_abandoned_go_on(TestEngine engine) {
        WorkflowHandle<Parent, String> origin = parent(engine, ParentClosePolicy.ABANDON);
        engine.advance(Duration.ofMinutes(5));
        String second = secondChild(origin.history());
        origin.terminate("by mistake");
        engine.settle();

        WorkflowHandle<Parent, String> fork = origin.fork(behindFirst(origin.history()));

        assertThat(fork.result()).isEqualTo("grown in 10;grown in 90;");
        engine.advance(Duration.ofHours(2));
        assertThat(status(engine.client().handle(Child.class, second))).isEqualTo(WorkflowStatus.COMPLETED);
    }

    @Test
    void a_parent_waits_for_the_fork_of_its_child(TestEngine engine) {
        WorkflowHandle<Parent, String> parent = parent(engine, ParentClosePolicy.TERMINATE);
        engine.advance(Duration.ofMinutes(2));
        WorkflowHandle<Child, ?> child = engine.client().handle(Child.class, "first");

        WorkflowHandle<Child, ?> fork = child.fork(child.history().size());

        assertThat(parent.result()).isEqualTo("grown in 10;grown in 90;");
        assertThat(status(fork)).isEqualTo(WorkflowStatus.COMPLETED);
        History history = fork.history();
        assertThat(history.events(WorkflowForked.class)
                        .findFirst()
                        .orElseThrow()
                        .chainId())
                .isEqualTo(history.started().chainId());
    }

    /** Says when its child is started. */
    @Workflow
    static class Watchful {
        @Run
        String run() {
            var child = Durable.startChild(Child.class, ChildOptions.id("watched"), w -> w.run(600));
            child.started().get();
            Durable.sleep(Duration.ofMinutes(1));
            return "started";
        }
    }

    @Test
    void a_fork_in_front_of_the_news_that_a_child_is_started_gets_that_news(TestEngine engine) {
        WorkflowHandle<Watchful, String> origin =
                engine.register(Watchful.class, Child.class).client().start(Watchful.class, "watchful", Watchful::run);
        engine.settle();
        long point = idOf(origin.history(), ChildStarted.class) - 1;

        WorkflowHandle<Watchful, String> fork = origin.fork(point);
        engine.advance(Duration.ofMinutes(2));

        assertThat(status(fork)).isEqualTo(WorkflowStatus.COMPLETED);
        assertThat(fork.result()).isEqualTo("started");
        Replayer.of(Watchful.class).replay(fork.history());
    }

    @Workflow
    static class Careful {
        @Run
        String run() {
            return Durable.startChild(Order.class, ChildOptions.id("order-1"), Order::run)
                    .result();
        }
    }

    @Test
    void a_tree_is_repaired_child_first(TestEngine engine) {
        LedgerBank bank = new LedgerBank();
        bank.shipsNothing = true;
        WorkflowHandle<Careful, String> parent = engine.register(Careful.class, Order.class)
                .activity(Bank.class, bank)
                .client()
                .start(Careful.class, "careful", Careful::run);
        assertThatThrownBy(parent::result).isInstanceOf(WorkflowFailedException.class);
        bank.shipsNothing = false;
        WorkflowHandle<Order, ?> child = engine.client().handle(Order.class, "order-1");

        child.fork(idOf(child.history(), ActivityFailed.class) - 1);
        WorkflowHandle<Careful, String> fork = parent.fork(idOf(parent.history(), ChildStartRequested.class));

        assertThat(fork.result()).isEqualTo("visa!book!");
        assertThat(bank.names()).containsExactly("Bank.charge", "Bank.ship", "Bank.ship");
    }
}
