package dev.durable.testing;

import dev.durable.Activity;
import dev.durable.ActivityFailedException;
import dev.durable.CancelledException;
import dev.durable.ChildFailedException;
import dev.durable.ChildHandle;
import dev.durable.ChildOptions;
import dev.durable.CompletablePromise;
import dev.durable.Durable;
import dev.durable.HandlerUnfinishedPolicy;
import dev.durable.Promise;
import dev.durable.Query;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.Saga;
import dev.durable.Signal;
import dev.durable.Update;
import dev.durable.Workflow;
import dev.durable.testing.FlowProgram.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Runs a {@link FlowProgram}. */
@Workflow
class Flow {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    /** The activity by which a flow has effects that outlive it. */
    @Activity
    interface Acts {
        /** Fails in its first attempts, takes so many seconds, and has an effect then. */
        String act(String name, int failures, int seconds);

        @Activity(retry = @Retry(maxAttempts = 2))
        void fail(String name);
    }

    @SuppressWarnings("serial")
    static final class Boom extends RuntimeException {
        Boom(@Nullable String name) {
            super(name);
        }
    }

    private final Acts acts;
    private final List<String> words = new ArrayList<>();
    private final Map<String, ChildHandle<Flow, String>> opened = new HashMap<>();
    private FlowProgram program = new FlowProgram(List.of(), 0);
    private long seed;
    private int used;
    private int pokes;
    private boolean waitsForEver;

    Flow(Acts acts) {
        this.acts = acts;
    }

    /**
     * @param seed of the program
     * @param block to begin with
     * @param failures how many attempts fail at their end
     * @param before what links before have seen
     * @param wordsBefore the messages that links before had
     * @param usedBefore how many of them they took
     */
    @Run
    String run(long seed, int block, int failures, List<String> before, List<String> wordsBefore, int usedBefore) {
        this.seed = seed;
        program = FlowProgram.of(seed);
        words.addAll(0, wordsBefore);
        used = usedBefore;
        List<String> seen = new ArrayList<>(before);
        run(block, seen);
        int attempt = Durable.info().attempt();
        if (attempt <= failures) {
            throw new Boom("attempt" + attempt);
        }
        return seen.toString();
    }

    @Signal
    void hear(String word) {
        words.add(word);
    }

    @Signal
    void poke() {
        pokes++;
    }

    @Update(unfinishedPolicy = HandlerUnfinishedPolicy.WAIT)
    int tell(String word) {
        words.add(word);
        int place = words.size();
        acts.act("told " + word, 0, 0);
        return place;
    }

    @Query
    boolean waitsForEver() {
        return waitsForEver;
    }

    private void run(int block, List<String> seen) {
        for (Step step : program.block(block)) {
            run(step, seen);
        }
    }

    private void run(Step step, List<String> seen) {
        switch (step) {
            case Step.Act s -> seen.add(acts.act(s.name(), s.failures(), s.seconds()));
            case Step.Fail s -> fail(s.name());
            case Step.Sleep s -> {
                Durable.sleep(MINUTE.multipliedBy(s.minutes()));
                seen.add("slept");
            }
            case Step.TimeOut s ->
                seen.add(Durable.await(MINUTE.multipliedBy(s.minutes()), () -> false) ? "held" : "timed out");
            case Step.Race s -> {
                Promise<Void> first = Durable.timer(MINUTE.multipliedBy(s.first()));
                Promise<Void> second = Durable.timer(MINUTE.multipliedBy(s.second()));
                Promise.any(first, second);
                seen.add(first.isDone() && !second.isDone() ? "first" : "second");
                second.cancel();
            }
            case Step.SideEffect s -> seen.add("value " + Durable.sideEffect(Integer.class, s::value));
            case Step.Promised s -> seen.add("promised " + promised(s.minutes()));
            case Step.Together s -> together(s.blocks(), s.blocks().size(), seen);
            case Step.MapOver s -> together(Collections.nCopies(s.items(), s.block()), s.atOnce(), seen);
            case Step.Child s -> {
                ChildOptions options = s.failures() == 0
                        ? ChildOptions.defaults()
                        : ChildOptions.defaults().retry(o -> o.maxAttempts(s.failures() + 1));
                seen.add("child " + result(child(options, s.block(), s.failures())));
            }
            case Step.Open s -> {
                opened.put(s.name(), child(ChildOptions.id(idOf(s.name())), s.block(), 0));
                seen.add(s.name());
            }
            case Step.Join s -> {
                ChildHandle<Flow, ?> child = opened.get(s.name());
                seen.add("joined " + result(child == null ? Durable.child(Flow.class, idOf(s.name())) : child));
            }
            case Step.Poked ignored -> poked(seen);
            case Step.Saga s -> {
                Durable.saga(saga -> saga(saga, s, seen));
                seen.add("saga");
            }
            case Step.Undo s -> Durable.compensate(() -> acts.act(s.name(), 0, 0));
            case Step.Try s -> {
                try {
                    run(s.block(), seen);
                } catch (Boom e) {
                    seen.add("caught " + e.getMessage());
                }
            }
            case Step.Retry s -> retry(s, seen);
            case Step.Cancelled s -> cancelled(s, seen);
            case Step.Take s -> {
                Durable.await(() -> words.size() >= used + s.words());
                seen.addAll(words.subList(used, used + s.words()));
                used += s.words();
            }
            case Step.Link s ->
                throw Durable.continueAsNew(Flow.class, w -> w.run(seed, s.block(), 0, seen, words, used));
            case Step.Forever s -> forever(s.cleanUp());
        }
    }

