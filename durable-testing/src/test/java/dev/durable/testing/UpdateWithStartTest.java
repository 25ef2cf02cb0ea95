package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.ConflictPolicy;
import dev.durable.Durable;
import dev.durable.ReusePolicy;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.TypeRef;
import dev.durable.Update;
import dev.durable.UpdateRejectedException;
import dev.durable.Workflow;
import dev.durable.WorkflowAlreadyStartedException;
import dev.durable.WorkflowFailedException;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.client.StartOptions;
import dev.durable.client.UpdateWithStart;
import dev.durable.client.WaitFor;
import dev.durable.client.WorkflowHandle;
import dev.durable.history.HistoryEvent;
import dev.durable.store.Delivery;
import dev.durable.store.HistoryStore;
import dev.durable.store.NewRun;
import dev.durable.store.StartOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Updates that start their run where none is open. Run on each kind of store. */
abstract class UpdateWithStartTest {
    private static final TypeRef<List<String>> ITEMS = new TypeRef<>() {};

    @SuppressWarnings("serial")
    static class SoldOut extends Exception {
        SoldOut(String message) {
            super(message);
        }
    }

    @Workflow
    static class Cart {
        private final List<String> items = new ArrayList<>();
        private String owner = "the handler came first";
        private boolean paid;

        @Run
        List<String> run(String customer) {
            owner = customer;
            Durable.await(() -> paid);
            return items;
        }

        @Update
        String add(String item) throws SoldOut {
            if (item.equals("unicorn")) {
                throw new SoldOut(item);
            }
            items.add(item);
            return owner + " has " + items;
        }

        @Update.Validator("add")
        void check(String item) {
            if (item.isEmpty()) {
                throw new IllegalArgumentException("an item has a name");
            }
        }

        @Update
        String buy(String item) {
            items.add(item);
            paid = true;
            return "bought " + item;
        }

        @Update
        void forget() {
            items.clear();
        }

        @Signal
        void pay() {
            paid = true;
        }
    }

    @Workflow
    static class Door {
        private boolean shut;

        @Run
        void run() {
            Durable.await(() -> shut);
        }

        @Update
        boolean close() {
            shut = true;
            return true;
        }
    }

    private static UpdateWithStart<Cart, List<String>, String> add(
            DurableClient client, StartOptions options, String item) {
        return client.updateWithStart(Cart.class, options, w -> w.run("ann"), null, w -> w.add(item));
    }

    private static UpdateWithStart<Cart, List<String>, String> add(DurableClient client, String item) {
        return add(client, StartOptions.id("c-1"), item);
    }

    private static UpdateWithStart<Cart, List<String>, String> buy(DurableClient client, String updateId) {
        return client.updateWithStart(
                Cart.class, StartOptions.id("c-1"), w -> w.run("ann"), updateId, w -> w.buy("tea"));
    }

    private static List<String> types(WorkflowHandle<?, ?> run) {
        return run.history().stream().map(HistoryEvent::type).toList();
    }

    @Test
    void the_first_update_starts_the_run_and_the_next_goes_to_it(TestEngine engine) {
        DurableClient client = engine.register(Cart.class).client();
        var first = client.updateWithStart(Cart.class, "c-1", w -> w.run("ann"), w -> w.add("tea"));
        var second = client.updateWithStart(Cart.class, "c-1", w -> w.run("bob"), w -> w.add("milk"));

        assertThat(first.update().result()).isEqualTo("ann has [tea]");
        assertThat(second.update().result()).isEqualTo("ann has [tea, milk]");
        assertThat(second.workflow().runId())
                .isEqualTo(first.workflow().runId())
                .isEqualTo(second.update().runId());
        first.workflow().signal(Cart::pay);
        assertThat(second.workflow().result()).containsExactly("tea", "milk");
    }

    @Test
    void a_run_that_has_closed_is_followed_by_another(TestEngine engine) {
        DurableClient client = engine.register(Cart.class).client();
        var first = buy(client, null);
        assertThat(first.update().result()).isEqualTo("bought tea");
        assertThat(types(first.workflow()))
                .containsExactly("WorkflowStarted", "UpdateAccepted", "UpdateCompleted", "WorkflowCompleted");

        var next = add(client, "milk");

        assertThat(next.update().result()).isEqualTo("ann has [milk]");
        assertThat(next.workflow().runId()).isNotEqualTo(first.workflow().runId());
        next.workflow().terminate("the test ends");
    }

    @Test
    void an_id_that_a_closed_run_has_answered_starts_nothing(TestEngine engine) {
        DurableClient client = engine.register(Cart.class).client();
        var first = buy(client, "u-1");
        assertThat(first.update().result()).isEqualTo("bought tea");
        assertThat(first.workflow().result()).containsExactly("tea");

        var again = buy(client, "u-1");

        assertThat(again.update().result()).isEqualTo("bought tea");
        assertThat(again.update().runId()).isEqualTo(first.update().runId());
        assertThat(buy(client, "u-2").workflow().runId())
                .isNotEqualTo(first.workflow().runId());
    }

