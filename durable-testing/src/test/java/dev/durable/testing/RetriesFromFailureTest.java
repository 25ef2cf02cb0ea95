package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.ActivityFailedException;
import dev.durable.Callback;
import dev.durable.ChildOptions;
import dev.durable.Durable;
import dev.durable.Promise;
import dev.durable.RefusedInputException;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.WorkflowFailedException;
import dev.durable.client.DurableClient;
import dev.durable.client.ForkOptions;
import dev.durable.client.OperationProgress;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowStatus;
import dev.durable.client.WorkflowVerbs;
import dev.durable.history.ActivityCompleted;
import dev.durable.history.ActivityFailed;
import dev.durable.history.History;
import dev.durable.history.HistoryEvent;
import dev.durable.history.WorkflowFailed;
import dev.durable.history.WorkflowForked;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Retries of failed runs from their failure. Run on each kind of store. */
abstract class RetriesFromFailureTest {

    @Activity(retry = @Retry(maxAttempts = 1))
    interface Shop {
        String call(String what);
    }

    /** The calls of all activities in their order, and which of them fail. */
    private final List<String> calls = new CopyOnWriteArrayList<>();

    private final Set<String> failing = ConcurrentHashMap.newKeySet();
    private final String id = "order-" + UUID.randomUUID();
    private TestEngine engine;

    @BeforeEach
    void shop(TestEngine engine) {
        this.engine = engine;
        engine.activity(Shop.class, what -> {
            calls.add(what);
            if (failing.contains(what)) {
                throw new IllegalStateException(what + " is refused");
            }
            return what + "!";
        });
    }

    /** The mistake of a deployment, which the next one mends: it is there for these workflow ids. */
    static final class Mistake {
        static final Set<String> THERE = ConcurrentHashMap.newKeySet();

        static void check() {
            if (THERE.contains(Durable.info().workflowId())) {
                throw new IllegalStateException("a mistake of the code");
            }
        }
    }

    private <W> WorkflowHandle<W, String> failed(Class<W> type, Function<W, String> run) {
        WorkflowHandle<W, String> handle = engine.register(type).client().start(type, id, run::apply);
        assertThatThrownBy(handle::result).isInstanceOf(WorkflowFailedException.class);
        return handle;
    }

    private static long idOf(History history, Class<? extends HistoryEvent> type) {
        return history.events(type).findFirst().orElseThrow().id();
    }

    private static Long failedAt(WorkflowHandle<?, ?> run) {
        return run.history()
                .events(WorkflowFailed.class)
                .findFirst()
                .orElseThrow()
                .failedAt();
    }

    @Workflow
    static class Order {
        @Run
        String run() {
            Shop shop = Durable.activities(Shop.class);
            return shop.call("charge") + shop.call("ship") + shop.call("mail");
        }
    }

    @Test
    void the_activity_that_failed_is_called_again_and_what_has_completed_is_not() {
        failing.add("ship");
        WorkflowHandle<Order, String> origin = failed(Order.class, Order::run);
        assertThat(failedAt(origin)).as("it failed in its last turn").isNull();
        failing.clear();

        WorkflowHandle<Order, String> retry = origin.by("ann").retryFromFailure();

        assertThat(retry.result()).isEqualTo("charge!ship!mail!");
        assertThat(retry.workflowId()).isEqualTo(id);
        assertThat(calls).containsExactly("charge", "ship", "ship", "mail");
        assertThat(retry.history()
                        .events(WorkflowForked.class)
                        .findFirst()
                        .orElseThrow()
                        .by())
                .isEqualTo("ann");
    }

    @Test
    void a_retry_that_fails_again_can_be_retried_again() {
        failing.add("ship");
        failing.add("mail");
        WorkflowHandle<Order, String> handle = failed(Order.class, Order::run);
        for (String mended : List.of("", "ship", "mail")) {
            failing.remove(mended);
            handle = handle.retryFromFailure();
            engine.settle();
        }
        assertThat(handle.result()).isEqualTo("charge!ship!mail!");
        assertThat(calls).containsExactly("charge", "ship", "ship", "ship", "mail", "mail");
    }

