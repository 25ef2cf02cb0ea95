package dev.durable.internal.replay;

import dev.durable.ActivityCancellationType;
import dev.durable.ChildHandle;
import dev.durable.ChildOptions;
import dev.durable.CompletablePromise;
import dev.durable.Durable;
import dev.durable.ExternalWorkflow;
import dev.durable.Promise;
import dev.durable.Query;
import dev.durable.RetryPolicy;
import dev.durable.Run;
import dev.durable.Saga;
import dev.durable.Signal;
import dev.durable.Update;
import dev.durable.UsageException;
import dev.durable.Workflow;
import dev.durable.internal.replay.call.Acts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;

/** Runs the random program of a seed. */
@Workflow
class ProgramWorkflow {
    private static final Logger log = Durable.logger(ProgramWorkflow.class);

    private final Acts acts;
    private final int[] counters = new int[2];
    private final List<Promise<?>> promises = new ArrayList<>();
    private final List<ChildHandle<ProgramWorkflow, String>> children = new ArrayList<>();
    private final List<String> trace = new ArrayList<>();
    private List<List<Statement>> handlers = List.of();
    /** True for a program that continues as new at its end; such programs register no undos and open no callbacks. */
    private boolean continues;

    ProgramWorkflow(Acts acts) {
        this.acts = acts;
    }

    @Run
    String run(long seed) throws Exception {
        continues = seed % 5 == 3;
        Statement.Generator generator = new Statement.Generator(seed);
        List<Statement> main = generator.main();
        handlers = List.of(generator.handler(), generator.handler(), generator.handler(), List.of());
        execute("run", main);
        if (continues) {
            throw Durable.continueAsNew(ProgramWorkflow.class, w -> w.run(seed + trace.size()));
        }
        return String.join(",", trace);
    }

    @Signal
    void poke(int which) throws Exception {
        counters[which % counters.length]++;
        see("poke " + which);
        execute("poke " + which, handlers.get(which % handlers.size()));
    }

    @Update
    int ask(int which) throws Exception {
        poke(which);
        return trace.size();
    }

    @Query
    List<String> seen() {
        List<String> seen = new ArrayList<>(trace);
        seen.add(counters[0] + "/" + counters[1] + " "
                + promises.stream().map(Promise::isDone).toList());
        return seen;
    }

    private void see(String what) {
        trace.add(what);
        log.debug("{}", what);
    }

    private void execute(String who, List<Statement> block) throws Exception {
        try {
            for (Statement statement : block) {
                see(who + ": " + shown(execute(who, statement)));
            }
        } catch (Exception e) {
            see(who + " threw " + e.getMessage());
            throw e;
        } finally {
            see(who + " left");
        }
    }

