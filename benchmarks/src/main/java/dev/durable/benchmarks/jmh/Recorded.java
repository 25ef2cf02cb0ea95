package dev.durable.benchmarks.jmh;

import dev.durable.Activity;
import dev.durable.Durable;
import dev.durable.Promise;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.history.History;
import dev.durable.internal.declare.Registry;
import dev.durable.internal.payload.FailureCodec;
import dev.durable.internal.payload.PayloadCodec;
import dev.durable.internal.replay.ReplayCheck;
import dev.durable.internal.replay.match.ReplaySetup;
import dev.durable.store.memory.InMemoryHistoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A real history, recorded on the in-memory store, and what replays it. */
final class Recorded {
    /** Activities of each history. */
    static final int STEPS = 1000;

    /** Of the histories: started, completed, and two for each activity. */
    static final int EVENTS = 2 * STEPS + 2;

    /** The argument and result of activities. */
    record Line(String article, int quantity, long cents) {}

    @Activity
    interface Counter {
        Line next(Line line);
    }

    static final class Counting implements Counter {
        @Override
        public Line next(Line line) {
            return new Line(line.article(), line.quantity() + 1, line.cents());
        }
    }

    /** One activity after the other. */
    @Workflow
    static class Sequence {
        private final Counter counter;

        Sequence(Counter counter) {
            this.counter = counter;
        }

        @Run
        int run(int steps) {
            Line line = new Line("pencil", 0, 120);
            for (int i = 0; i < steps; i++) {
                line = counter.next(line);
            }
            return line.quantity();
        }
    }

    /** All activities in one turn: that many commands are compared with what the history has. */
    @Workflow
    static class Fanout {
        private final Counter counter;

        Fanout(Counter counter) {
            this.counter = counter;
        }

        @Run
        int run(int size) {
            List<Promise<Line>> lines = new ArrayList<>();
            for (int i = 0; i < size; i++) {
                lines.add(Durable.async(counter::next, new Line("pencil", i, 120)));
            }
            return Promise.all(lines).size();
        }
    }

    /** Two coroutines that wait for each other, in one turn: two switches for each round. */
    @Workflow
    static class PingPong {
        private int ball;

        @Run
        int run(int rounds) {
            Promise<Integer> other = Durable.async(() -> {
                for (int i = 0; i < rounds; i++) {
                    Durable.await(() -> ball % 2 == 1);
                    ball++;
                }
                return ball;
            });
            for (int i = 0; i < rounds; i++) {
                ball++;
                Durable.await(() -> ball % 2 == 0);
            }
            return other.get();
        }
    }

    private final Registry registry = Registry.builder()
            .register(Sequence.class, Fanout.class, PingPong.class)
            .build();
    private final PayloadCodec payloads = new PayloadCodec(Integer.MAX_VALUE);
    private final History history;
    private final ReplayCheck check;

    private Recorded(History history) {
        this.history = history;
        this.check = new ReplayCheck(
                registry.workflow(history.started().workflowType()).orElseThrow(),
                new ReplaySetup(payloads, new FailureCodec(payloads), registry, false, Duration.ofSeconds(60)));
    }

    static Recorded sequence() {
        return record(
                client -> client.start(Sequence.class, "w", w -> w.run(STEPS)).result());
    }

    static Recorded fanout() {
        return record(
                client -> client.start(Fanout.class, "w", w -> w.run(STEPS)).result());
    }

    static Recorded pingPong() {
        return record(
                client -> client.start(PingPong.class, "w", w -> w.run(STEPS)).result());
    }

    private static Recorded record(java.util.function.Consumer<DurableClient> run) {
        try (DurableEngine engine = DurableEngine.builder(new InMemoryHistoryStore())
                .register(Sequence.class, Fanout.class, PingPong.class)
                .register(new Counting())
                .start()) {
            run.accept(engine.client());
            return new Recorded(engine.client().history("w"));
        }
    }

    History history() {
        return history;
    }

    void replay() {
        check.fromScratch(history);
    }
}
