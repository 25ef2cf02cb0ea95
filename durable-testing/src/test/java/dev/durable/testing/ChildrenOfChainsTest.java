package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.CancelledException;
import dev.durable.ChildFailedException;
import dev.durable.ChildHandle;
import dev.durable.ChildOptions;
import dev.durable.Durable;
import dev.durable.ParentClosePolicy;
import dev.durable.Promise;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.WaitTimedOutException;
import dev.durable.Workflow;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.CarriedChild;
import dev.durable.history.ChildCancelRequested;
import dev.durable.history.ChildCompleted;
import dev.durable.history.ChildStartRequested;
import dev.durable.history.History;
import dev.durable.history.HistoryEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Children of a run that continues as new: the next run goes on with them. Run on each kind of store. */
abstract class ChildrenOfChainsTest {
    private static final Duration HOUR = Duration.ofHours(1);

    /** Ends when it is told the result. */
    @Workflow
    static class Parcel {
        private String end;

        @Run
        String run(String name) {
            Durable.await(() -> end != null);
            if (end.equals("fail")) {
                throw new IllegalStateException("lost");
            }
            return name + " " + end;
        }

        @Signal
        void end(String how) {
            end = how;
        }
    }

    /** Starts parcels in its first run, and goes on with them in the next ones. */
    @Workflow
    static class Depot {
        private boolean next;
        private String how = "wait";

        @Run
        String run(int link, String mode) {
            if (link == 0) {
                for (String id : List.of("p-1", "p-2")) {
                    Durable.startVoidChild(
                            Parcel.class,
                            ChildOptions.id(id)
                                    .parentClosePolicy(
                                            mode.equals("cancel")
                                                    ? ParentClosePolicy.CANCEL
                                                    : ParentClosePolicy.TERMINATE),
                            w -> w.run(id));
                }
                Durable.async(() -> Durable.startChild(Parcel.class, ChildOptions.id("p-3"), w -> w.run("p-3"))
                        .result());
            }
            Durable.await(() -> next || !how.equals("wait"));
            return switch (how) {
                case "wait" -> throw Durable.continueAsNew(Depot.class, w -> w.run(link + 1, mode));
                case "results" -> results();
                case "read" -> {
                    Durable.child(Parcel.class, "p-2").resultAs(String.class);
                    throw Durable.continueAsNew(Depot.class, w -> w.run(link + 1, mode));
                }
                case "unknown" -> {
                    Durable.child(Parcel.class, "p-9");
                    yield "found";
                }
                case "other type" -> {
                    Durable.child(Depot.class, "p-1");
                    yield "found";
                }
                case "cancel one" -> {
                    ChildHandle<Parcel, ?> one = Durable.child(Parcel.class, "p-1");
                    one.cancel("not needed");
                    try {
                        yield one.resultAs(String.class);
                    } catch (CancelledException e) {
                        yield "cancelled";
                    }
                }
                default -> "done";
            };
        }

        private static String results() {
            ChildHandle<Parcel, ?> one = Durable.child(Parcel.class, "p-1");
            one.signal(w -> w.end("of p-1"));
            List<String> results = new ArrayList<>();
            results.add(one.resultAs(String.class));
            for (ChildHandle<?, ?> child : Durable.children()) {
                results.add(child.resultAs(String.class));
            }
            return String.join(",", results);
        }

        @Signal
        void next() {
            next = true;
        }

        @Signal
        void how(String what) {
            how = what;
        }
    }

    private static WorkflowHandle<Depot, String> depot(TestEngine engine, String mode) {
        engine.register(Depot.class, Parcel.class);
        WorkflowHandle<Depot, String> run = engine.client().start(Depot.class, "depot", w -> w.run(0, mode));
        engine.settle();
        return run;
    }

    private static void next(TestEngine engine, WorkflowHandle<Depot, String> run) {
        run.signal(Depot::next);
        engine.settle();
    }

    private static void tell(TestEngine engine, WorkflowHandle<Depot, String> run, String how) {
        run.signal(w -> w.how(how));
        engine.settle();
    }

    private static void end(TestEngine engine, String parcel, String how) {
        engine.client().handle(Parcel.class, parcel).signal(w -> w.end(how));
        engine.settle();
    }

    private static WorkflowStatus status(TestEngine engine, String id) {
        return engine.client().handle(Parcel.class, id).describe().summary().status();
    }

    private static List<CarriedChild> carried(TestEngine engine) {
        return engine.client()
                .handle(Depot.class, "depot")
                .history()
                .started()
                .chain()
                .children();
    }

