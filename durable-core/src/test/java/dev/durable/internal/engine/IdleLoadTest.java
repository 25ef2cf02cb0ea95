package dev.durable.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Activity;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.client.DurableEngine;
import dev.durable.internal.drive.Drive;
import dev.durable.internal.drive.Step;
import dev.durable.store.HistoryStore;
import dev.durable.store.Nudges;
import dev.durable.store.memory.InMemoryHistoryStore;
import dev.durable.store.memory.VirtualClock;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * The calls of a worker to its store while there is no work, counted over virtual time. On PostgreSQL each of these
 * calls is one round trip ({@code IdleStatementsTest}).
 */
class IdleLoadTest {
    private static final Duration SETTLED = Duration.ofMinutes(2);
    private static final Duration COUNTED = Duration.ofMinutes(30);
    /** The methods that do not go to the store. */
    private static final Set<String> FREE =
            Set.of("clock", "nudges", "joined", "transactional", "patient", "historyStore", "open", "close");

    @Activity
    interface Work {
        void run();
    }

    @Workflow
    static class Idler {
        @Run
        void run() {}
    }

    private final VirtualClock clock = new VirtualClock();
    private final HistoryStore memory = InMemoryHistoryStore.on(clock);
    private final Map<String, Integer> calls = new TreeMap<>();
    private final SleepingDrive drive = new SleepingDrive();

    @Test
    void an_idle_worker_asks_less_than_two_things_a_second() throws Exception {
        assertThat(perSecond(true)).as("%s", calls).isLessThan(1.8);
    }

    @Test
    void without_hints_it_polls_and_stays_below_six() throws Exception {
        assertThat(perSecond(false)).as("%s", calls).isBetween(3.0, 6.0);
    }

    private double perSecond(boolean heard) throws Exception {
        DurableEngine engine = new EngineBuilder(counted(heard))
                .drive(drive)
                .register(Idler.class)
                .activity(Work.class, () -> {})
                .start();
        drive.sleepFor(SETTLED);
        calls.clear();
        drive.sleepFor(COUNTED);
        double perSecond = calls.values().stream().mapToInt(count -> count).sum() / (double) COUNTED.toSeconds();
        engine.close();
        return perSecond;
    }

    private HistoryStore counted(boolean heard) {
        return (HistoryStore) Proxy.newProxyInstance(
                HistoryStore.class.getClassLoader(),
                new Class<?>[] {HistoryStore.class},
                (proxy, method, arguments) -> {
                    if (!FREE.contains(method.getName())) {
                        calls.merge(method.getName(), 1, Integer::sum);
                    }
                    return method.getName().equals("nudges") ? new Silence(heard) : invoke(method, arguments);
                });
    }

    private Object invoke(Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(memory, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** Nudges of processes that send none. */
    private record Silence(boolean heard) implements Nudges {
        @Override
        public void send(Collection<? extends Nudge> nudges) {}

        @Override
        public AutoCloseable listen(Consumer<Nudge> listener) {
            return () -> {};
        }
    }

    /** Cranks each step when its sleep is over, on virtual time. */
    private final class SleepingDrive implements Drive {
        private final List<Sleeper> sleepers = new ArrayList<>();

        private final class Sleeper {
            private final Step step;
            private Instant until = clock.now();

            Sleeper(Step step) {
                this.step = step;
            }
        }

        void sleepFor(Duration duration) throws InterruptedException {
            Instant end = clock.now().plus(duration);
            while (clock.now().isBefore(end)) {
                Instant next = end;
                for (Sleeper sleeper : List.copyOf(sleepers)) {
                    if (!sleeper.until.isAfter(clock.now())) {
                        sleeper.until = clock.now().plus(sleeper.step.runOnce());
                    }
                    next = sleeper.until.isBefore(next) ? sleeper.until : next;
                }
                clock.advanceTo(next);
            }
        }

        @Override
        public Runnable add(String name, Kind kind, Step step) {
            Sleeper sleeper = new Sleeper(step);
            sleepers.add(sleeper);
            return () -> sleeper.until = clock.now();
        }

        @Override
        public Executor activities(String taskQueue, boolean virtualThreads) {
            return body -> {
                throw new AssertionError("there is nothing to run");
            };
        }

        @Override
        public <T> T await(CompletableFuture<T> future, Duration timeout) {
            throw new AssertionError("there is nothing to wait for");
        }

        @Override
        public void breathe() {}

        @Override
        public void start() {}

        @Override
        public long nanosSinceProgress() {
            return 0;
        }

        @Override
        public void close() {}
    }
}
