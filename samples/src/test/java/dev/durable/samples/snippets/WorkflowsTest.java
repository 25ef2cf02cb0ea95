package dev.durable.samples.snippets;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.ActivityFailedException;
import dev.durable.ActivityTimedOutException;
import dev.durable.CancelledException;
import dev.durable.ChildFailedException;
import dev.durable.ChildHandle;
import dev.durable.ChildOptions;
import dev.durable.Durable;
import dev.durable.EncodedValues;
import dev.durable.ExternalWorkflow;
import dev.durable.Promise;
import dev.durable.Query;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.TypeRef;
import dev.durable.Update;
import dev.durable.WaitTimedOutException;
import dev.durable.Workflow;
import dev.durable.WorkflowFailedException;
import dev.durable.WorkflowInfo;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.StartOptions;
import dev.durable.client.UpdateHandle;
import dev.durable.client.WaitFor;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.SideEffectRecorded;
import dev.durable.history.VersionRecorded;
import dev.durable.testing.DurableTest;
import dev.durable.testing.TestEngine;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;

/** The constructs of workflow code, piece by piece as {@code docs/workflows.md} shows them. */
@DurableTest
class WorkflowsTest {
    private final Depot depot = new Depot();

    // ── time and chance ─────────────────────────────────────────────────────────────────────────────────────────────

    record Ticket(UUID id, int number, Instant drawnAt, String of) {}

    // docs: time-and-chance
    @Workflow
    static class Lottery {
        private static final Logger log = Durable.logger(Lottery.class); // silent on replay

        @Run
        Ticket run() {
            Instant now = Durable.now(); // the time of the event being processed
            UUID id = Durable.uuid();
            int number = Durable.random().nextInt(1, 50); // a java.util.random.RandomGenerator
            WorkflowInfo info = Durable.info(); // ids, type, queue, startedAt, historyLength, headers
            log.info("drew {} for {}", number, info.workflowId());
            return new Ticket(id, number, now, info.workflowId());
        }
    }
    // docs: end

    @Test
    void timeAndChanceAreTheSameOnReplay(TestEngine engine) {
        engine.register(Lottery.class);
        Ticket ticket =
                engine.client().start(Lottery.class, "draw-1", w -> w.run()).result();
        assertThat(ticket.number()).isBetween(1, 49);
        assertThat(ticket.of()).isEqualTo("draw-1");
    }

    // ── waiting ─────────────────────────────────────────────────────────────────────────────────────────────────────

    // docs: waiting
    @Workflow
    static class Invoice {
        private final Parcels parcels;
        private boolean paid;

        Invoice(Parcels parcels) {
            this.parcels = parcels;
        }

        @Run
        String run(Duration patience) {
            Durable.sleep(Duration.ofHours(1)); // holds no thread, survives restarts
            Promise<Void> patienceIsOver = Durable.timer(patience); // a timer to look at, or to wait for with get()
            while (!Durable.await(Duration.ofDays(1), () -> paid)) { // false: the day is over
                if (patienceIsOver.isDone()) {
                    return "given up";
                }
                parcels.tell("please pay");
            }
            patienceIsOver.cancel();
            return "paid";
        }

        @Signal
        void paid() {
            paid = true;
        }
    }
    // docs: end

    @Test
    void whoDoesNotPayIsRemindedUntilPatienceIsOver(TestEngine engine) {
        engine.register(Invoice.class).activity(Parcels.class, depot);
        var late = engine.client().start(Invoice.class, "invoice-1", w -> w.run(Duration.ofDays(3)));
        assertThat(late.result()).isEqualTo("given up");
        assertThat(depot.done).hasSize(2).containsOnly("please pay");
        var good = engine.client().start(Invoice.class, "invoice-2", w -> w.run(Duration.ofDays(3)));
        good.signal(Invoice::paid);
        assertThat(good.result()).isEqualTo("paid");
    }

    // ── activities ──────────────────────────────────────────────────────────────────────────────────────────────────

    // docs: calling-activities
    @Workflow
    static class Checkout {
        private final Payments payments;

        Checkout(Payments payments) { // a stub, made by the engine
            this.payments = payments;
        }