    private Object execute(String who, Statement statement) throws Exception {
        return switch (statement) {
            case Statement.Call s -> acts(s.cancellation()).a(s.what());
            case Statement.CallInFlight s -> add(Durable.async(acts(s.cancellation())::a, s.what()));
            case Statement.Spawn s ->
                add(Durable.async(() -> {
                    execute(who + "+", s.body());
                    return "spawned";
                }));
            case Statement.Get s -> promise(s.promise()).get();
            case Statement.GetWithin s -> promise(s.promise()).get(Duration.ofMinutes(s.minutes()));
            case Statement.Cancel s -> {
                promise(s.promise()).cancel();
                yield "cancelled";
            }
            case Statement.Then s ->
                add(promise(s.promise()).then(value -> {
                    see("then " + value);
                    execute(who + ">", s.body());
                    return value;
                }));
            case Statement.Handle s ->
                add(promise(s.promise()).handle((value, failure) -> {
                    see("handle " + value + " " + (failure == null ? null : failure.getMessage()));
                    execute(who + "?", s.body());
                    return value;
                }));
            case Statement.All s -> Promise.all(some(s.from(), s.count()));
            case Statement.Any s -> Promise.any(some(s.from(), s.count()));
            case Statement.MapOver s ->
                Promise.map(items(s.items()), s.atOnce(), item -> {
                    execute(who + "*" + item, s.body());
                    return item;
                });
            case Statement.Sleep s -> {
                Durable.sleep(Duration.ofMinutes(s.minutes()));
                yield Durable.now();
            }
            case Statement.Timer s -> add(Durable.timer(Duration.ofMinutes(s.minutes())));
            case Statement.Await s -> {
                Durable.await(() -> counters[s.counter()] >= s.atLeast());
                if (counters[s.counter()] < s.atLeast()) {
                    throw new AssertionError("await returned and its condition does not hold");
                }
                yield counters[s.counter()];
            }
            case Statement.AwaitWithin s ->
                Durable.await(Duration.ofMinutes(s.minutes()), () -> counters[s.counter()] >= s.atLeast());
            case Statement.AwaitHandlers s -> {
                Durable.await(Durable::allHandlersFinished);
                yield "no handlers";
            }
            case Statement.Count s -> ++counters[s.counter()];
            case Statement.Draw s -> Durable.uuid() + " " + Durable.random().nextInt(100);
            case Statement.Append s -> {
                Durable.stream("seen-" + s.stream(), String.class).append(who + " " + counters[0]);
                yield "appended";
            }
            case Statement.SideEffect s -> Durable.sideEffect(Integer.class, s::value);
            case Statement.Tell s -> {
                ExternalWorkflow<ProgramWorkflow> other =
                        Durable.external(ProgramWorkflow.class, "other-" + s.workflow());
                if (s.cancels()) {
                    other.cancel("of " + who);
                } else {
                    other.signal(w -> w.poke(s.workflow()));
                }
                yield "told";
            }
            case Statement.StartChild s -> {
                ChildOptions options =
                        ChildOptions.defaults().cancellation(s.cancellation()).parentClosePolicy(s.policy());
                ChildHandle<ProgramWorkflow, String> child =
                        Durable.startChild(ProgramWorkflow.class, options, w -> w.run(7L));
                children.add(child);
                see("starts " + child.workflowId() + " " + child.runId());
                yield add(child.resultPromise());
            }
            case Statement.TellChild s ->
                children.isEmpty() ? "no child" : tell(who, children.get(s.child() % children.size()), s.how());
            case Statement.OpenCallback s ->
                continues
                        ? "no callback"
                        : add(Durable.callback(String.class, Duration.ofMinutes(s.minutes()))
                                .promise());
            case Statement.Version s -> Durable.version(s.change(), 0, 3);
            case Statement.Detached s ->
                Durable.detached(() -> {
                    execute(who + "=", s.body());
                    return "detached";
                });
            case Statement.Compensate s -> {
                if (continues) {
                    yield "no undo";
                }
                try {
                    Durable.compensate(() -> execute(who + "-", s.body()));
                } catch (UsageException e) {
                    // In an undo: a mistake of the code, which would stall the run for ever.
                    yield "refused";
                }
                yield "compensates";
            }
            case Statement.Try s -> {
                try {
                    execute(who + "!", s.body());
                } catch (Exception e) {
                    see("caught " + e.getClass().getSimpleName());
                }
                yield "tried";
            }
            case Statement.Repeat s -> {
                for (int i = 0; i < s.times(); i++) {
                    execute(who + "#" + i, s.body());
                }
                yield "repeated";
            }
            case Statement.Throw s -> throw new IllegalStateException(s.message());
            case Statement.NewPromise s -> add(Durable.newPromise(Integer.class));
            case Statement.Complete s -> complete(s);
            case Statement.TolerantMap s ->
                Promise.map(items(s.items()), o -> o.atOnce(s.atOnce()).toleratedFailures(s.tolerated()), item -> {
                    execute(who + "%" + item, s.body());
                    return item;
                });
            case Statement.Retry s ->
                Durable.retry(o -> o.maxAttempts(s.attempts()).initialInterval(Duration.ofMinutes(s.minutes())), () -> {
                    execute(who + "~", s.body());
                    return "retried";
                });
            case Statement.Poll s ->
                Durable.poll(
                        RetryPolicy.fixed(Duration.ofMinutes(5), 1 + s.attempts()),
                        () -> {
                            execute(who + "^", s.body());
                            return counters[s.counter()];
                        },
                        count -> count >= s.atLeast());
            case Statement.Saga s -> Durable.saga(saga -> saga(who, saga, s));
        };
    }

    private Object tell(String who, ChildHandle<ProgramWorkflow, String> child, int how) {
        switch (how) {
            case 0 -> add(child.started());
            case 1 -> child.signal(w -> w.poke(1));
            default -> child.cancel("of " + who);
        }
        return "told child";
    }

    private Object complete(Statement.Complete statement) {
        if (!(promise(statement.promise()) instanceof CompletablePromise<?> promise)) {
            return "not ours";
        }
        @SuppressWarnings("unchecked") // all are made for integers
        CompletablePromise<Integer> ours = (CompletablePromise<Integer>) promise;
        return statement.fails()
                ? ours.fail(new IllegalStateException("failed by code"))
                : ours.complete(statement.promise());
    }

    private String saga(String who, Saga saga, Statement.Saga statement) throws Exception {
        if (statement.parallel()) {
            saga.parallel();
        }
        saga.compensate(() -> execute(who + "_", statement.undo()));
        saga.compensate(() -> see(who + " undoes"));
        execute(who + "$", statement.body());
        return "saga";
    }

    private Acts acts(ActivityCancellationType cancellation) {
        return cancellation == ActivityCancellationType.TRY_CANCEL
                ? acts
                : Durable.activities(Acts.class, o -> o.cancellation(cancellation));
    }

    private static Object shown(Object value) {
        return value instanceof Promise<?> promise ? "promise " + promise.isDone() : value;
    }

    private Promise<?> add(Promise<?> promise) {
        promises.add(promise);
        return promise;
    }

    private Promise<?> promise(int index) {
        if (promises.isEmpty()) {
            add(Durable.async(acts::a, "first"));
        }
        return promises.get(index % promises.size());
    }

    private List<Promise<?>> some(int from, int count) {
        List<Promise<?>> some = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            some.add(promise(from + i));
        }
        return some;
    }

    private static List<Integer> items(int count) {
        List<Integer> items = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            items.add(i);
        }
        return items;
    }
}