    @Workflow
    static class Mistaken {
        @Run
        String run() {
            Shop shop = Durable.activities(Shop.class);
            String charged = shop.call("charge");
            Mistake.check();
            return charged + shop.call("ship");
        }
    }

    @Test
    void an_outcome_behind_which_the_code_failed_is_kept() {
        Mistake.THERE.add(id);
        WorkflowHandle<Mistaken, String> origin = failed(Mistaken.class, Mistaken::run);
        Mistake.THERE.remove(id);

        assertThat(origin.retryFromFailure().result()).isEqualTo("charge!ship!");
        assertThat(calls).containsExactly("charge", "ship");
    }

    @Workflow
    static class Fan {
        @Run
        String run() {
            Shop shop = Durable.activities(Shop.class);
            List<Promise<String>> all = new ArrayList<>();
            for (String what : List.of("a", "b", "c")) {
                all.add(Durable.async(() -> shop.call(what)));
            }
            return Promise.all(all).toString();
        }
    }

    @Test
    void branches_that_completed_before_and_behind_the_failure_are_not_called_again() {
        failing.add("b");
        WorkflowHandle<Fan, String> origin = failed(Fan.class, Fan::run);
        failing.clear();
        List<String> completed = origin.history()
                .events(ActivityCompleted.class)
                .map(e -> e.result().json())
                .toList();
        assertThat(origin.retryFromFailure().result()).isEqualTo("[a!, b!, c!]");
        assertThat(calls.stream().filter(call -> completed.contains("\"" + call + "!\"")))
                .as("completed once: " + completed)
                .doesNotHaveDuplicates();
        assertThat(calls.stream().filter("b"::equals)).hasSize(2);
    }

    @Workflow
    static class Compensated {
        @Run
        String run() {
            Shop shop = Durable.activities(Shop.class);
            Durable.compensate(() -> shop.call("refund"));
            return shop.call("charge") + shop.call("ship");
        }
    }

    @Test
    void a_run_whose_compensations_have_run_is_refused_unless_said() {
        failing.add("ship");
        WorkflowHandle<Compensated, String> origin = failed(Compensated.class, Compensated::run);
        assertThat(failedAt(origin)).isEqualTo(idOf(origin.history(), ActivityFailed.class));
        failing.clear();

        assertThatThrownBy(origin::retryFromFailure)
                .isInstanceOf(RefusedInputException.class)
                .hasMessageContaining("its code has called Shop.call (event ")
                .hasMessageContaining("evenIfUndone");
        assertThat(calls).containsExactly("charge", "ship", "refund");
        assertThat(origin.retryFromFailure(ForkOptions.defaults().evenIfUndone())
                        .result())
                .isEqualTo("charge!ship!");
        assertThat(calls).containsExactly("charge", "ship", "refund", "ship");
    }

    @Workflow
    static class Released {
        @Run
        String run(String holder) {
            Durable.compensate(() -> Durable.external(Approved.class, holder).signal(w -> w.approve("ann")));
            return Durable.activities(Shop.class).call("ship");
        }
    }

    @Test
    void a_compensation_that_sends_a_signal_counts_as_one() {
        failing.add("ship");
        engine.register(Released.class).register(Approved.class);
        DurableClient client = engine.client();
        WorkflowHandle<Approved, String> holder = client.start(Approved.class, id + "-holder", Approved::run);
        WorkflowHandle<Released, String> origin = client.start(Released.class, id, w -> w.run(id + "-holder"));
        assertThatThrownBy(origin::result).isInstanceOf(WorkflowFailedException.class);
        failing.clear();
        assertThatThrownBy(origin::retryFromFailure)
                .isInstanceOf(RefusedInputException.class)
                .hasMessageContaining("its code has called signal to \"" + id + "-holder\" (event ");
        assertThat(holder.result()).isEqualTo("ship for ann!");
    }

    @Workflow
    static class Awaiting {
        @Run
        String run() {
            Callback<String> answer = Durable.callback(String.class, Duration.ofHours(1));
            return answer.promise().get();
        }
    }