        @Run
        String run(Order order) {
            UUID payment = Durable.uuid();
            try {
                return payments.charge(payment, order.total()); // blocks until it has ended for good
            } catch (CardDeclined declined) { // named by the method's throws: comes back as itself
                return "declined: " + declined.getMessage();
            } catch (ActivityTimedOutException late) { // no attempt was in time; late.timeout() says which timeout
                return "no answer";
            } catch (ActivityFailedException broken) { // anything else, as data: broken.failure().type()
                return "broken: " + broken.getMessage();
            }
        }
    }
    // docs: end

    // docs: call-site
    @Workflow
    static class PatientCheckout {
        @Run
        String run(Order order) throws CardDeclined {
            Payments patient = Durable.activities(
                    Payments.class,
                    o -> o.startToClose(Duration.ofMinutes(5)).maxAttempts(20).limitKey(order.id()));
            String code = patient.charge(Durable.uuid(), order.total());
            String label = Durable.activity("Parcels.label", String.class, order.id()); // by name, without the type
            return code + " " + label;
        }
    }
    // docs: end

    @Test
    void aDeclinedCardIsAnAnswer(TestEngine engine) {
        engine.register(Checkout.class, PatientCheckout.class)
                .activity(Payments.class, new StripePayments())
                .activity(Parcels.class, depot);
        Order free = new Order("1", BigDecimal.ZERO);
        assertThat(engine.client()
                        .start(Checkout.class, "checkout-1", w -> w.run(free))
                        .result())
                .isEqualTo("declined: nothing to pay");
        Order order = new Order("2", BigDecimal.TEN);
        assertThat(engine.client()
                        .start(PatientCheckout.class, "checkout-2", w -> w.run(order))
                        .result())
                .isEqualTo("AUTH-4711 L-2");
    }

    // ── at the same time ────────────────────────────────────────────────────────────────────────────────────────────

    record Offer(BigDecimal cheapest, String label, List<String> notes) {}

    // docs: in-parallel
    @Workflow
    static class Quotes {
        private final Parcels parcels;

        Quotes(Parcels parcels) {
            this.parcels = parcels;
        }

        @Run
        Offer run(String order, List<String> carriers) {
            // one activity call in flight, without a coroutine: thousands are cheap
            Promise<String> label = Durable.async(parcels::label, order);

            // a coroutine: any workflow code, one at a time, in an order that replay repeats
            Promise<String> note = Durable.async(() -> {
                Durable.sleep(Duration.ofMinutes(1));
                return "asked " + carriers.size() + " carriers";
            });

            // at most two at once, results in the order of the items, the first failure cancels the rest
            List<BigDecimal> quotes = Promise.map(carriers, 2, carrier -> parcels.quote(carrier, order));

            // a coroutine that goes on with a result; handle gets the failure too
            Promise<String> shout = note.then(text -> text + "!");
            Promise<String> safe = label.handle((text, failure) -> failure == null ? text : "no label");

            List<String> notes = Promise.all(note, shout); // the first failure of any, as soon as there is one
            BigDecimal cheapest = quotes.stream().min(BigDecimal::compareTo).orElseThrow();
            return new Offer(cheapest, safe.get(), notes);
        }
    }
    // docs: end

    @Test
    void carriersAreAskedAtTheSameTime(TestEngine engine) {
        engine.register(Quotes.class).activity(Parcels.class, depot);
        Offer offer = engine.client()
                .start(Quotes.class, "quotes-1", w -> w.run("7", List.of("post", "rail", "van")))
                .result();
        assertThat(offer.cheapest()).isEqualTo("3");
        assertThat(offer.label()).isEqualTo("L-7");
        assertThat(offer.notes()).containsExactly("asked 3 carriers", "asked 3 carriers!");
    }

    // docs: first-wins
    @Workflow
    static class FirstCarrier {
        private final Parcels parcels;

        FirstCarrier(Parcels parcels) {
            this.parcels = parcels;
        }

        @Run
        BigDecimal run(String order, List<String> carriers) {
            List<Promise<BigDecimal>> asked = carriers.stream()
                    .map(carrier -> Durable.async(parcels::quote, carrier, order))
                    .toList();
            BigDecimal first = Promise.any(asked); // the first success; fails when all have failed
            asked.forEach(Promise::cancel); // the others are asked to stop; nothing happens to those that ended
            return first;
        }
    }
    // docs: end

