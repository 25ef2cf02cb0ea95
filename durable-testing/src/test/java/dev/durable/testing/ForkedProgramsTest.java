package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;

import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.ActivityInfo;
import dev.durable.Durable;
import dev.durable.HandlerUnfinishedPolicy;
import dev.durable.Promise;
import dev.durable.RefusedInputException;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.client.ForkOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.history.ActivityScheduled;
import dev.durable.history.History;
import dev.durable.history.HistoryEvent;
import dev.durable.history.WorkflowForked;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Forks random programs behind each of their events, and keeps a ledger of effects: nothing of the copied part runs again,
 * what was open there runs once more under the key that it had, and each fork ends and replays.
 *
 * <p>{@code -Ddurable.forks.programs=10000} runs more of them, {@code durable.forks.seed} says the first one; a failure
 * names its seed.
 */
@Timeout(value = 60, unit = TimeUnit.MINUTES)
@Tag("slow")
class ForkedProgramsTest {
    private static final long FIRST = Long.getLong("durable.forks.seed", 1);
    private static final int PROGRAMS = Integer.getInteger("durable.forks.programs", 40);
    private static final int ON_POSTGRES = 1;
    private static final int RESETS_ON_POSTGRES = 5;

    @Activity
    interface Effects {
        int have(String what);

        @Activity(local = true)
        int haveHere(String what);
    }

    private static final class Ledger implements Effects {
        final List<ActivityInfo> calls = new CopyOnWriteArrayList<>();

        @Override
        public int have(String what) {
            calls.add(ActivityContext.current().info());
            return what.length();
        }

        @Override
        public int haveHere(String what) {
            return have(what);
        }

        List<ActivityInfo> of(UUID run) {
            return calls.stream().filter(call -> call.runId().equals(run)).toList();
        }
    }

    /** Does what the seed says: calls, waits, draws and handlers, in up to three coroutines. */
    @Workflow
    static class Program {
        private final Effects effects;
        private int heard;

        Program(Effects effects) {
            this.effects = effects;
        }

        @Run
        List<Integer> run(long seed) {
            Random random = new Random(seed);
            List<Integer> seen = new ArrayList<>();
            List<Promise<Integer>> beside = new ArrayList<>();
            for (int i = 1 + random.nextInt(5); i > 0; i--) {
                long part = random.nextLong();
                if (beside.size() < 2 && random.nextInt(3) == 0) {
                    beside.add(Durable.async(() -> step(new Random(part))));
                } else {
                    seen.add(step(new Random(part)));
                }
            }
            beside.forEach(promise -> seen.add(promise.get()));
            return seen;
        }

        private int step(Random random) {
            return switch (random.nextInt(10)) {
                case 0, 1, 2 -> effects.have("x".repeat(random.nextInt(9)));
                case 3 -> effects.haveHere("x".repeat(random.nextInt(9)));
                case 4 -> {
                    Durable.sleep(Duration.ofMinutes(random.nextInt(90)));
                    yield 0;
                }
                case 5 -> {
                    Durable.await(Duration.ofMinutes(1 + random.nextInt(90)), () -> heard > 1);
                    yield heard;
                }
                // A branch by a random number, which differs between a run and its fork where the fork draws it.
                case 6 ->
                    Durable.random().nextBoolean()
                            ? effects.have("drawn")
                            : Durable.random().nextInt();
                case 7 -> Durable.sideEffect(Integer.class, () -> random.nextInt());
                case 8 -> {
                    int minutes = random.nextInt(90);
                    yield Durable.startChild(Errand.class, w -> w.run(minutes)).result();
                }
                default -> effects.have(Durable.info().runId().toString());
            };
        }

        @Signal(unfinishedPolicy = HandlerUnfinishedPolicy.WAIT)
        void hear() {
            heard++;
            effects.have("heard");
        }
    }

    @Workflow
    static class Errand {
        private final Effects effects;

        Errand(Effects effects) {
            this.effects = effects;
        }

        @Run
        int run(int minutes) {
            Durable.sleep(Duration.ofMinutes(minutes));
            return effects.have("errand");
        }
    }

    @Test
    void nothing_of_what_a_fork_has_copied_runs_again() {
        int forks = 0;
        for (long seed = FIRST; seed < FIRST + PROGRAMS; seed++) {
            forks += check(seed, Store.MEMORY);
        }
        assertThat(forks).isGreaterThan(PROGRAMS);
    }

    @Test
    void nothing_of_what_a_fork_has_copied_runs_again_on_postgres() {
        for (long seed = FIRST; seed < FIRST + ON_POSTGRES; seed++) {
            assertThat(check(seed, Store.POSTGRES)).isPositive();
        }
    }

    private static int check(long seed, Store store) {
        Ledger ledger = new Ledger();
        try (TestEngine engine = TestEngine.create(store)) {
            WorkflowHandle<Program, List<Integer>> origin = engine.register(Program.class, Errand.class)
                    .activity(Effects.class, ledger)
                    .client()
                    .start(Program.class, "origin", w -> w.run(seed));
            for (int i = new Random(seed).nextInt(4); i > 0; i--) {
                engine.advance(Duration.ofMinutes(5));
                if (!origin.describe().summary().status().closed()) {
                    origin.signal(Program::hear);
                }
            }
            origin.result();
            History history = origin.history();
            int forks = 0;
            for (int point = 1; point <= history.size(); point++) {
                forks += fork(origin, history, point, ledger);
            }
            return forks;
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(
                    "seed " + seed + " on " + store
                            + "\nTo run it again alone: -Ddurable.forks.programs=1 -Ddurable.forks.seed=" + seed,
                    e);
        }
    }