    @Test
    void a_callback_that_timed_out_is_not_kept_and_refuses_the_retry() {
        WorkflowHandle<Awaiting, String> origin = failed(Awaiting.class, Awaiting::run);
        assertThatThrownBy(origin::retryFromFailure)
                .isInstanceOf(RefusedInputException.class)
                .hasMessageContaining("a callback is open there");
    }

    @Workflow
    static class InSaga {
        @Run
        String run() {
            Shop shop = Durable.activities(Shop.class);
            return Durable.saga(saga -> {
                saga.compensate(() -> shop.call("refund"));
                return shop.call("charge") + shop.call("ship");
            });
        }
    }

    @Test
    void a_saga_that_was_undone_counts_as_compensated_and_its_failure_arose_before_it() {
        failing.add("ship");
        WorkflowHandle<InSaga, String> origin = failed(InSaga.class, InSaga::run);
        failing.clear();
        assertThatThrownBy(origin::retryFromFailure).hasMessageContaining("its code has called Shop.call (event ");
        assertThat(origin.retryFromFailure(ForkOptions.defaults().evenIfUndone())
                        .result())
                .isEqualTo("charge!ship!");
        assertThat(calls).containsExactly("charge", "ship", "refund", "ship");
    }

    @Workflow
    static class PastSaga {
        @Run
        String run() {
            Shop shop = Durable.activities(Shop.class);
            try {
                Durable.saga(saga -> {
                    saga.compensate(() -> shop.call("refund"));
                    return shop.call("charge visa");
                });
            } catch (ActivityFailedException e) {
                shop.call("charge transfer");
            }
            return shop.call("ship");
        }
    }

    @Test
    void a_saga_behind_which_the_code_went_on_keeps_no_run_from_its_retry() {
        failing.add("charge visa");
        failing.add("ship");
        WorkflowHandle<PastSaga, String> origin = failed(PastSaga.class, PastSaga::run);
        failing.clear();
        assertThat(origin.retryFromFailure().result()).isEqualTo("ship!");
        assertThat(calls).containsExactly("charge visa", "refund", "charge transfer", "ship", "ship");
    }

    @Workflow
    static class Tidy {
        @Run
        String run() {
            Shop shop = Durable.activities(Shop.class);
            try {
                return shop.call("charge");
            } finally {
                Durable.detached(() -> shop.call("tidy up"));
            }
        }
    }

    @Test
    void clean_up_behind_the_failure_is_no_part_of_the_failing_turn() {
        failing.add("charge");
        WorkflowHandle<Tidy, String> origin = failed(Tidy.class, Tidy::run);
        failing.clear();
        assertThatThrownBy(origin::retryFromFailure).hasMessageContaining("its code has called Shop.call (event ");
        assertThat(origin.retryFromFailure(ForkOptions.defaults().evenIfUndone())
                        .result())
                .isEqualTo("charge!");
        assertThat(calls).containsExactly("charge", "tidy up", "charge", "tidy up");
    }

    @Workflow
    static class Approved {
        private String by = "";

        @Run
        String run() {
            Durable.await(() -> !by.isEmpty());
            return Durable.activities(Shop.class).call("ship for " + by);
        }

        @Signal
        void approve(String by) {
            Mistake.check();
            this.by = by;
        }
    }

    @Test
    void the_signal_whose_handler_failed_the_run_is_handled_again() {
        Mistake.THERE.add(id);
        WorkflowHandle<Approved, String> origin =
                engine.register(Approved.class).client().start(Approved.class, id, Approved::run);
        engine.advance(Duration.ofMinutes(1));
        origin.signal(w -> w.approve("ann"));
        assertThatThrownBy(origin::result).isInstanceOf(WorkflowFailedException.class);
        Mistake.THERE.remove(id);
        assertThat(origin.retryFromFailure().result()).isEqualTo("ship for ann!");
    }

    @Test
    void a_run_that_ran_out_of_its_time_goes_on_with_time_of_its_own() {
        WorkflowHandle<Approved, String> origin = engine.register(Approved.class)
                .client()
                .start(Approved.class, StartOptions.id("order-1").runTimeout(Duration.ofHours(1)), Approved::run);
        engine.advance(Duration.ofHours(2));
        assertThat(origin.describe().summary().status()).isEqualTo(WorkflowStatus.TIMED_OUT);

        WorkflowHandle<Approved, String> retry = origin.retryFromFailure();
        engine.advance(Duration.ofMinutes(30));
        retry.signal(w -> w.approve("ann"));
        assertThat(retry.result()).isEqualTo("ship for ann!");
    }