    // docs: promise-timeout
    @Workflow
    static class Impatient {
        private final Parcels parcels;

        Impatient(Parcels parcels) {
            this.parcels = parcels;
        }

        @Run
        String run(String order) {
            Promise<String> slow = Durable.async(() -> {
                Durable.sleep(Duration.ofHours(2));
                return parcels.label(order);
            });
            try {
                return slow.get(Duration.ofHours(1));
            } catch (WaitTimedOutException tooSlow) { // the promise goes on; it can be waited for again
                slow.cancel(); // with all that the coroutine has started
                return "too slow";
            }
        }
    }
    // docs: end

    @Test
    void theFirstWinsAndTheSlowOneIsCancelled(TestEngine engine) {
        engine.register(FirstCarrier.class, Impatient.class).activity(Parcels.class, depot);
        assertThat(engine.client()
                        .start(FirstCarrier.class, "first-1", w -> w.run("7", List.of("rail", "road")))
                        .result())
                .isEqualTo("4");
        assertThat(engine.client()
                        .start(Impatient.class, "impatient-1", w -> w.run("7"))
                        .result())
                .isEqualTo("too slow");
        assertThat(depot.done).isEmpty();
    }

    // ── messages ────────────────────────────────────────────────────────────────────────────────────────────────────

    // docs: messages
    @Workflow
    static class Counter {
        private final Parcels parcels;
        private final Deque<String> orders = new ArrayDeque<>();
        private final List<String> labels = new ArrayList<>();
        private boolean closed;

        Counter(Parcels parcels) {
            this.parcels = parcels;
        }

        @Run
        List<String> run() {
            while (true) {
                Durable.await(() -> closed || !orders.isEmpty());
                if (orders.isEmpty()) {
                    return labels;
                }
                labels.add(parcels.label(orders.removeFirst()));
            }
        }

        @Signal
        void order(String order) { // runs when its event is fed, between two waits of the others
            orders.add(order);
        }

        @Signal(name = "close") // the name in messages and histories
        void closeTheCounter() {
            closed = true;
        }

        @Query
        int waiting() { // looks at the state, changes nothing
            return orders.size();
        }
    }
    // docs: end

    // docs: working-handler
    @Workflow
    static class Desk {
        private final Parcels parcels;
        private final List<String> labels = new ArrayList<>();
        private boolean closed;

        Desk(Parcels parcels) {
            this.parcels = parcels;
        }

        @Run
        List<String> run() {
            Durable.await(() -> closed);
            Durable.await(Durable::allHandlersFinished); // what order began is not cut off
            return labels;
        }

        @Signal
        void order(String order) { // a handler is a coroutine: it may wait and call activities
            labels.add(parcels.label(order));
        }

        @Signal
        void close() {
            closed = true;
        }
    }
    // docs: end

    // docs: any-name
    @Workflow
    static class Gateway {
        private final List<String> taken = new ArrayList<>();
        private boolean closed;

        @Run
        List<String> run() {
            Durable.await(() -> closed);
            return taken;
        }

        @Signal
        void close() { // a handler of the name goes first
            closed = true;
        }

        @Signal(any = true)
        void other(String name, EncodedValues values) { // all signals whose name no handler has
            switch (name) {
                case "paid" -> taken.add("paid " + values.get(0, BigDecimal.class));
                case "shipped" -> taken.addAll(values.get(0, new TypeRef<List<String>>() {}));
                default -> taken.add(name + "?"); // strangers may send: do not read what is not known
            }
        }

        @Query(any = true)
        Object answer(String name, EncodedValues values) { // written by its own class
            return name.equals("count") ? taken.size() : taken;
        }
    }
    // docs: end

