package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.CancelledException;
import dev.durable.ChildCancellationType;
import dev.durable.ChildFailedException;
import dev.durable.ChildHandle;
import dev.durable.ChildNotStartedException;
import dev.durable.ChildOptions;
import dev.durable.Durable;
import dev.durable.ParentClosePolicy;
import dev.durable.Promise;
import dev.durable.ReusePolicy;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.WorkflowInfo;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.ChildCancelRequested;
import dev.durable.history.ChildCompleted;
import dev.durable.history.ChildStartRequested;
import dev.durable.history.HistoryEvent;
import dev.durable.history.WorkflowCancelRequested;
import dev.durable.history.WorkflowStarted;
import dev.durable.history.WorkflowTerminated;
import java.io.Serial;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** Children that workflow code starts: results, failures, cancellation, and what the end of the parent does to them. */
abstract class ChildrenTest {
    private static final Duration DAY = Duration.ofDays(1);

    /** A failure that the signature of the child names. */
    static class Damaged extends Exception {
        @Serial
        private static final long serialVersionUID = 1L;

        final String parcel;

        Damaged(String parcel) {
            super("the parcel is damaged");
            this.parcel = parcel;
        }
    }

    /** Sends a parcel, in the way that its argument says. */
    @Workflow
    static class Shipping {
        private final List<String> heard = new ArrayList<>();

        @Run
        String run(String how) throws Damaged {
            switch (how) {
                case "fails" -> throw new IllegalStateException("no truck");
                case "is damaged" -> throw new Damaged("p-7");
                case "sleeps" -> Durable.sleep(DAY);
                case "listens" -> Durable.await(() -> heard.contains("end"));
                case "cleans up" -> {
                    try {
                        Durable.sleep(DAY);
                    } catch (CancelledException e) {
                        Durable.detached(() -> Durable.sleep(DAY));
                        throw e;
                    }
                }
                default -> {}
            }
            return how.toUpperCase(Locale.ROOT) + heard;
        }

        @Signal
        void say(String word) {
            heard.add(word);
        }
    }

    /** Has no result. */
    @Workflow
    static class Notice {
        @Run
        void run(String ignored) {
            Durable.sleep(DAY);
        }
    }