    @Test
    void the_next_run_gets_results_that_come_then(TestEngine engine) {
        WorkflowHandle<Depot, String> run = depot(engine, "terminate");
        next(engine, run);
        next(engine, run);
        tell(engine, run, "results");
        end(engine, "p-3", "late");
        end(engine, "p-2", "later");

        assertThat(run.result()).isEqualTo("p-1 of p-1,p-1 of p-1,p-2 later,p-3 late");
    }

    @Test
    void a_result_that_comes_before_the_code_asks_is_kept(TestEngine engine) {
        WorkflowHandle<Depot, String> run = depot(engine, "terminate");
        next(engine, run);
        end(engine, "p-3", "early");
        end(engine, "p-2", "early");
        tell(engine, run, "results");

        assertThat(run.result()).isEqualTo("p-1 of p-1,p-1 of p-1,p-2 early,p-3 early");
    }

    @Test
    void a_result_that_no_code_has_read_goes_to_the_next_run_and_no_further(TestEngine engine) {
        WorkflowHandle<Depot, String> run = depot(engine, "terminate");
        end(engine, "p-2", "unread");
        next(engine, run);
        List<CarriedChild> second = carried(engine);

        assertThat(second).extracting(CarriedChild::workflowId).containsExactly("p-1", "p-2", "p-3");
        assertThat(second.get(1).end()).isInstanceOf(ChildCompleted.class);
        assertThat(second.getFirst().end()).isNull();

        next(engine, run);
        assertThat(carried(engine)).extracting(CarriedChild::workflowId).containsExactly("p-1", "p-3");
    }

    @Test
    void a_result_that_code_has_read_as_its_type_goes_no_further(TestEngine engine) {
        WorkflowHandle<Depot, String> run = depot(engine, "terminate");
        next(engine, run);
        end(engine, "p-2", "read");
        tell(engine, run, "read");

        assertThat(carried(engine)).extracting(CarriedChild::workflowId).containsExactly("p-1", "p-3");
    }

    @Test
    void a_result_that_waits_while_the_run_continues_moves_along(TestEngine engine) {
        WorkflowHandle<Depot, String> run = depot(engine, "terminate");
        run.pause("until the results wait");
        run.signal(Depot::next);
        end(engine, "p-2", "meanwhile");
        end(engine, "p-3", "meanwhile");
        run.resume();
        engine.settle();
        tell(engine, run, "results");

        assertThat(run.result()).isEqualTo("p-1 of p-1,p-1 of p-1,p-2 meanwhile,p-3 meanwhile");
    }

    @Test
    void continuing_cancels_no_child_and_the_end_of_the_chain_does(TestEngine engine) {
        WorkflowHandle<Depot, String> run = depot(engine, "cancel");
        next(engine, run);
        next(engine, run);
        assertThat(List.of(status(engine, "p-1"), status(engine, "p-2"), status(engine, "p-3")))
                .containsOnly(WorkflowStatus.RUNNING);

        tell(engine, run, "end");
        assertThat(run.result()).isEqualTo("done");
        engine.settle();

        assertThat(List.of(status(engine, "p-1"), status(engine, "p-2"))).containsOnly(WorkflowStatus.CANCELLED);
        assertThat(status(engine, "p-3")).isEqualTo(WorkflowStatus.TERMINATED);
    }

    @Test
    void a_run_that_is_cancelled_asks_the_children_of_the_runs_before(TestEngine engine) {
        WorkflowHandle<Depot, String> run = depot(engine, "terminate");
        next(engine, run);
        run.cancel("enough");
        engine.settle();

        assertThatThrownBy(run::result).hasMessageContaining("was cancelled by test: enough");
        assertThat(List.of(status(engine, "p-1"), status(engine, "p-2"), status(engine, "p-3")))
                .containsOnly(WorkflowStatus.CANCELLED);
    }

    @Test
    void the_next_run_cancels_a_child_of_the_first(TestEngine engine) {
        WorkflowHandle<Depot, String> run = depot(engine, "terminate");
        next(engine, run);
        tell(engine, run, "cancel one");

        assertThat(run.result()).isEqualTo("cancelled");
        assertThat(status(engine, "p-1")).isEqualTo(WorkflowStatus.CANCELLED);
    }

    @Test
    void numbers_of_children_count_over_the_chain(TestEngine engine) {
        engine.register(Relay.class, Parcel.class);
        WorkflowHandle<Relay, String> run = engine.client().start(Relay.class, "relay", w -> w.run(0));
        engine.settle();
        List<HistoryEvent> all = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            all.addAll(engine.client().handle(Relay.class, "relay").history());
            engine.advance(HOUR);
        }