    @Test
    void theGatewayTakesSignalsOfAnyName(TestEngine engine) {
        engine.register(Gateway.class);
        // docs: any-name-calls
        var gateway = engine.client().start(Gateway.class, StartOptions.generatedId(), w -> w.run());
        gateway.signal("paid", new BigDecimal("9.90")); // by name only: a lambda says no name
        gateway.signal("shipped", List.of("a", "b"));
        int count = gateway.query("count", Integer.class);
        gateway.signal(w -> w.close());
        List<String> taken = gateway.result();
        String id = gateway.workflowId(); // made by the start
        // docs: end
        assertThat(taken).containsExactly("paid 9.90", "a", "b");
        assertThat(count).isBetween(0, 3);
        assertThat(UUID.fromString(id).version()).isEqualTo(7);
    }

    @Test
    void ordersAreTakenUntilTheCounterCloses(TestEngine engine) {
        engine.register(Counter.class, Desk.class).activity(Parcels.class, depot);
        // docs: talking
        var counter = engine.client().start(Counter.class, "counter-1", w -> w.run());
        counter.signal(w -> w.order("1")); // durable when it returns
        counter.signal("order", "2"); // by name, for callers without the class
        int waiting = counter.query(w -> w.waiting()); // answered by replaying the history, also when the run has ended
        counter.signal(w -> w.closeTheCounter());
        List<String> labels = counter.result();
        // docs: end
        assertThat(labels).containsExactly("L-1", "L-2");
        assertThat(waiting).isBetween(0, 2);
        var desk = engine.client().start(Desk.class, "desk-1", w -> w.run());
        desk.signal(w -> w.order("3"));
        desk.signal(w -> w.close());
        assertThat(desk.result()).containsExactly("L-3");
    }

    // ── messages to other workflows ─────────────────────────────────────────────────────────────────────────────────

    @Workflow
    static class Reminder {
        @Run
        void run() {
            Durable.sleep(Duration.ofDays(30));
        }
    }

    // docs: external
    @Workflow
    static class Dispatch {
        @Run
        void run(String orderId) {
            Durable.sleep(Duration.ofDays(2));
            ExternalWorkflow<Counter> counter = Durable.external(Counter.class, "counter-1");
            counter.signal(w -> w.order(orderId)); // or counter.signal("order", orderId)
            Durable.external(Reminder.class, "reminder-" + orderId).cancel("the order is on its way");
        }
    }
    // docs: end

    @Test
    void workflows_send_messages_to_others(TestEngine engine) {
        engine.register(Counter.class, Dispatch.class, Reminder.class).activity(Parcels.class, depot);
        var counter = engine.client().start(Counter.class, "counter-1", w -> w.run());
        var reminder = engine.client().startVoid(Reminder.class, "reminder-7", w -> w.run());
        engine.client().startVoid(Dispatch.class, "dispatch-7", w -> w.run("7")).result();
        engine.settle();

        assertThat(counter.history()).receivedSignals("order");
        assertThat(reminder.describe().summary().status()).isEqualTo(WorkflowStatus.CANCELLED);
    }

    // ── children ────────────────────────────────────────────────────────────────────────────────────────────────────

    @Workflow
    static class Courier {
        private String address = "";

        @Run
        String run(String order) {
            if (order.isEmpty()) {
                throw new IllegalStateException("nothing to ship");
            }
            Durable.sleep(Duration.ofDays(2));
            return order + " to " + address;
        }

        @Signal
        void address(String text) {
            address = text;
        }
    }

    // docs: children
    @Workflow
    static class Fulfilment {
        @Run
        int run(List<String> orders) {
            List<ChildHandle<Courier, String>> children = new ArrayList<>();
            for (String order : orders) { // thousands of them cost no thread
                children.add(Durable.startChild(Courier.class, ChildOptions.id("courier-" + order), w -> w.run(order)));
            }
            children.getFirst().signal(w -> w.address("Elm 3"));
            int sent = 0;
            for (ChildHandle<Courier, String> child : children) {
                try {
                    child.result();
                    sent++;
                } catch (ChildFailedException e) { // failed, timed out, terminated, or its id is in use
                    Durable.logger(Fulfilment.class).warn("{} is {}", e.workflowId(), e.status());
                }
            }
            return sent;
        }
    }
    // docs: end

    @Test
    void children_run_beside_one_another(TestEngine engine) {
        engine.register(Fulfilment.class, Courier.class);
        var fulfilment = engine.client().start(Fulfilment.class, "today", w -> w.run(List.of("7", "8", "")));

        assertThat(fulfilment.result()).isEqualTo(2);
        assertThat(engine.client().handle("courier-7").resultAs(String.class)).isEqualTo("7 to Elm 3");
    }

