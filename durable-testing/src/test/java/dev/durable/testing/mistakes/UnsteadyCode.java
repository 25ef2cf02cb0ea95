package dev.durable.testing.mistakes;

import static dev.durable.testing.mistakes.Mistake.mistake;

import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.testing.TestEngine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** Code that gives something else each time it runs: the replay at the end of a test finds it. */
final class UnsteadyCode {
    private UnsteadyCode() {}

    static Stream<Mistake> all() {
        AtomicInteger ran = new AtomicInteger();
        return Stream.of(
                replayed("the machine's clock", w -> w.work.run("at " + System.nanoTime())),
                replayed("a random id", w -> w.work.run("order " + java.util.UUID.randomUUID())),
                replayed(
                        "static state: another call",
                        w -> ran.getAndIncrement() % 2 == 0 ? w.work.run("x") : "" + w.work.count(1)),
                replayed("static state: a call more", w -> {
                    if (ran.getAndIncrement() % 2 == 1) {
                        w.work.nothing();
                    }
                    return w.work.run("x");
                }),
                replayed("static state: a call less", w -> ran.getAndIncrement() % 2 == 0 ? w.work.run("x") : waits()),
                replayed("a sleep that depends on the clock", w -> {
                    Durable.sleep(Duration.ofNanos(System.nanoTime() % 1_000_000_000 + 1_000_000));
                    return "";
                }),
                replayed("a result that is computed from the clock", w -> w.work.run("x") + System.nanoTime()),
                replayed("an object that is changed after it was handed over", w -> {
                    List<String> names = SHARED;
                    names.add("x");
                    return w.work.run(names.toString());
                }));
    }

    private static final List<String> SHARED = new ArrayList<>();

    private static String waits() {
        Durable.await(() -> false);
        return "";
    }

    /** The body of the workflow. */
    @FunctionalInterface
    interface Code {
        String run(Unsteady w) throws Exception;
    }

    private static volatile Code script = w -> "";

    @Workflow
    static class Unsteady {
        final Work work;

        Unsteady(Work work) {
            this.work = work;
        }

        @Run
        String run() throws Exception {
            return script.run(this);
        }
    }

    private static Mistake replayed(String name, Code code) {
        return mistake(name, ignored -> {
            script = code;
            try (TestEngine engine = TestEngine.create()) {
                engine.register(Unsteady.class, new RealWork());
                engine.client().start(Unsteady.class, "u-1", w -> w.run()).result();
            }
        });
    }
}