    /** Starts the child that its argument says. */
    @Workflow
    static class Order {
        @Run
        String run(String how) throws Damaged {
            return switch (how) {
                case "two" -> {
                    ChildHandle<Shipping, String> one = Durable.startChild(Shipping.class, w -> w.run("one"));
                    ChildHandle<Shipping, String> two = Durable.startChild(Shipping.class, w -> w.run("sleeps"));
                    yield one.result() + two.result();
                }
                case "catches" -> {
                    try {
                        yield Durable.startChild(Shipping.class, w -> w.run("fails"))
                                .result();
                    } catch (ChildFailedException e) {
                        yield e.status() + " " + e.workflowType() + " "
                                + e.failure().typeAndMessage();
                    }
                }
                case "catches what is declared" -> {
                    try {
                        yield Durable.startChild(Shipping.class, w -> w.run("is damaged"))
                                .resultPromise()
                                .get(Damaged.class);
                    } catch (Damaged e) {
                        yield e.getMessage() + " " + e.parcel + " "
                                + e.getSuppressed()[0].getClass().getSimpleName();
                    }
                }
                case "talks" -> {
                    ChildHandle<Shipping, String> child =
                            Durable.startChild(Shipping.class, ChildOptions.id("talk"), w -> w.run("listens"));
                    child.signal(w -> w.say("first"));
                    child.started().get();
                    child.signal("say", "end");
                    yield child.result();
                }
                case "cancels" -> {
                    ChildHandle<Shipping, String> child =
                            Durable.startChild(Shipping.class, ChildOptions.id("s"), w -> w.run("cleans up"));
                    Durable.sleep(Duration.ofHours(1));
                    child.cancel("not needed");
                    try {
                        yield child.result();
                    } catch (CancelledException e) {
                        yield "cancelled after "
                                + Duration.between(Durable.info().startedAt(), Durable.now())
                                        .toDays();
                    }
                }
                case "waits" ->
                    Durable.startChild(Shipping.class, ChildOptions.id("s"), w -> w.run("cleans up"))
                            .result();
                case "waits not" ->
                    Durable.startChild(
                                    Shipping.class,
                                    ChildOptions.id("s").cancellation(ChildCancellationType.TRY_CANCEL),
                                    w -> w.run("cleans up"))
                            .result();
                case "lets it go on" ->
                    Durable.startChild(
                                    Shipping.class,
                                    ChildOptions.id("s")
                                            .cancellation(ChildCancellationType.ABANDON)
                                            .parentClosePolicy(ParentClosePolicy.ABANDON),
                                    w -> w.run("sleeps"))
                            .result();
                case "in use" -> {
                    try {
                        yield Durable.startChild(Shipping.class, ChildOptions.id("taken"), w -> w.run("x"))
                                .result();
                    } catch (ChildNotStartedException e) {
                        yield e.getMessage();
                    }
                }
                case "used before" -> {
                    ChildHandle<Shipping, String> child = Durable.startChild(
                            Shipping.class,
                            ChildOptions.id("taken").reusePolicy(ReusePolicy.REJECT_DUPLICATE),
                            w -> w.run("x"));
                    try {
                        child.started().get();
                        yield "never";
                    } catch (ChildNotStartedException e) {
                        yield e.getMessage();
                    }
                }
                case "void" -> {
                    Durable.startVoidChild(Notice.class, w -> w.run("x")).result();
                    yield "noticed";
                }
                case "by name" ->
                    Durable.startChild("Shipping", ChildOptions.defaults(), String.class, "named")
                            .result();
                case "late" -> {
                    ChildHandle<Shipping, String> child = Durable.startChild(
                            Shipping.class, ChildOptions.id("s").runTimeout(Duration.ofHours(1)), w -> w.run("sleeps"));
                    try {
                        yield child.result();
                    } catch (ChildFailedException e) {
                        yield e.status().name();
                    }
                }
                case "a hundred" -> {
                    List<Promise<String>> all = new ArrayList<>();
                    for (int i = 0; i < 100; i++) {
                        String name = "c" + i;
                        all.add(Durable.startChild(Shipping.class, w -> w.run(name))
                                .resultPromise());
                    }
                    yield String.join(",", Promise.all(all));
                }
                case "undoes" -> {
                    Durable.compensate(() -> Durable.sideEffect(String.class, () -> "undone"));
                    open(ParentClosePolicy.TERMINATE);
                    open(ParentClosePolicy.CANCEL);
                    open(ParentClosePolicy.ABANDON);
                    Durable.sleep(Duration.ofHours(1));
                    throw new IllegalStateException("no stock");
                }
                default -> {
                    open(ParentClosePolicy.valueOf(how));
                    Durable.sleep(Duration.ofHours(1));
                    yield "done";
                }
            };
        }

        private static void open(ParentClosePolicy policy) {
            Durable.startChild(
                    Shipping.class,
                    ChildOptions.id("child " + policy).parentClosePolicy(policy),
                    w -> w.run("cleans up"));
        }
    }

    private static WorkflowHandle<Order, String> order(TestEngine engine, String how) {
        engine.register(Order.class, Shipping.class, Notice.class);
        return started(engine, how);
    }

    private static WorkflowHandle<Order, String> started(TestEngine engine, String how) {
        return engine.client().start(Order.class, "order", w -> w.run(how));
    }

    private static <E extends HistoryEvent> List<E> events(WorkflowHandle<?, ?> run, Class<E> type) {
        return run.history().stream().filter(type::isInstance).map(type::cast).toList();
    }

    private static WorkflowHandle<?, ?> child(TestEngine engine, String id) {
        return engine.client().handle(id);
    }

    private static WorkflowStatus status(WorkflowHandle<?, ?> run) {
        return run.describe().summary().status();
    }

    // ── results ──────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void children_give_their_results_and_one_sleeps_under_its_parent_on_virtual_time(TestEngine engine) {
        WorkflowHandle<Order, String> order = order(engine, "two");