    // docs: updating
    @Workflow
    static class Moving {
        private final Parcels parcels;
        private final List<String> labels = new ArrayList<>();
        private boolean closed;

        Moving(Parcels parcels) {
            this.parcels = parcels;
        }

        @Run
        List<String> run() {
            Durable.await(() -> closed);
            return labels;
        }

        @Update
        String redirect(String address) { // a coroutine, as a signal's handler
            String label = parcels.label(address);
            labels.add(label);
            return label;
        }

        @Update.Validator("redirect")
        void check(String address) { // throws to reject, and the run never sees it
            if (closed) {
                throw new IllegalStateException("closed already");
            }
        }

        @Signal
        void close() {
            closed = true;
        }
    }
    // docs: end

    @Test
    void anUpdateIsAnswered(TestEngine engine) {
        engine.register(Moving.class).activity(Parcels.class, depot);
        // docs: updating-it
        var moving = engine.client().start(Moving.class, "moving-1", w -> w.run());
        String label = moving.update(w -> w.redirect("elm")); // waits for the answer
        UpdateHandle<String> other = moving.startUpdate("redirect-7", w -> w.redirect("oak"), WaitFor.ACCEPTED);
        String same = moving.updateHandle("redirect-7", String.class).result(); // found again, also by another process
        var begun = engine.client().updateWithStart(Moving.class, "moving-2", w -> w.run(), w -> w.redirect("ash"));
        String first = begun.update().result(); // of a run that was open, or that began with it: begun.workflow()
        moving.signal(w -> w.close());
        // docs: end
        assertThat(first).isEqualTo("L-ash");
        begun.workflow().signal(w -> w.close());
        assertThat(List.of(label, same)).containsExactly("L-elm", "L-oak");
        assertThat(other.id()).isEqualTo("redirect-7");
        assertThat(moving.result()).containsExactly("L-elm", "L-oak");
        assertThatThrownBy(() -> moving.update((Moving w) -> w.redirect("ash")))
                .isInstanceOf(WorkflowNotFoundException.class);
    }

    // ── a history without end ───────────────────────────────────────────────────────────────────────────────────────

    // docs: continuing
    @Workflow
    static class Subscription {
        private int paid;
        private boolean ended;

        @Run
        public int run(int paidBefore) {
            paid = paidBefore;
            while (!ended) {
                Durable.await(Duration.ofDays(30), () -> ended);
                paid += ended ? 0 : 1;
                if (Durable.info().shouldContinueAsNew()) {
                    throw Durable.continueAsNew(Subscription.class, w -> w.run(paid));
                }
            }
            return paid;
        }

        @Signal
        public void end() {
            ended = true;
        }
    }
    // docs: end

    @Test
    void aSubscriptionIsPaidForMonths(TestEngine engine) {
        engine.register(Subscription.class);
        var subscription = engine.client().start(Subscription.class, "subscription-1", w -> w.run(0));
        engine.advance(Duration.ofDays(100));
        subscription.signal(Subscription::end);
        assertThat(subscription.result()).isEqualTo(3);
    }

    // ── cancellation and undoing ────────────────────────────────────────────────────────────────────────────────────

    // docs: cancellation
    @Workflow
    static class Shipment {
        private final Parcels parcels;

        Shipment(Parcels parcels) {
            this.parcels = parcels;
        }

        @Run
        String run(String order) {
            String label = parcels.label(order);
            try {
                Durable.sleep(Duration.ofDays(3)); // handle.cancel("reason") ends this wait
                return "shipped";
            } catch (CancelledException stop) {
                Durable.detached(() -> parcels.scrap(label)); // shielded: outside, the call would be refused
                throw stop; // the run closes as CANCELLED; what is returned instead completes it
            }
        }
    }
    // docs: end