    @Workflow(retry = @Retry(maxAttempts = 2, initialInterval = "1m"))
    static class Attempted {
        @Run
        String run() {
            Shop shop = Durable.activities(Shop.class);
            return shop.call("charge") + shop.call("ship");
        }
    }

    @Test
    void of_attempts_the_last_one_is_retried() {
        failing.add("ship");
        WorkflowHandle<Attempted, String> origin = failed(Attempted.class, Attempted::run);
        failing.clear();
        assertThat(origin.retryFromFailure().result()).isEqualTo("charge!ship!");
        assertThat(calls).containsExactly("charge", "ship", "charge", "ship", "ship");
    }

    @Workflow
    static class Parent {
        @Run
        String run() {
            return Durable.startChild(Order.class, ChildOptions.id("child"), Order::run)
                    .result();
        }
    }

    @Workflow
    static class Grandparent {
        @Run
        String run() {
            return Durable.startChild(Parent.class, ChildOptions.id("parent"), Parent::run)
                    .result();
        }
    }

    private WorkflowHandle<Grandparent, String> family() {
        failing.add("ship");
        engine.register(Order.class).register(Parent.class);
        WorkflowHandle<Grandparent, String> family = failed(Grandparent.class, Grandparent::run);
        failing.clear();
        return family;
    }

    @Test
    void a_run_that_failed_by_a_child_retries_the_child_and_its_children_before_it() {
        WorkflowHandle<Grandparent, String> family = family();
        assertThat(family.retryFromFailure().result()).isEqualTo("charge!ship!mail!");
        assertThat(calls).containsExactly("charge", "ship", "ship", "mail");
        assertThat(engine.client()
                        .handle(Parent.class, "parent")
                        .describe()
                        .summary()
                        .status())
                .isEqualTo(WorkflowStatus.COMPLETED);
    }

    @Test
    void a_child_is_left_alone_where_its_parent_can_t_be_retried() {
        WorkflowHandle<Grandparent, String> family = family();
        engine.client().start(Grandparent.class, id, Grandparent::run).result();
        int before = calls.size();
        assertThatThrownBy(family::retryFromFailure)
                .isInstanceOf(RefusedInputException.class)
                .hasMessageContaining("is the newest run of the workflow id");
        engine.settle();
        assertThat(calls).hasSize(before);
    }

    @Workflow
    static class Twins {
        @Run
        String run() {
            var one = Durable.startChild(Order.class, ChildOptions.id("one"), Order::run);
            var other = Durable.startChild(Order.class, ChildOptions.id("other"), Order::run);
            Durable.sleep(Duration.ofMinutes(1));
            return one.result() + other.result();
        }
    }

    @Test
    void of_children_that_have_failed_one_after_the_other_each_is_retried_once() {
        failing.add("ship");
        engine.register(Order.class);
        WorkflowHandle<Twins, String> twins = failed(Twins.class, Twins::run);
        failing.clear();
        WorkflowHandle<Twins, String> retry = twins.retryFromFailure();
        engine.advance(Duration.ofMinutes(2));
        if (retry.describe().summary().status() == WorkflowStatus.FAILED) {
            retry = retry.retryFromFailure(); // the failure of the other child came first, and was part of the
            // copied events
        }
        assertThat(retry.result()).isEqualTo("charge!ship!mail!charge!ship!mail!");
        assertThat(calls.stream().filter("charge"::equals)).hasSize(2);
        assertThat(calls.stream().filter("ship"::equals)).hasSize(4);
    }

    @Test
    void a_child_that_an_operator_has_retried_before_is_taken_as_it_is() {
        WorkflowHandle<Grandparent, String> family = family();
        engine.client().handle(Order.class, "child").retryFromFailure();
        engine.settle();
        assertThat(calls).containsExactly("charge", "ship", "ship", "mail");
        assertThat(family.retryFromFailure().result()).isEqualTo("charge!ship!mail!");
        assertThat(calls).containsExactly("charge", "ship", "ship", "mail");
    }