    @Test
    void nothing_of_what_a_run_has_done_runs_again_when_it_is_reset() {
        int resets = 0;
        for (long seed = FIRST; seed < FIRST + PROGRAMS; seed++) {
            resets += reset(seed, Store.MEMORY);
        }
        assertThat(resets).isGreaterThan(PROGRAMS);
    }

    @Test
    void nothing_of_what_a_run_has_done_runs_again_when_it_is_reset_on_postgres() {
        for (long seed = FIRST; seed < FIRST + RESETS_ON_POSTGRES; seed++) {
            reset(seed, Store.POSTGRES);
        }
    }

    /** Resets a run at random events, while it is open or when it has closed, up to six times. */
    private static int reset(long seed, Store store) {
        Ledger ledger = new Ledger();
        try (TestEngine engine = TestEngine.create(store)) {
            WorkflowHandle<Program, List<Integer>> run = engine.register(Program.class, Errand.class)
                    .activity(Effects.class, ledger)
                    .client()
                    .start(Program.class, "origin", w -> w.run(seed));
            Random random = new Random(seed);
            List<UUID> runs = new ArrayList<>(List.of(run.runId()));
            int resets = 0;
            for (int i = 0; i < 6; i++) {
                if (random.nextBoolean()) {
                    run.result();
                } else {
                    engine.advance(Duration.ofMinutes(random.nextInt(60)));
                    if (!run.describe().summary().status().closed()) {
                        run.signal(Program::hear);
                    }
                }
                int point = 1 + random.nextInt(run.history().size());
                ForkOptions options = random.nextBoolean()
                        ? ForkOptions.defaults()
                        : ForkOptions.defaults().withMessagesAgain().signal("hear");
                try {
                    run = run.fork(point, options);
                } catch (RefusedInputException e) {
                    continue;
                }
                resets++;
                runs.add(run.runId());
                UUID fork = run.runId();
                if (random.nextBoolean()) {
                    run.result();
                    check(engine.client().history(fork), ledger.of(fork), true);
                }
            }
            run.result();
            runs.forEach(one -> {
                History history = engine.client().history(one);
                check(history, ledger.of(one), false);
                Replayer.of(Program.class, Effects.class).replay(history);
            });
            return resets;
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(
                    "seed " + seed + " on " + store
                            + "\nTo run it again alone: -Ddurable.forks.programs=1 -Ddurable.forks.seed=" + seed,
                    e);
        }
    }

    /** @param ended whether the run has ended by itself, so that all that was open in its copied part was called again */
    private static void check(History history, List<ActivityInfo> calls, boolean ended) {
        Map<Integer, String> open = new HashMap<>();
        Set<Integer> over = new HashSet<>();
        UUID owner = history.started().runId();
        int forks = (int) history.events(WorkflowForked.class).count();
        for (HistoryEvent event : history) {
            if (event instanceof WorkflowForked fork) {
                owner = fork.runId();
                if (--forks == 0) {
                    break;
                }
            } else if (event instanceof ActivityScheduled scheduled) {
                open.put(scheduled.seq(), owner + ":" + scheduled.seq());
            } else if (event instanceof HistoryEvent.ActivityClosed closed) {
                over.add(closed.seq());
                open.remove(closed.seq());
            }
        }
        if (!owner.equals(history.started().runId())) {
            assertThat(calls)
                    .extracting(ActivityInfo::seq)
                    .doesNotHaveDuplicates()
                    .noneMatch(over::contains);
        }
        for (ActivityInfo call : calls) {
            String key = open.remove(call.seq());
            if (key != null && !owner.equals(history.started().runId())) {
                assertThat(call.idempotencyKey()).isEqualTo(key);
            }
        }
        if (ended && !owner.equals(history.started().runId())) {
            assertThat(open)
                    .as("activities that were open and were not called again")
                    .isEmpty();
        }
    }

    private static int fork(WorkflowHandle<Program, List<Integer>> origin, History history, int point, Ledger ledger) {
        WorkflowHandle<Program, List<Integer>> fork;
        try {
            fork = origin.fork(point, "fork-" + point);
        } catch (RefusedInputException e) {
            return 0;
        }
        fork.result();
        List<HistoryEvent> copied = history.subList(0, point);
        assertThat(fork.history().subList(0, point)).isEqualTo(copied);
        Set<Integer> ended = new HashSet<>();
        Set<Integer> open = new HashSet<>();
        for (HistoryEvent event : copied) {
            if (event instanceof ActivityScheduled scheduled) {
                open.add(scheduled.seq());
            } else if (event instanceof HistoryEvent.ActivityClosed closed) {
                ended.add(closed.seq());
                open.remove(closed.seq());
            }
        }
        List<ActivityInfo> calls = ledger.of(fork.runId());
        assertThat(calls).extracting(ActivityInfo::seq).doesNotHaveDuplicates().noneMatch(ended::contains);
        for (ActivityInfo call : calls) {
            UUID run = open.remove(call.seq()) ? origin.runId() : fork.runId();
            assertThat(call.idempotencyKey()).isEqualTo(run + ":" + call.seq());
        }
        assertThat(open)
                .as("activities that were open at event %s and were not called again", point)
                .isEmpty();
        return 1;
    }
}
