package dev.durable.benchmarks;

import dev.durable.Activity;
import dev.durable.Durable;
import dev.durable.Promise;
import dev.durable.Run;
import dev.durable.Workflow;
import java.util.ArrayList;
import java.util.List;

/** The workflows that Durable runs in the scenarios, and their activities, which do nothing. */
final class Work {
    private Work() {}

    @Activity
    interface Counter {
        int next(int value);
    }

    @Activity(local = true)
    interface LocalCounter {
        int next(int value);
    }

    static final class Counting implements Counter, LocalCounter {
        @Override
        public int next(int value) {
            return value + 1;
        }
    }

    @Workflow
    static class Sequence {
        private final Counter counter;

        Sequence(Counter counter) {
            this.counter = counter;
        }

        @Run
        int run(int steps) {
            int value = 0;
            for (int i = 0; i < steps; i++) {
                value = counter.next(value);
            }
            return value;
        }
    }

    @Workflow
    static class LocalSequence {
        private final LocalCounter counter;

        LocalSequence(LocalCounter counter) {
            this.counter = counter;
        }

        @Run
        int run(int steps) {
            int value = 0;
            for (int i = 0; i < steps; i++) {
                value = counter.next(value);
            }
            return value;
        }
    }

    @Workflow
    static class Fanout {
        private final Counter counter;

        Fanout(Counter counter) {
            this.counter = counter;
        }

        @Run
        long run(int size) {
            List<Promise<Integer>> branches = new ArrayList<>(size);
            for (int i = 0; i < size; i++) {
                branches.add(Durable.async(counter::next, i));
            }
            return Promise.all(branches).stream().mapToLong(Integer::longValue).sum();
        }
    }
}