        assertThat(all.stream()
                        .filter(ChildStartRequested.class::isInstance)
                        .map(ChildStartRequested.class::cast)
                        .map(ChildStartRequested::number))
                .containsExactly(1L, 2L, 3L);
        run.terminate("seen");
    }

    /** Starts a parcel in each of its runs. */
    @Workflow
    static class Relay {
        @Run
        String run(int link) {
            Durable.startChild(Parcel.class, w -> w.run("r-" + link));
            Durable.sleep(HOUR);
            throw Durable.continueAsNew(Relay.class, w -> w.run(link + 1));
        }
    }

    @Test
    void a_child_that_is_not_known_is_refused_with_those_that_are(TestEngine engine) {
        WorkflowHandle<Depot, String> run = depot(engine, "terminate");
        next(engine, run);
        run.signal(w -> w.how("unknown"));

        assertThatThrownBy(engine::settle)
                .hasMessageContaining(
                        "Durable.child(Parcel.class, \"p-9\"): this run goes on with no child of this workflow id from the"
                                + " runs that it continues; it has 3, such as \"p-1\". Usual causes: the result had been read before"
                                + " the run continued as new, or the run itself started the child: then use the handle of"
                                + " Durable.startChild.");
    }

    @Test
    void a_child_of_another_type_is_refused(TestEngine engine) {
        WorkflowHandle<Depot, String> run = depot(engine, "terminate");
        next(engine, run);
        run.signal(w -> w.how("other type"));

        assertThatThrownBy(engine::settle)
                .hasMessageContaining(
                        "Durable.child(Depot.class, \"p-1\"): the child of this workflow id is of the type Parcel, not"
                                + " Depot. Give the class by which it was started.");
    }

    record Box(int size) {}

    static class Negative extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Negative(String message) {
            super(message);
        }
    }

    @Workflow
    static class Packing {
        @Run
        Box run(int size) throws Negative {
            if (size < 0) {
                throw new Negative("a box of " + size);
            }
            return new Box(size);
        }
    }

    /** Reads the ends of its children by handles without a class, and by promises of a type. */
    @Workflow
    static class Packer {
        @Run
        List<Box> run(boolean first) {
            if (first) {
                Durable.startChild(Packing.class, w -> w.run(3));
                Durable.startChild(Packing.class, w -> w.run(-1));
                throw Durable.continueAsNew(Packer.class, w -> w.run(false));
            }
            List<String> seen = new ArrayList<>();
            for (ChildHandle<?, ?> child : Durable.children()) {
                try {
                    seen.add(String.valueOf(child.result()));
                } catch (Negative e) {
                    seen.add("itself");
                } catch (ChildFailedException e) {
                    seen.add("data");
                }
            }
            // Its id is compared on replay.
            Durable.startChild("Packing", ChildOptions.id(String.join(" ", seen)), Box.class, 4)
                    .result();
            return Promise.all(List.of(Durable.children().getFirst().resultPromiseAs(Box.class)));
        }
    }

    @Test
    void handles_without_a_class_read_alike_whatever_is_registered(TestEngine engine) {
        engine.register(Packer.class, Packing.class);
        WorkflowHandle<Packer, List<Box>> run = engine.client().start(Packer.class, "packer", w -> w.run(true));

        assertThat(run.result()).containsExactly(new Box(3));
        History last = engine.client().handle(Packer.class, "packer").history();
        assertThat(last.events(ChildStartRequested.class).map(ChildStartRequested::workflowId))
                .containsExactly("{size=3} data");
        Replayer.of(Packer.class).replay(last);
    }

    /** Starts a parcel in the turn in which it continues, or waits for it in vain before. */
    @Workflow
    static class Hasty {
        private boolean done;

        @Run
        String run(String how, boolean first) {
            if (!first) {
                Durable.await(() -> done);
                return how.equals("orphan")
                        ? "done"
                        : Durable.child(Parcel.class, "p-1").resultAs(String.class);
            }
            ChildHandle<Parcel, String> child =
                    Durable.startChild(Parcel.class, ChildOptions.id("p-1"), w -> w.run("p-1"));
            switch (how) {
                case "timeout" -> {
                    try {
                        child.resultPromise().get(HOUR);
                    } catch (WaitTimedOutException e) {
                        Durable.await(() -> done);
                    }
                }
                case "any" -> {
                    Promise.any(List.of(child.resultPromise(), Durable.timer(HOUR)));
                    Durable.await(() -> done);
                }
                default -> {}
            }
            throw Durable.continueAsNew(Hasty.class, w -> w.run(how, false));
        }

        @Signal
        void done() {
            done = true;
        }
    }

    private static WorkflowHandle<Hasty, String> hasty(TestEngine engine, String how) {
        engine.register(Hasty.class, Parcel.class);
        WorkflowHandle<Hasty, String> run = engine.client().start(Hasty.class, "hasty", w -> w.run(how, true));
        engine.settle();
        return run;
    }

    @Test
    void a_child_that_is_started_in_the_turn_of_the_continuation_ends_with_the_chain(TestEngine engine) {
        WorkflowHandle<Hasty, String> run = hasty(engine, "orphan");
        assertThat(status(engine, "p-1")).isEqualTo(WorkflowStatus.RUNNING);
        run.signal(Hasty::done);

        assertThat(run.result()).isEqualTo("done");
        engine.settle();
        assertThat(status(engine, "p-1")).isEqualTo(WorkflowStatus.TERMINATED);
    }

    @Test
    void a_result_for_which_code_has_waited_in_vain_goes_to_the_next_run(TestEngine engine) {
        endsAfter(engine, "timeout");
    }

    @Test
    void a_result_that_came_second_goes_to_the_next_run(TestEngine engine) {
        endsAfter(engine, "any");
    }

    private static void endsAfter(TestEngine engine, String how) {
        WorkflowHandle<Hasty, String> run = hasty(engine, how);
        engine.advance(HOUR);
        end(engine, "p-1", "after " + how);
        run.signal(Hasty::done);
        engine.settle();
        run.signal(Hasty::done);

        assertThat(run.result()).isEqualTo("p-1 after " + how);
    }

    /** Waits, while it continues, for a sleep that outlasts its cancellation. */
    @Workflow
    static class Slow {
        @Run
        String run(boolean first) {
            ChildHandle<Parcel, String> child =
                    Durable.startChild(Parcel.class, ChildOptions.id("p-1"), w -> w.run("p-1"));
            Durable.async(child::result);
            Durable.async(() -> Durable.detached(() -> {
                Durable.sleep(HOUR);
                return "slept";
            }));
            throw Durable.continueAsNew(Slow.class, w -> w.run(false));
        }
    }

    @Test
    void a_request_to_cancel_that_comes_while_the_run_is_about_to_continue_reaches_the_child(TestEngine engine) {
        engine.register(Slow.class, Parcel.class);
        WorkflowHandle<Slow, String> run = engine.client().start(Slow.class, "slow", w -> w.run(true));
        engine.settle();
        run.cancel("enough");
        engine.settle();

        assertThatThrownBy(run::result).hasMessageContaining("was cancelled by test: enough");
        assertThat(status(engine, "p-1")).isEqualTo(WorkflowStatus.CANCELLED);
    }

    /** Gives money back. */
    @Activity
    interface Refunds {
        String refund();
    }

    /** Charges in a child, inside of a saga, while the run fails. */
    @Workflow
    static class Charging {
        private final Refunds refunds;

        Charging(Refunds refunds) {
            this.refunds = refunds;
        }

        @Run
        String run(String reason) {
            Durable.async(() -> Durable.saga(saga -> {
                saga.compensate(refunds::refund);
                return Durable.startChild(Parcel.class, ChildOptions.id("p-1"), w -> w.run("p-1"))
                        .result();
            }));
            Durable.async(() -> Durable.saga(saga -> {
                saga.compensate(() -> {});
                Durable.sleep(HOUR.multipliedBy(9));
                return "slept";
            }));
            Durable.compensate(() -> {});
            Durable.sleep(HOUR);
            throw new IllegalStateException(reason);
        }
    }

    @Test
    void a_saga_that_is_undone_at_the_end_of_its_run_ends_its_child_before(TestEngine engine) {
        List<WorkflowStatus> seen = new ArrayList<>();
        engine.register(Charging.class, Parcel.class).activity(Refunds.class, () -> {
            seen.add(status(engine, "p-1"));
            return "refunded";
        });
        WorkflowHandle<Charging, String> run =
                engine.client().start(Charging.class, "charging", w -> w.run("no coupon"));

        assertThatThrownBy(run::result).hasMessageContaining("no coupon");
        assertThat(seen).containsExactly(WorkflowStatus.TERMINATED);
        assertThat(run.history().stream().filter(ChildCancelRequested.class::isInstance))
                .hasSize(1);
    }

    /** Starts more children than a run that continues another may go on with. */
    @Workflow
    static class Crowd {
        @Run
        String run(boolean first) {
            if (first) {
                for (int i = 0; i < 1_001; i++) {
                    Durable.startChild(Parcel.class, w -> w.run("x"));
                }
                throw Durable.continueAsNew(Crowd.class, w -> w.run(false));
            }
            return "continued";
        }
    }

    @Test
    void more_than_a_thousand_open_children_are_refused(TestEngine engine) {
        engine.register(Crowd.class, Parcel.class);
        engine.client().start(Crowd.class, "crowd", w -> w.run(true));

        assertThatThrownBy(engine::settle)
                .hasMessageContaining(
                        "Durable.continueAsNew was called while 1001 children of the run are open that it does"
                                + " not abandon: the next run goes on with at most 1000. Wait for the results of some of them first.");
    }
}
