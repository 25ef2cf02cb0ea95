package dev.durable.internal.replay;

import dev.durable.ActivityCancellationType;
import dev.durable.ChildCancellationType;
import dev.durable.ParentClosePolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** The words of a small language of workflow programs: whatever the API offers, in any nesting. */
sealed interface Statement {
    record Call(String what, ActivityCancellationType cancellation) implements Statement {}

    record CallInFlight(String what, ActivityCancellationType cancellation) implements Statement {}

    record Spawn(List<Statement> body) implements Statement {}

    record Get(int promise) implements Statement {}

    record GetWithin(int promise, int minutes) implements Statement {}

    record Cancel(int promise) implements Statement {}

    record Then(int promise, List<Statement> body) implements Statement {}

    record Handle(int promise, List<Statement> body) implements Statement {}

    record All(int from, int count) implements Statement {}

    record Any(int from, int count) implements Statement {}

    record MapOver(int items, int atOnce, List<Statement> body) implements Statement {}

    record Sleep(int minutes) implements Statement {}

    record Timer(int minutes) implements Statement {}

    record Await(int counter, int atLeast) implements Statement {}

    record AwaitWithin(int counter, int atLeast, int minutes) implements Statement {}

    record AwaitHandlers() implements Statement {}

    record Count(int counter) implements Statement {}

    record Draw() implements Statement {}

    /** Appends to a stream. */
    record Append(int stream) implements Statement {}

    record SideEffect(int value) implements Statement {}

    /** Sends a signal to another workflow, or asks it to cancel. */
    record Tell(int workflow, boolean cancels) implements Statement {}

    /** Starts a child. */
    record StartChild(ChildCancellationType cancellation, ParentClosePolicy policy) implements Statement {}

    /** Asks for the start of a child, sends it a signal, or asks it to cancel. */
    record TellChild(int child, int how) implements Statement {}

    /** Opens a callback, which times out after so many minutes. */
    record OpenCallback(int minutes) implements Statement {}

    record Version(String change) implements Statement {}

    record Detached(List<Statement> body) implements Statement {}

    record Compensate(List<Statement> body) implements Statement {}

    record Try(List<Statement> body) implements Statement {}

    record Repeat(int times, List<Statement> body) implements Statement {}

    record Throw(String message) implements Statement {}

    record NewPromise() implements Statement {}

    record Complete(int promise, boolean fails) implements Statement {}

    record TolerantMap(int items, int atOnce, int tolerated, List<Statement> body) implements Statement {}

    record Retry(int attempts, int minutes, List<Statement> body) implements Statement {}

    record Poll(int counter, int atLeast, int attempts, List<Statement> body) implements Statement {}

    record Saga(boolean parallel, List<Statement> body, List<Statement> undo) implements Statement {}

    /** Programs of a seed. */
    final class Generator {
        private static final int COUNTERS = 2;

        private final Random random;

        Generator(long seed) {
            this.random = new Random(seed);
        }

        /** A main program: most of its steps survive their failures, and it ends when it was poked enough. */
        List<Statement> main() {
            List<Statement> main = new ArrayList<>();
            int length = 3 + random.nextInt(6);
            for (int i = 0; i < length; i++) {
                List<Statement> step = block(2);
                main.addAll(random.nextInt(6) == 0 ? step : List.of(new Try(step)));
            }
            main.add(new Await(random.nextInt(COUNTERS), 4));
            return main;
        }

        /** A signal handler: its exception would be the end of the run, so it seldom throws. */
        List<Statement> handler() {
            List<Statement> body = block(random.nextInt(3));
            return random.nextInt(5) == 0 ? body : List.of(new Try(body));
        }

        List<Statement> block(int depth) {
            List<Statement> block = new ArrayList<>();
            int length = 1 + random.nextInt(depth > 1 ? 5 : 3);
            for (int i = 0; i < length; i++) {
                block.add(depth > 0 && random.nextInt(3) == 0 ? nested(depth - 1) : simple());
            }
            return block;
        }

        private Statement nested(int depth) {
            return switch (random.nextInt(14)) {
                case 10 ->
                    new TolerantMap(1 + random.nextInt(4), 1 + random.nextInt(3), random.nextInt(3), block(depth));
                case 11 -> new Retry(1 + random.nextInt(3), random.nextInt(20), block(depth));
                case 12 -> new Poll(random.nextInt(COUNTERS), 1 + random.nextInt(4), random.nextInt(3), block(depth));
                case 13 -> new Saga(random.nextInt(4) == 0, block(depth), block(depth));
                case 0, 1, 2 -> new Spawn(block(depth));
                case 3 -> new Then(random.nextInt(8), block(depth));
                case 4 -> new Handle(random.nextInt(8), block(depth));
                case 5 -> new MapOver(1 + random.nextInt(4), 1 + random.nextInt(3), block(depth));
                case 6 -> new Detached(block(depth));
                case 7 -> new Compensate(block(depth));
                case 8 -> new Try(block(depth));
                default -> new Repeat(2 + random.nextInt(2), block(depth));
            };
        }

        private ActivityCancellationType cancellation() {
            ActivityCancellationType[] types = ActivityCancellationType.values();
            return types[Math.max(0, random.nextInt(6) - 3)];
        }

        private Statement startChild() {
            ChildCancellationType[] types = ChildCancellationType.values();
            ParentClosePolicy[] policies = ParentClosePolicy.values();
            return new StartChild(types[random.nextInt(3)], policies[random.nextInt(3)]);
        }

        private Statement simple() {
            int counter = random.nextInt(COUNTERS);
            int promise = random.nextInt(8);
            return switch (random.nextInt(32)) {
                case 30, 31 -> new OpenCallback(1 + random.nextInt(20));
                case 27, 28 -> startChild();
                case 29 -> new TellChild(random.nextInt(4), random.nextInt(3));
                case 24 -> new NewPromise();
                case 25, 26 -> new Complete(promise, random.nextInt(4) == 0);
                case 0, 1, 2 -> new Call("c" + random.nextInt(10), cancellation());
                case 3, 4, 5 -> new CallInFlight("f" + random.nextInt(10), cancellation());
                case 6, 7 -> new Get(promise);
                case 8 -> new GetWithin(promise, random.nextInt(20));
                case 9 -> new Cancel(promise);
                case 10 -> new All(promise, 1 + random.nextInt(3));
                case 11 -> new Any(promise, 1 + random.nextInt(3));
                case 12 -> new Sleep(random.nextInt(20));
                case 13 -> new Timer(random.nextInt(20));
                case 14, 15 -> new Await(counter, 1 + random.nextInt(4));
                case 16 -> new AwaitWithin(counter, 1 + random.nextInt(4), random.nextInt(20));
                case 17, 18, 19 -> new Count(counter);
                case 20 ->
                    switch (random.nextInt(4)) {
                        case 0 -> new Draw();
                        case 1 -> new Append(random.nextInt(2));
                        default -> new Tell(random.nextInt(3), random.nextInt(4) == 0);
                    };
                case 21 -> random.nextBoolean() ? new SideEffect(random.nextInt(100)) : new AwaitHandlers();
                case 22 -> new Version("change-" + random.nextInt(3));
                default -> random.nextInt(3) == 0 ? new Throw("t" + random.nextInt(10)) : new Count(counter);
            };
        }
    }
}
