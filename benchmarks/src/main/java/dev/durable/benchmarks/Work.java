package dev.durable.benchmarks;

import dev.durable.Activity;
import dev.durable.ChildHandle;
import dev.durable.Durable;
import dev.durable.Promise;
import dev.durable.Query;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Update;
import dev.durable.Workflow;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** The workflows that Durable runs in the scenarios, and their activities, which do nothing. */
final class Work {
    private Work() {}

    /** All of them. */
    static Object[] workflows() {
        return new Object[] {
            Sequence.class,
            LocalSequence.class,
            LongHistory.class,
            Ledgered.class,
            Fanout.class,
            Parent.class,
            Child.class,
            Link.class,
            Updated.class,
            Listener.class,
            Sleeper.class
        };
    }

    @Activity
    interface Counter {
        int next(int value);
    }

    @Activity(local = true)
    interface LocalCounter {
        int next(int value);
    }

    @Activity
    interface Effects {
        int take(int run, int step);
    }

    @Activity
    interface Jobs {
        void run(int value);
    }

    static final class Counting implements Counter, LocalCounter {
        @Override
        public int next(int value) {
            return value + 1;
        }
    }

    record Writing(Ledger ledger) implements Effects {
        @Override
        public int take(int run, int step) {
            ledger.wrote(run, step);
            return step + 1;
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

    /** As many steps, then it waits for the signal to end. */
    @Workflow
    static class LongHistory {
        private final LocalCounter counter;
        private int value;
        private boolean ending;

        LongHistory(LocalCounter counter) {
            this.counter = counter;
        }

        @Run
        int run(int steps) {
            while (value < steps) {
                value = counter.next(value);
            }
            Durable.await(() -> ending);
            return value;
        }

        @Query
        int value() {
            return value;
        }

        @Signal
        void end() {
            ending = true;
        }
    }

    @Workflow
    static class Ledgered {
        private final Effects effects;

        Ledgered(Effects effects) {
            this.effects = effects;
        }

        @Run
        int run(int run, int steps) {
            int value = 0;
            for (int i = 0; i < steps; i++) {
                value = effects.take(run, value);
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

    @Workflow
    static class Parent {
        @Run
        long run(int size) {
            List<ChildHandle<Child, Integer>> children = new ArrayList<>(size);
            for (int i = 0; i < size; i++) {
                int value = i;
                children.add(Durable.startChild(Child.class, w -> w.run(value)));
            }
            return children.stream().mapToLong(ChildHandle::result).sum();
        }
    }

    @Workflow
    static class Child {
        @Run
        int run(int value) {
            return value + 1;
        }
    }

    /** Continues as new until it has made that many steps, one in each run. */
    @Workflow
    static class Link {
        private final LocalCounter counter;

        Link(LocalCounter counter) {
            this.counter = counter;
        }

        @Run
        int run(int before, int links) {
            int value = counter.next(before);
            if (value < links) {
                throw Durable.continueAsNew(Link.class, w -> w.run(value, links));
            }
            return value;
        }
    }

    /** Gives back how many updates it has answered, once there are so many. */
    @Workflow
    static class Updated {
        private int answered;

        @Run
        int run(int updates) {
            Durable.await(() -> answered == updates);
            return answered;
        }

        @Update
        int next(int value) {
            answered++;
            return value + 1;
        }
    }

    /** Gives the sum of so many signals. */
    @Workflow
    static class Listener {
        private long sum;
        private int heard;

        @Run
        long run(int signals) {
            Durable.await(() -> heard == signals);
            return sum;
        }

        @Signal
        void hear(int value) {
            heard++;
            sum += value;
        }
    }

    /** Sleeps until that time, and gives it back. */
    @Workflow
    static class Sleeper {
        @Run
        long run(long untilMillis) {
            Durable.sleep(Duration.between(Durable.now(), Instant.ofEpochMilli(untilMillis)));
            return untilMillis;
        }
    }
}
