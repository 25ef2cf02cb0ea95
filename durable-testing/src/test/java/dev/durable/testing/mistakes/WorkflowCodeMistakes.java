package dev.durable.testing.mistakes;

import static dev.durable.testing.mistakes.Mistake.mistake;

import dev.durable.ActivityContext;
import dev.durable.Durable;
import dev.durable.Promise;
import dev.durable.Query;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.testing.TestEngine;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

/** Calls that workflow code must not make: it runs, and the result says so. */
@SuppressWarnings("resource")
final class WorkflowCodeMistakes {
    private WorkflowCodeMistakes() {}

    static Stream<Mistake> all() {
        return Stream.of(
                        blocking(),
                        places(),
                        wrongCalls(),
                        Stream.of(
                                mistake("Durable outside a workflow", engine -> Durable.now()),
                                mistake("Promise.all outside a workflow", engine -> Promise.all(List.of())),
                                mistake("the context outside an activity", engine -> ActivityContext.current()),
                                mistake(
                                        "an activity that acts like a workflow",
                                        engine -> acting(engine, () -> "" + Durable.now())),
                                mistake("an activity in the constructor", engine -> result(engine, Eager.class)),
                                mistake("a query that calls an activity", engine -> asked(engine, "acting")),
                                mistake("a query that sleeps", engine -> asked(engine, "sleeping")),
                                mistake("a query that draws", engine -> asked(engine, "drawing")),
                                mistake("a query that throws", engine -> asked(engine, "throwing"))))
                .flatMap(table -> table);
    }

