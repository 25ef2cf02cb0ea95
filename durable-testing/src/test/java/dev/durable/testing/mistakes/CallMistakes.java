package dev.durable.testing.mistakes;

import static dev.durable.testing.mistakes.Mistake.mistake;

import dev.durable.Query;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.testing.TestEngine;
import java.util.stream.Stream;

/** Lambdas on workflows and activities that are not exactly one call, and calls by name that do not fit. */
final class CallMistakes {
    private CallMistakes() {}

    static Stream<Mistake> all() {
        return Stream.of(
                mistake("a lambda without a call", engine -> order(engine).start(Order.class, "o-1", w -> "nothing")),
                mistake(
                        "a lambda with two calls",
                        engine -> started(engine).signal(w -> {
                            w.approve("ann");
                            w.approve("bob");
                        })),
                mistake(
                        "starting by a signal",
                        engine -> order(engine).startVoid(Order.class, "o-1", w -> w.approve("ann"))),
                mistake("a signal that is a query", engine -> started(engine).signal(w -> w.count())),
                mistake("a signal that is @Run", engine -> started(engine).signal(w -> w.run("x"))),
                mistake(
                        "a query that is a signal",
                        engine -> started(engine).query(w -> {
                            w.approve("ann");
                            return 1;
                        })),
                mistake(
                        "a query of a method without an annotation",
                        engine -> started(engine).query(w -> w.helper())),
                mistake(
                        "arithmetic on the answer of a query",
                        engine -> started(engine).query(w -> w.count() + 1)),
                mistake(
                        "negation of the answer of a query",
                        engine -> started(engine).query(w -> !w.approved())),
                mistake(
                        "a call on the answer of a query",
                        engine -> started(engine).query(w -> w.by().length())),
                mistake(
                        "a method reference to the answer's own method",
                        engine -> started(engine).query(w -> w.by().trim())),
                mistake("a lambda's object kept for later", engine -> {
                    Order[] kept = new Order[1];
                    started(engine).signal(w -> {
                        kept[0] = w;
                        w.approve("ann");
                    });
                    kept[0].approve("bob");
                }),
                mistake("enqueue without a call", engine -> order(engine).enqueue(Work.class, w -> {})),
                mistake(
                        "enqueue of a class that is no activity",
                        engine -> order(engine).enqueue(Order.class, w -> w.run("x"))),
                mistake(
                        "start of a class that is no workflow",
                        engine -> order(engine).start(String.class, "o-1", String::trim)),
                mistake("start of an activity type", engine -> order(engine).start(Work.class, "o-1", w -> w.run("x"))),
                mistake(
                        "null for a number",
                        engine -> order(engine).start(Counting.class, "c-1", w -> w.run(unboxed()))),
                mistake(
                        "by name: a signal that there is not",
                        engine -> started(engine).signal("aprove", "ann")),
                mistake(
                        "by name: a query that there is not",
                        engine -> started(engine).query("cuont", Integer.class)),
                mistake(
                        "by name: too few arguments of a start",
                        engine -> order(engine).start("Order", StartOptions.id("o-1"))),
                mistake(
                        "by name: too many arguments of a start",
                        engine -> order(engine).start("Order", StartOptions.id("o-1"), "a", "b")),
                mistake(
                        "by name: an argument of another type",
                        engine -> order(engine).start("Counting", StartOptions.id("o-1"), "one")),
                mistake(
                        "by name: too many arguments of a signal",
                        engine -> started(engine).signal("approve", "ann", 1)),
                mistake(
                        "by name: a signal's argument of another type",
                        engine -> started(engine).signal("approve", new Object())),
                mistake(
                        "by name: a query read as another type",
                        engine -> started(engine).query("by", Integer.class)),
                mistake(
                        "an object that is no JSON as an argument",
                        engine -> order(engine).start(Anything.class, "a-1", w -> w.run(new Thread()))));
    }

    private static int unboxed() {
        Integer none = null;
        return none;
    }

    private static dev.durable.client.DurableClient order(TestEngine engine) {
        return engine.register(Order.class, Counting.class, Anything.class, new RealWork())
                .client();
    }

    private static WorkflowHandle<Order, String> started(TestEngine engine) {
        WorkflowHandle<Order, String> handle = order(engine).start(Order.class, "o-1", w -> w.run("x"));
        engine.settle();
        return handle;
    }

    @Workflow(name = "Order")
    static class Order {
        private String by = "";

        @Run
        String run(String what) {
            dev.durable.Durable.await(() -> !by.isEmpty());
            return what + by;
        }

        @Signal
        void approve(String name) {
            by = name;
        }

        @Query
        int count() {
            return by.length();
        }

        @Query
        boolean approved() {
            return !by.isEmpty();
        }

        @Query
        String by() {
            return by.isEmpty() ? "nobody" : by;
        }

        String helper() {
            return by;
        }
    }

    @Workflow(name = "Counting")
    static class Counting {
        @Run
        int run(int from) {
            return from;
        }
    }

    @Workflow(name = "Anything")
    static class Anything {
        @Run
        String run(Object any) {
            return "" + any;
        }
    }
}