    @Test
    void a_run_that_failed_as_its_child_was_terminated_is_refused() {
        engine.register(Approved.class);
        WorkflowHandle<Guardian, String> guardian =
                engine.register(Guardian.class).client().start(Guardian.class, "order-1", Guardian::run);
        engine.settle();
        engine.client().handle(Approved.class, "child").terminate("enough");
        assertThatThrownBy(guardian::result).isInstanceOf(WorkflowFailedException.class);
        assertThatThrownBy(guardian::retryFromFailure)
                .isInstanceOf(RefusedInputException.class)
                .hasMessageContaining("its child \"child\" was terminated, of which the fork would be told again.");
    }

    @Workflow
    static class Guardian {
        @Run
        String run() {
            return Durable.startChild(Approved.class, ChildOptions.id("child"), Approved::run)
                    .result();
        }
    }

    @Test
    void all_failed_runs_of_a_query_are_retried_and_those_that_can_t_be_are_passed_over() {
        failing.add("ship");
        engine.register(Order.class).register(Compensated.class);
        DurableClient client = engine.client();
        List<WorkflowHandle<?, String>> runs = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            runs.add(client.start(Order.class, "order-" + i, Order::run));
        }
        runs.add(client.start(Compensated.class, "compensated", Compensated::run));
        runs.forEach(run -> assertThatThrownBy(run::result).isInstanceOf(WorkflowFailedException.class));
        failing.clear();
        engine.advance(Duration.ofSeconds(1));

        WorkflowVerbs failed = client.workflows()
                .where(w -> w.status(WorkflowStatus.FAILED))
                .by("ann")
                .because("the courier is back");
        assertThat(failed.dryRun().total()).isEqualTo(4);
        OperationProgress progress = failed.retryFromFailure().await();

        assertThat(progress.done()).isEqualTo(3);
        assertThat(progress.passed()).isEqualTo(1);
        for (int i = 1; i <= 3; i++) {
            WorkflowHandle<Order, ?> retry = client.handle(Order.class, "order-" + i);
            assertThat((Object) retry.result()).isEqualTo("charge!ship!mail!");
            WorkflowForked event =
                    retry.history().events(WorkflowForked.class).findFirst().orElseThrow();
            assertThat(event.by()).isEqualTo("ann");
            assertThat(event.reason()).isEqualTo("the courier is back");
        }
        assertThat(failed.dryRun().total())
                .as("only what can't be retried is left")
                .isEqualTo(1);
        assertThat(calls.stream().filter("charge"::equals)).hasSize(4);
    }

    @Workflow
    static class Validated {
        @Run
        String run() {
            throw new IllegalArgumentException("no such customer");
        }
    }

    @Test
    void what_has_not_failed_or_has_nothing_in_front_of_its_failure_is_refused() {
        engine.register(Validated.class).register(Order.class).register(Approved.class);
        DurableClient client = engine.client();
        var first = client.start(Validated.class, "order-1", Validated::run);
        assertThatThrownBy(first::result).isInstanceOf(WorkflowFailedException.class);
        assertThatThrownBy(first::retryFromFailure)
                .isInstanceOf(RefusedInputException.class)
                .hasMessageContaining("it failed in its first turn")
                .hasMessageContaining("Start it again.");

        var done = client.start(Order.class, "order-2", Order::run);
        done.result();
        assertThatThrownBy(done::retryFromFailure)
                .isInstanceOf(RefusedInputException.class)
                .hasMessageContaining("it has completed, and has not failed");

        var open = client.start(Approved.class, "order-3", Approved::run);
        assertThatThrownBy(open::retryFromFailure)
                .isInstanceOf(RefusedInputException.class)
                .hasMessageContaining("it is open")
                .hasMessageContaining("handle.fork(eventId)");
        open.terminate("enough");
        assertThatThrownBy(open::retryFromFailure)
                .isInstanceOf(RefusedInputException.class)
                .hasMessageContaining("was terminated");
    }
}