        assertThat(order.result()).isEqualTo("ONE[]SLEEPS[]");
        assertThat(events(order, ChildStartRequested.class))
                .extracting(ChildStartRequested::number)
                .containsExactly(1L, 2L);
        assertThat(events(order, ChildCompleted.class)).hasSize(2);
        String chain = order.runId().toString();
        String id = "order:" + chain.substring(chain.length() - 4) + "-1";
        assertThat(events(child(engine, id), WorkflowStarted.class))
                .singleElement()
                .returns("workflow order", WorkflowStarted::startedBy)
                .satisfies(started -> {
                    assertThat(started.parent().workflowId()).isEqualTo("order");
                    assertThat(started.parent().chain()).isEqualTo(order.runId());
                    assertThat(started.parent().rootChain()).isEqualTo(order.runId());
                    assertThat(started.parent().depth()).isEqualTo(1);
                });
    }

    @Test
    void a_failure_that_the_signature_does_not_name_comes_as_data(TestEngine engine) {
        assertThat(order(engine, "catches").result())
                .isEqualTo("FAILED Shipping java.lang.IllegalStateException: no truck");
    }

    @Test
    void a_failure_that_the_signature_names_comes_back_as_itself(TestEngine engine) {
        assertThat(order(engine, "catches what is declared").result())
                .isEqualTo("the parcel is damaged p-7 ChildFailedException");
    }

    @Test
    void a_child_without_a_result_is_waited_for(TestEngine engine) {
        assertThat(order(engine, "void").result()).isEqualTo("noticed");
    }

    @Test
    void a_child_is_started_by_the_name_of_its_type(TestEngine engine) {
        assertThat(order(engine, "by name").result()).isEqualTo("NAMED[]");
    }

    @Test
    void a_child_that_runs_out_of_its_time_tells_so(TestEngine engine) {
        assertThat(order(engine, "late").result()).isEqualTo("TIMED_OUT");
    }

    @Test
    void a_hundred_children_are_started_in_one_turn(TestEngine engine) {
        assertThat(order(engine, "a hundred").result())
                .startsWith("C0[],C1[],C2[]")
                .endsWith("C99[]");
    }

    /** Stands in the place of the child in a test. */
    @Workflow(name = "Shipping")
    static class FakeShipping {
        @Run
        String run(String how) {
            return "fake " + how;
        }
    }

    @Test
    void a_class_of_the_same_name_stands_in_for_a_child(TestEngine engine) {
        engine.register(Order.class, FakeShipping.class);

        assertThat(started(engine, "two").result()).isEqualTo("fake onefake sleeps");
    }

    @Test
    void a_child_knows_its_parent_and_the_root_of_its_tree(TestEngine engine) {
        engine.register(Tree.class);
        WorkflowHandle<Tree, String> tree = engine.client().start(Tree.class, "top", w -> w.run(3));

        assertThat(tree.result()).matches("top null\\|top:.{4}-1 top\\|top:.{4}-1:.{4}-1 top:.{4}-1\\|");
    }

    @Test
    void a_tree_that_has_no_end_is_refused_at_its_last_level(TestEngine engine) {
        engine.register(Tree.class);
        engine.client().start(Tree.class, "top", w -> w.run(66));

        assertThatThrownBy(engine::settle)
                .isInstanceOf(WorkflowStalledException.class)
                .hasMessageContaining("this run is a child at depth 64");
    }

    /** A child in a child in a child. */
    @Workflow
    static class Tree {
        @Run
        String run(int levels) {
            WorkflowInfo info = Durable.info();
            if (!info.root().workflowId().equals("top")) {
                throw new IllegalStateException("root " + info.root());
            }
            String here = info.workflowId() + " "
                    + (info.parent() == null ? null : info.parent().workflowId()) + "|";
            return levels == 1
                    ? here
                    : here
                            + Durable.startChild(Tree.class, w -> w.run(levels - 1))
                                    .result();
        }
    }

    // ── messages ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void signals_reach_a_child_behind_its_start_and_in_their_order(TestEngine engine) {
        WorkflowHandle<Order, String> order = order(engine, "talks");

        assertThat(order.result()).isEqualTo("LISTENS[first, end]");
        assertThat(order.history())
                .hasEventTypes(
                        "WorkflowStarted",
                        "ChildStartRequested",
                        "ChildSignalRequested",
                        "ChildStartWatched",
                        "ChildStarted",
                        "ChildSignalRequested",
                        "ChildCompleted",
                        "WorkflowCompleted");
    }

    @Test
    void a_child_whose_id_is_in_use_is_not_started(TestEngine engine) {
        engine.register(Order.class, Shipping.class, Notice.class);
        engine.client().start(Shipping.class, "taken", w -> w.run("listens"));

        assertThat(started(engine, "in use").result())
                .contains("child 1 Shipping taken was not started: workflow taken is open");
    }

    @Test
    void a_child_whose_reuse_policy_allows_no_other_run_is_not_started(TestEngine engine) {
        engine.register(Order.class, Shipping.class, Notice.class);
        engine.client().start(Shipping.class, "taken", w -> w.run("x")).result();

        assertThat(started(engine, "used before").result())
                .contains("the reuse policy allows no other run", "COMPLETED");
    }

    // ── cancellation ─────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_child_that_is_cancelled_cleans_up_before_its_parent_goes_on(TestEngine engine) {
        assertThat(order(engine, "cancels").result()).isEqualTo("cancelled after 1");
        assertThat(events(child(engine, "s"), WorkflowCancelRequested.class))
                .singleElement()
                .returns("workflow order", WorkflowCancelRequested::by)
                .returns("not needed", WorkflowCancelRequested::reason);
    }

    @Test
    void a_parent_that_is_cancelled_waits_for_the_clean_up_of_its_child(TestEngine engine) {
        WorkflowHandle<Order, String> order = order(engine, "waits");
        engine.settle();
        order.cancel("stop");

        assertThatThrownBy(order::result).hasMessageContaining("stop");
        assertThat(status(child(engine, "s"))).isEqualTo(WorkflowStatus.CANCELLED);
        assertThat(events(order, ChildCancelRequested.class))
                .singleElement()
                .returns(false, ChildCancelRequested::terminate);
    }

    @Test
    void a_parent_that_only_tries_to_cancel_ends_before_its_child(TestEngine engine) {
        WorkflowHandle<Order, String> order = order(engine, "waits not");
        engine.settle();
        order.cancel("stop");

        assertThatThrownBy(order::result).hasMessageContaining("stop");
        engine.settle();
        assertThat(status(child(engine, "s"))).isEqualTo(WorkflowStatus.TERMINATED);
    }

    @Test
    void a_child_that_a_cancellation_abandons_goes_on(TestEngine engine) {
        WorkflowHandle<Order, String> order = order(engine, "lets it go on");
        engine.settle();
        order.cancel("stop");

        assertThatThrownBy(order::result).hasMessageContaining("stop");
        assertThat(child(engine, "s").resultAs(String.class)).isEqualTo("SLEEPS[]");
        assertThat(events(order, ChildCancelRequested.class)).isEmpty();
    }

    // ── the end of the parent ────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void the_end_of_its_parent_terminates_a_child(TestEngine engine) {
        assertThat(order(engine, "TERMINATE").result()).isEqualTo("done");
        engine.settle();

        assertThat(events(child(engine, "child TERMINATE"), WorkflowTerminated.class))
                .singleElement()
                .returns("workflow order", WorkflowTerminated::by)
                .returns("its parent has ended", WorkflowTerminated::reason);
    }

    @Test
    void the_end_of_its_parent_asks_a_child_to_cancel(TestEngine engine) {
        assertThat(order(engine, "CANCEL").result()).isEqualTo("done");
        engine.settle();
        engine.advance(DAY);

        assertThat(status(child(engine, "child CANCEL"))).isEqualTo(WorkflowStatus.CANCELLED);
        assertThat(events(child(engine, "child CANCEL"), WorkflowCancelRequested.class))
                .singleElement()
                .returns("workflow order", WorkflowCancelRequested::by);
    }

    @Test
    void an_abandoned_child_outlives_its_parent(TestEngine engine) {
        assertThat(order(engine, "ABANDON").result()).isEqualTo("done");

        assertThat(child(engine, "child ABANDON").resultAs(String.class)).isEqualTo("CLEANS UP[]");
    }

    @Test
    void children_end_by_their_policies_before_their_parent_is_undone(TestEngine engine) {
        WorkflowHandle<Order, String> order = order(engine, "undoes");

        assertThatThrownBy(order::result).hasMessageContaining("no stock");
        assertThat(status(child(engine, "child TERMINATE"))).isEqualTo(WorkflowStatus.TERMINATED);
        assertThat(status(child(engine, "child CANCEL"))).isEqualTo(WorkflowStatus.CANCELLED);
        assertThat(status(child(engine, "child ABANDON"))).isEqualTo(WorkflowStatus.COMPLETED);
        List<String> types = order.history().stream().map(HistoryEvent::type).toList();
        assertThat(types.indexOf("SideEffectRecorded")).isGreaterThan(types.lastIndexOf("ChildCancelled"));
    }
}
