package dev.durable.testing.mistakes;

import static dev.durable.testing.mistakes.Mistake.mistake;

import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.client.DurableClient;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.testing.Replayer;
import dev.durable.testing.TestEngine;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import java.util.stream.Stream;

/** Calls of a client that can't be served, and results that do not fit. */
final class ClientMistakes {
    private ClientMistakes() {}

    static Stream<Mistake> all() {
        return Stream.of(
                mistake("a second start of an open workflow", engine -> {
                    waiting(engine);
                    start(engine.client());
                }),
                mistake(
                        "a handle of nothing",
                        engine -> client(engine).handle("nobody").describe()),
                mistake("the history of nothing", engine -> client(engine).history("nobody")),
                mistake(
                        "a signal to nothing",
                        engine -> client(engine).handle(Patient.class, "nobody").signal(w -> w.end("x"))),
                mistake("a signal to a run that has ended", engine -> {
                    WorkflowHandle<Patient, String> handle = waiting(engine);
                    handle.signal(w -> w.end("x"));
                    handle.result();
                    handle.signal(w -> w.end("y"));
                }),
                mistake(
                        "terminating a run that has ended",
                        engine -> ended(engine).terminate("again")),
                mistake("pausing a run that has ended", engine -> ended(engine).pause()),
                mistake(
                        "a handle of a run id that there is not",
                        engine -> client(engine)
                                .handle(Patient.class, "p-1", new UUID(1, 2))
                                .result()),
                mistake(
                        "a result that is read as another type",
                        engine -> ended(engine).resultAs(Integer.class)),
                mistake(
                        "a result that does not come in time",
                        engine -> waiting(engine).result(Duration.ofMinutes(1))),
                mistake("the result of a run that was terminated", engine -> {
                    WorkflowHandle<Patient, String> handle = waiting(engine);
                    handle.terminate("no longer wanted");
                    handle.result();
                }),
                mistake("the result of a run that was cancelled", engine -> {
                    WorkflowHandle<Patient, String> handle = waiting(engine);
                    handle.cancel("no longer wanted");
                    handle.result();
                }),
                mistake(
                        "a type that is not registered",
                        engine -> client(engine)
                                .start("Pateint", StartOptions.id("p-1"))
                                .resultAs(String.class)),
                mistake(
                        "a queue that nobody serves",
                        engine -> client(engine)
                                .start(Patient.class, StartOptions.id("p-1").taskQueue("gpu"), w -> w.run())
                                .result()),
                mistake("an activity that nobody implements", engine -> {
                    engine.register(Delegating.class);
                    engine.client().start(Delegating.class, "d-1", w -> w.run()).result();
                }),
                mistake("an activity that everybody has forgotten to register, as a job", engine -> {
                    engine.register(Patient.class);
                    engine.client().enqueue(Work.class, w -> w.nothing()).resultAs(String.class);
                }),
                mistake("an empty workflow id", engine -> client(engine).start(Patient.class, "", w -> w.run())),
                mistake(
                        "a negative start delay",
                        engine -> client(engine)
                                .start(
                                        Patient.class,
                                        StartOptions.id("p-1").startDelay(Duration.ofSeconds(-1)),
                                        w -> w.run())),
                mistake(
                        "a filter that returns another filter",
                        engine -> client(engine).workflows().where(w -> null)),
                mistake(
                        "a listing of a type that is no workflow",
                        engine -> client(engine).workflows().where(w -> w.type(String.class))),
                mistake(
                        "a token that is none",
                        engine -> client(engine).activity("abc").complete("x")),
                mistake(
                        "a replay of a file that there is not",
                        engine -> Replayer.of(Patient.class).replay(Path.of("no-such-file.json"))),
                mistake(
                        "a replay of a type that is not given",
                        engine -> Replayer.of(Delegating.class)
                                .replay(ended(engine).history())),
                mistake("a registration after the start", engine -> {
                    client(engine);
                    engine.register(Delegating.class);
                    engine.client().start("Delegating", StartOptions.id("d-1")).resultAs(String.class);
                }));
    }

    private static DurableClient client(TestEngine engine) {
        return engine.register(Patient.class).client();
    }

    private static WorkflowHandle<Patient, String> start(DurableClient client) {
        return client.start(Patient.class, "p-1", w -> w.run());
    }

    private static WorkflowHandle<Patient, String> waiting(TestEngine engine) {
        WorkflowHandle<Patient, String> handle = start(client(engine));
        engine.settle();
        return handle;
    }

    private static WorkflowHandle<Patient, String> ended(TestEngine engine) {
        WorkflowHandle<Patient, String> handle = waiting(engine);
        handle.signal(w -> w.end("x"));
        handle.result();
        return handle;
    }

    @Workflow
    static class Patient {
        private String end = "";

        @Run
        String run() {
            Durable.await(() -> !end.isEmpty());
            return end;
        }

        @Signal
        void end(String with) {
            end = with;
        }
    }

    @Workflow
    static class Delegating {
        private final Work work;

        Delegating(Work work) {
            this.work = work;
        }

        @Run
        String run() {
            return work.run("x");
        }
    }
}