    @Test
    void an_id_that_the_open_run_answers_as_it_closes_starts_nothing(TestEngine engine) {
        DurableClient client = engine.register(Cart.class).client();
        WorkflowHandle<Cart, List<String>> run = client.start(Cart.class, "c-1", w -> w.run("ann"));
        AtomicInteger tries = new AtomicInteger();
        MeddledStore closing = new MeddledStore(engine.store()) {
            @Override
            List<StartOutcome> start(List<NewRun> runs, HistoryStore store) {
                if (tries.incrementAndGet() > 1) {
                    return super.start(runs, store);
                }
                assertThat(buy(client, "u-1").update().result()).isEqualTo("bought tea");
                return List.of(new StartOutcome.AlreadyOpen(run.runId(), "Cart", Delivery.Outcome.CLOSING));
            }
        };
        try (DurableEngine other = DurableEngine.builder(closing.store())
                .register(Cart.class)
                .clientOnly()
                .start()) {
            var again = buy(other.client(), "u-1");

            assertThat(again.update().runId()).isEqualTo(run.runId());
            assertThat(again.update().result()).isEqualTo("bought tea");
        }
        assertThat(tries).hasValue(1);
        assertThat(run.result()).containsExactly("tea");
    }

    @Test
    void a_rejected_update_and_a_failed_one_leave_the_run_that_they_started_open(TestEngine engine) {
        DurableClient client = engine.register(Cart.class).client();

        var rejected = add(client, "");
        assertThatThrownBy(() -> rejected.update().result())
                .isInstanceOf(UpdateRejectedException.class)
                .hasMessageContaining("an item has a name");
        var failed = add(client, "unicorn");
        assertThatThrownBy(() -> failed.update().result()).isInstanceOf(SoldOut.class);

        assertThat(add(client, "tea").update().result()).isEqualTo("ann has [tea]");
        assertThat(failed.workflow().runId()).isEqualTo(rejected.workflow().runId());
        failed.workflow().signal(Cart::pay);
        failed.workflow().result();
    }

    @Test
    void policies_refuse_another_run_or_replace_the_open_one(TestEngine engine) {
        DurableClient client = engine.register(Cart.class, Door.class).client();
        var first = add(client, "tea");
        assertThat(first.update().result()).isEqualTo("ann has [tea]");

        assertThatThrownBy(() -> client.updateWithStartVoid(Door.class, "c-1", Door::run, Door::close))
                .isInstanceOf(WorkflowAlreadyStartedException.class)
                .hasMessageContaining("it is a run of Cart, not of Door, and was left as it is, without update close.");
        var next = add(client, StartOptions.id("c-1").conflictPolicy(ConflictPolicy.TERMINATE_EXISTING), "milk");
        assertThat(next.update().result()).isEqualTo("ann has [milk]");
        assertThatThrownBy(first.workflow()::result)
                .isInstanceOf(WorkflowFailedException.class)
                .hasMessageContaining("TERMINATE_EXISTING");
        next.workflow().signal(Cart::pay);
        next.workflow().result();
        StartOptions once = StartOptions.id("c-1").reusePolicy(ReusePolicy.REJECT_DUPLICATE);
        assertThatThrownBy(() -> add(client, once, "salt"))
                .isInstanceOf(WorkflowAlreadyStartedException.class)
                .hasMessageContaining("REJECT_DUPLICATE");
    }

    @Test
    void a_run_without_a_result_and_one_by_names(TestEngine engine) {
        DurableClient client = engine.register(Cart.class, Door.class).client();
        var door = client.updateWithStartVoid(Door.class, "d-1", Door::run, Door::close);
        assertThat(door.update().result()).isTrue();
        door.workflow().result();

        StartOptions options = StartOptions.id("c-1");
        var tea = client.updateWithStart("Cart", options, List.of("bob"), "u-1", "add", String.class, "tea");
        assertThat(tea.update().result()).isEqualTo("bob has [tea]");
        assertThat(client.updateWithStart("Cart", options, List.of("bob"), "u-2", "forget", Void.class)
                        .update()
                        .result())
                .isNull();
        assertThatThrownBy(() -> client.updateWithStart("Cart", options, List.of("bob"), null, "drop", String.class))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("workflow Cart has no update drop; it has [add, buy, forget]");
        tea.workflow().signal("pay");
        assertThat(tea.workflow().resultAs(ITEMS)).isEmpty();
    }

    @Test
    void updates_that_return_nothing_have_handles_too(TestEngine engine) {
        engine.register(Cart.class);
        DurableClient client = engine.client();
        var run = add(client, "tea").workflow();

        run.startUpdateVoid("u-1", Cart::forget, WaitFor.ACCEPTED);

        assertThat(run.startUpdateVoid(Cart::forget, WaitFor.COMPLETED).result())
                .isNull();
        assertThat(run.updateHandle("u-1", new TypeRef<Void>() {}).result()).isNull();
        run.signal(Cart::pay);
        assertThat(run.result()).isEmpty();
    }
}