    private void fail(String name) {
        try {
            acts.fail(name);
        } catch (ActivityFailedException e) {
            throw new Boom(e.failure() == null ? "no failure" : e.failure().message());
        }
    }

    private static int promised(int minutes) {
        CompletablePromise<Integer> promise = Durable.newPromise(Integer.class);
        Promise<String> completes = Durable.async(() -> {
            Durable.sleep(MINUTE.multipliedBy(minutes));
            promise.complete(minutes);
            return "";
        });
        int value = promise.get();
        completes.get();
        return value;
    }

    /** Runs all blocks, so many at once; then fails with the failure of the first that has failed. */
    private void together(List<Integer> blocks, int atOnce, List<String> seen) {
        List<Boom> failures = new ArrayList<>(Collections.nCopies(blocks.size(), null));
        List<Integer> places = IntStream.range(0, blocks.size()).boxed().toList();
        List<String> all = Promise.map(places, atOnce, place -> {
            List<String> each = new ArrayList<>();
            try {
                run(blocks.get(place), each);
            } catch (Boom e) {
                failures.set(place, e);
            }
            return each.toString();
        });
        for (Boom failure : failures) {
            if (failure != null) {
                throw failure;
            }
        }
        seen.add("all " + all);
    }

    private ChildHandle<Flow, String> child(ChildOptions options, int block, int failures) {
        return Durable.startChild(Flow.class, options, w -> w.run(seed, block, failures, List.of(), List.of(), 0));
    }

    private static String idOf(String name) {
        return Durable.info().workflowId() + "-" + name;
    }

    private static String result(ChildHandle<Flow, ?> child) {
        try {
            return child.resultAs(String.class);
        } catch (ChildFailedException e) {
            throw new Boom(
                    e.failure() == null
                            ? String.valueOf(e.getMessage())
                            : e.failure().message());
        }
    }

    private void poked(List<String> seen) {
        int before = pokes;
        String me = Durable.info().workflowId();
        ChildHandle<Poker, String> poker = Durable.startChild(Poker.class, w -> w.run(me));
        Durable.await(() -> pokes > before);
        seen.add(poker.result());
    }

    private String saga(Saga saga, Step.Saga step, List<String> seen) {
        if (step.parallel()) {
            saga.parallel();
        }
        saga.compensate(() -> acts.act(step.undo(), 0, 0));
        run(step.block(), seen);
        return "";
    }

    private void retry(Step.Retry step, List<String> seen) {
        int[] failed = {0};
        seen.add("retried "
                + Durable.retry(o -> o.maxAttempts(step.failures() + 1).initialInterval(MINUTE), () -> {
                    List<String> each = new ArrayList<>();
                    run(step.block(), each);
                    if (failed[0]++ < step.failures()) {
                        throw new Boom("once more");
                    }
                    return each;
                }));
    }

    private void cancelled(Step.Cancelled step, List<String> seen) {
        if (step.child()) {
            ChildHandle<Sleeper, String> sleeper = Durable.startChild(Sleeper.class, w -> w.run(step.cleanUp()));
            Durable.sleep(MINUTE);
            sleeper.cancel("no longer needed");
            seen.add(endOf(sleeper.resultPromise()));
        } else {
            Promise<String> sleeper = Durable.async(() -> sleepAndCleanUp(acts, step.cleanUp()));
            Durable.sleep(MINUTE);
            sleeper.cancel();
            seen.add(endOf(sleeper));
        }
    }

    private static String endOf(Promise<String> promise) {
        try {
            return promise.get();
        } catch (CancelledException e) {
            return "cancelled";
        }
    }

    private void forever(String cleanUp) {
        waitsForEver = true;
        sleepAndCleanUp(acts, cleanUp);
    }

    private static String sleepAndCleanUp(Acts acts, String cleanUp) {
        try {
            Durable.await(() -> false);
            return "";
        } catch (CancelledException e) {
            Durable.detached(() -> acts.act(cleanUp, 0, 0));
            throw e;
        }
    }

    /** Signals its parent, by the parent's id. */
    @Workflow(name = "FlowPoker")
    static class Poker {
        @Run
        String run(String parent) {
            Durable.external(Flow.class, parent).signal(Flow::poke);
            return "poked";
        }
    }

    /** Waits for ever, and cleans up when it is cancelled. */
    @Workflow(name = "FlowSleeper")
    static class Sleeper {
        private final Acts acts;

        Sleeper(Acts acts) {
            this.acts = acts;
        }

        @Run
        String run(String cleanUp) {
            return sleepAndCleanUp(acts, cleanUp);
        }
    }
}
