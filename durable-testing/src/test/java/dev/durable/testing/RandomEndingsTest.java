package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;

import dev.durable.Activity;
import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.WorkflowFailedException;
import dev.durable.client.WorkflowHandle;
import dev.durable.history.SignalReceived;
import dev.durable.history.WorkflowCompleted;
import dev.durable.history.WorkflowFailed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/**
 * Random runs of steps, timers and waits for signals, which return or fail when they are through, with signals sent while
 * they take a step, sleep, wait, or are paused. The plain model: whatever was accepted is in what the run ends with, in
 * the order in which it was sent, and nothing comes late. The engine replays each history when the test ends.
 */
@DurableTest
class RandomEndingsTest {
    private static final long FIRST = Long.getLong("durable.endings.seed", 1);
    private static final int RUNS = Integer.getInteger("durable.endings.runs", 150);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    @Activity
    interface Step {
        void take(String id, int number);
    }

    @Workflow
    static class Steps {
        private final Step step;
        private final List<String> heard = new ArrayList<>();

        Steps(Step step) {
            this.step = step;
        }

        @Run
        public List<String> run(String id, String steps, boolean fails) {
            int seen = 0;
            for (int i = 0; i < steps.length(); i++) {
                switch (steps.charAt(i)) {
                    case 'a' -> step.take(id, i);
                    case 't' -> Durable.sleep(MINUTE);
                    case 'w' -> {
                        int before = seen;
                        Durable.await(MINUTE, () -> heard.size() > before);
                    }
                    default -> Durable.await(() -> !heard.isEmpty());
                }
                seen = heard.size();
            }
            if (fails) {
                throw new IllegalStateException(String.join(",", heard));
            }
            return heard;
        }

        @Signal
        public void say(String word) {
            heard.add(word);
        }
    }

    private final Map<String, Random> randoms = new ConcurrentHashMap<>();
    private final Map<String, List<String>> sent = new ConcurrentHashMap<>();

    @Test
    void what_was_accepted_is_in_what_the_run_ends_with(TestEngine engine) {
        engine.register(Steps.class).activity(Step.class, (id, number) -> sendSome(engine, id));
        int together = 0;
        for (long seed = FIRST; seed < FIRST + RUNS; seed++) {
            together += live(engine, seed);
        }
        assertThat(together).as("signals that were fed with the next event").isPositive();
    }

    private int live(TestEngine engine, long seed) {
        Random random = new Random(seed);
        String id = "run-" + seed;
        randoms.put(id, random);
        sent.put(id, Collections.synchronizedList(new ArrayList<>()));
        String steps = steps(random);
        boolean fails = random.nextInt(3) == 0;
        WorkflowHandle<Steps, List<String>> run = engine.client().start(Steps.class, id, w -> w.run(id, steps, fails));
        engine.settle();
        while (!run.describe().summary().status().closed()) {
            disturb(engine, run, random);
        }
        String what = "seed " + seed + ", steps " + steps + ", history " + run.history();
        assertThat(heard(run, fails)).as(what).isEqualTo(sent.get(id));
        assertThat(late(run)).as(what).isZero();
        return (int) run.history().stream()
                .filter(event -> event instanceof SignalReceived signal && signal.withNext())
                .count();
    }

    /** One random event between two turns; time goes on with each, so that each run ends. */
    private void disturb(TestEngine engine, WorkflowHandle<Steps, ?> run, Random random) {
        if (random.nextBoolean()) {
            run.pause("away");
            engine.settle();
            sendSome(engine, run.workflowId());
            engine.advance(Duration.ofSeconds(random.nextInt(100)));
            sendSome(engine, run.workflowId());
            run.resume();
        } else {
            send(engine, run.workflowId());
        }
        engine.advance(Duration.ofSeconds(random.nextInt(80)));
    }

    private void sendSome(TestEngine engine, String id) {
        for (int i = randoms.get(id).nextInt(4); i > 0; i--) {
            send(engine, id);
        }
    }

    /** One at a time: a step may send while the test does, and words are compared in the order in which they were sent. */
    private synchronized void send(TestEngine engine, String id) {
        String word = "w" + sent.get(id).size();
        if (!engine.client().handle(id).describe().summary().status().closed()) {
            engine.client().handle(id).signal("say", word);
            sent.get(id).add(word);
        }
    }

    private static String steps(Random random) {
        StringBuilder steps = new StringBuilder();
        for (int i = 1 + random.nextInt(4); i > 0; i--) {
            steps.append("aatws".charAt(random.nextInt(5)));
        }
        return steps.toString();
    }

    private static List<String> heard(WorkflowHandle<Steps, List<String>> run, boolean fails) {
        if (!fails) {
            return run.result();
        }
        try {
            throw new AssertionError("it gave " + run.result());
        } catch (WorkflowFailedException e) {
            String all = String.valueOf(
                    ((WorkflowFailed) run.history().getLast()).failure().message());
            return all.isEmpty() ? List.of() : List.of(all.split(","));
        }
    }

    private static int late(WorkflowHandle<?, ?> run) {
        return switch (run.history().getLast()) {
            case WorkflowCompleted e -> e.lateMessages();
            case WorkflowFailed e -> e.lateMessages();
            default -> throw new AssertionError(run.history().getLast());
        };
    }
}