    @Test
    void aCancelledShipmentScrapsItsLabel(TestEngine engine) {
        engine.register(Shipment.class).activity(Parcels.class, depot);
        var shipment = engine.client().start(Shipment.class, "shipment-1", w -> w.run("7"));
        engine.settle();
        shipment.cancel("ordered by mistake");
        assertThatThrownBy(shipment::result)
                .isInstanceOfSatisfying(
                        WorkflowFailedException.class,
                        e -> assertThat(e.status()).isEqualTo(WorkflowStatus.CANCELLED));
        assertThat(depot.done).containsExactly("label 7", "scrap L-7");
    }

    // docs: saga
    @Workflow
    static class TwoParcels {
        private final Parcels parcels;

        TwoParcels(Parcels parcels) {
            this.parcels = parcels;
        }

        @Run
        List<String> run(String one, String other) {
            String first = parcels.label(one);
            Durable.compensate(() -> parcels.scrap(first)); // in reverse order, if the run fails or is cancelled
            String second = parcels.label(other);
            Durable.compensate(() -> parcels.scrap(second));
            parcels.tell("labels " + first + " and " + second);
            return List.of(first, second);
        }
    }
    // docs: end

    @Test
    void whatWasDoneIsUndoneInReverse(TestEngine engine) {
        engine.register(TwoParcels.class).activity(Parcels.class, depot);
        var both = engine.client().start(TwoParcels.class, "two-1", w -> w.run("1", ""));
        assertThatThrownBy(both::result)
                .isInstanceOf(WorkflowFailedException.class)
                .hasMessageContaining("an order needs a name");
        assertThat(depot.done).containsExactly("label 1", "scrap L-1");
    }

    // ── what is recorded ────────────────────────────────────────────────────────────────────────────────────────────

    // docs: side-effect
    @Workflow
    static class Regional {
        @Run
        String run() {
            String region = Durable.sideEffect(
                    String.class, () -> System.getenv().getOrDefault("REGION", "eu")); // run once, recorded
            return "region " + region;
        }
    }
    // docs: end

    // docs: versions
    @Workflow
    static class Packing {
        private final Parcels parcels;

        Packing(Parcels parcels) {
            this.parcels = parcels;
        }

        @Run
        String run(String order) {
            if (Durable.patched("tell-first")) { // true in runs that had not come here when it was deployed
                parcels.tell("packing " + order);
            }
            String label = parcels.label(order);
            return switch (Durable.version("wrapping", 0, 2)) { // 0 is the code before the change, 2 the newest
                case 0 -> label;
                case 1 -> label + " in paper";
                default -> label + " in a box";
            };
        }
    }
    // docs: end

    @Test
    void whatIsRecordedStandsInTheHistory(TestEngine engine) {
        engine.register(Regional.class, Packing.class).activity(Parcels.class, depot);
        var regional = engine.client().start(Regional.class, "regional-1", w -> w.run());
        assertThat(regional.result()).startsWith("region ");
        assertThat(regional.history().events(SideEffectRecorded.class)).hasSize(1);
        var packing = engine.client().start(Packing.class, "packing-1", w -> w.run("7"));
        assertThat(packing.result()).isEqualTo("L-7 in a box");
        assertThat(packing.history().events(VersionRecorded.class)).hasSize(2);
    }

    // ── an interface for clients ────────────────────────────────────────────────────────────────────────────────────

    // docs: workflow-interface
    @Workflow(name = "Greeting", aliases = "HelloWorkflow", taskQueue = "default")
    interface Greeting { // all that clients need
        @Run
        String greet(String name);

        @Signal
        void politeness(String prefix);
    }

    static final class GreetingInEnglish implements Greeting { // registered with the engine
        private String prefix = "Hello";

        @Override
        public String greet(String name) {
            Durable.await(Duration.ofSeconds(1), () -> !prefix.equals("Hello"));
            return prefix + " " + name;
        }

        @Override
        public void politeness(String prefix) {
            this.prefix = prefix;
        }
    }
    // docs: end

    @Test
    void clientsNeedTheInterfaceOnly(TestEngine engine) {
        engine.register(GreetingInEnglish.class);
        var greeting = engine.client().start(Greeting.class, "greeting-1", w -> w.greet("Ann"));
        greeting.signal(w -> w.politeness("Dear"));
        assertThat(greeting.result()).isEqualTo("Dear Ann");
    }
}