    private static Stream<Mistake> blocking() {
        return Stream.of(
                code("Thread.sleep", w -> {
                    Thread.sleep(10_000);
                    return "";
                }),
                code("waiting at a monitor", w -> {
                    synchronized (w) {
                        w.wait(10_000);
                    }
                    return "";
                }),
                code("a latch that somebody else counts down", w -> {
                    new CountDownLatch(1).await();
                    return "";
                }),
                code(
                        "joining a future of an executor",
                        w -> new CompletableFuture<String>()
                                .completeOnTimeout("", 10, TimeUnit.SECONDS)
                                .join()),
                code("joining a thread", w -> {
                    Thread thread = Thread.startVirtualThread(() -> {
                        try {
                            Thread.sleep(10_000);
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                    });
                    thread.join();
                    return "";
                }),
                code(
                        "blocking in a coroutine",
                        w -> Durable.async(() -> {
                                    Thread.sleep(10_000);
                                    return "";
                                })
                                .get()),
                code("blocking in a condition", w -> {
                    Durable.await(() -> {
                        try {
                            Thread.sleep(10_000);
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                        return true;
                    });
                    return "";
                }));
    }

    private static Stream<Mistake> places() {
        return Stream.of(
                code("an activity in a condition", w -> {
                    Durable.await(() -> w.work.run("x").isEmpty());
                    return "";
                }),
                code("randomness in a condition", w -> {
                    Durable.await(() -> Durable.random().nextBoolean());
                    return "";
                }),
                code("waiting in a condition", w -> {
                    Durable.await(() -> Durable.await(Duration.ofHours(1), () -> false));
                    return "";
                }),
                code("a condition that changes what it asks", w -> {
                    AtomicInteger asked = new AtomicInteger();
                    Durable.await(() -> asked.incrementAndGet() % 3 == 0);
                    return "";
                }),
                code("an activity in a side effect", w -> Durable.sideEffect(String.class, () -> w.work.run("x"))),
                code(
                        "sleeping in a side effect",
                        w -> Durable.sideEffect(String.class, () -> {
                            Durable.sleep(Duration.ofHours(1));
                            return "";
                        })),
                code(
                        "a side effect that throws",
                        w -> Durable.sideEffect(String.class, () -> {
                            throw new java.io.IOException("disk");
                        })),
                code("Durable on another thread", w -> {
                    AtomicReference<String> said = new AtomicReference<>();
                    Thread thread = new Thread(
                            () -> {
                                try {
                                    Durable.now();
                                } catch (RuntimeException e) {
                                    said.set(e.getMessage());
                                }
                            },
                            "mine");
                    thread.start();
                    while (said.get() == null) {
                        Thread.onSpinWait();
                    }
                    throw new IllegalStateException(said.get());
                }),
                code("a loop that never waits", w -> {
                    while (true) {
                        Durable.timer(Duration.ofHours(1));
                    }
                }),
                code("coroutines without end", w -> {
                    while (true) {
                        Durable.async(() -> "");
                    }
                }),
                code("an Error", w -> {
                    throw new AssertionError("can't be");
                }),
                code("a result that is no JSON", w -> new Thread()),
                code("a promise as the result", w -> Durable.async(w.work::run, "x")));
    }

    private static Stream<Mistake> wrongCalls() {
        return Stream.of(
                code("stubs of a type that is no activity", w -> Durable.activities(Runnable.class)),
                code(
                        "an asynchronous call that does more",
                        w -> Durable.async((String what) -> w.work.run(what) + "!", "x")
                                .get()),
                code(
                        "an asynchronous call of two activities",
                        w -> Durable.async(
                                        (String what) -> {
                                            w.work.nothing();
                                            return w.work.run(what);
                                        },
                                        "x")
                                .get()),
                code(
                        "an asynchronous call of no activity",
                        w -> Durable.async((String what) -> what, "x").get()),
                code("a wrong range of versions", w -> "" + Durable.version("change", 3, 1)),
                code("a version without a name", w -> "" + Durable.version("", 0, 1)),
                code("a call by name that nobody implements", w -> Durable.activity("Wrok.run", String.class, "x")),
                code(
                        "a result class by name that does not fit",
                        w -> "" + Durable.activity("Work.run", Integer.class, "x")),
                code(
                        "options that are wrong at the call",
                        w -> Durable.activities(Work.class, o -> o.startToClose(Duration.ofSeconds(-1)))
                                .run("x")),
                code("an exception of an activity", w -> w.work.run("fail it")),
                code("an exception of one's own", w -> {
                    throw new IllegalArgumentException("no such customer");
                }),
                code("null where an activity takes a number", w -> {
                    Integer none = null;
                    return w.work.count(none);
                }));
    }

    /** The body of a workflow; it may use its stub. */
    @FunctionalInterface
    interface Code {
        Object run(Scripted w) throws Exception;
    }

    @SuppressWarnings("StaticAssignmentInConstructor")
    private static volatile Code script = w -> "";

    @Workflow
    static class Scripted {
        final Work work;

        Scripted(Work work) {
            this.work = work;
        }

        @Run
        Object run() throws Exception {
            return script.run(this);
        }
    }

    private static Mistake code(String name, Code code) {
        return mistake(name, engine -> {
            script = code;
            result(engine, Scripted.class);
        });
    }

    private static void result(TestEngine engine, Class<?> workflow) {
        engine.register(workflow, new RealWork());
        engine.client()
                .start(workflow.getSimpleName(), dev.durable.client.StartOptions.id("w-1"))
                .resultAs(Object.class);
    }

    private static void acting(TestEngine engine, java.util.function.Supplier<String> body) {
        script = w -> w.work.run("x");
        engine.register(Scripted.class).activity(Work.class, new RealWork() {
            @Override
            public String run(String what) {
                return body.get();
            }
        });
        engine.client().start(Scripted.class, "w-1", w -> w.run()).result();
    }

    @Workflow
    static class Eager {
        Eager(Work work) {
            work.nothing();
        }

        @Run
        String run() {
            return "";
        }
    }

    private static void asked(TestEngine engine, String query) {
        engine.register(Asked.class, new RealWork());
        var handle = engine.client().start(Asked.class, "w-1", w -> w.run());
        engine.settle();
        handle.query(query, String.class);
    }

    @Workflow
    static class Asked {
        private final Work work;

        Asked(Work work) {
            this.work = work;
        }

        @Run
        String run() {
            return work.run("x");
        }

        @Query
        String acting() {
            return work.run("x");
        }

        @Query
        String sleeping() {
            Durable.sleep(Duration.ofHours(1));
            return "";
        }

        @Query
        String drawing() {
            return Durable.uuid().toString();
        }

        @Query
        String throwing() {
            throw new IllegalArgumentException("asked the wrong thing");
        }
    }
}
