package dev.durable.internal.replay.coroutine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.internal.replay.RandomWorld;
import dev.durable.internal.replay.WorkflowInstance;
import dev.durable.internal.replay.match.Divergence;
import dev.durable.internal.replay.match.StalledException;
import dev.durable.store.RunKey;
import java.util.ArrayDeque;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Tests of the tests: an engine with a known bug does not pass the random programs. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class PlantedBugsTest {
    private static final int PROGRAMS = 100;

    @Test
    void a_sound_engine_passes() {
        assertThat(bugsFound(key -> RandomWorld.sound(key, true))).isZero();
    }

    @Test
    void sloppy_order_of_ready_coroutines_is_found() {
        Random unseeded = new Random();
        assertThat(bugsFound(key -> planted(
                        key,
                        (threads, restrictions) ->
                                new Dispatcher(threads, new Conditions(restrictions), new ArrayDeque<>() {
                                    @Override
                                    public @Nullable Coroutine poll() {
                                        return unseeded.nextInt(3) == 0 ? pollLast() : pollFirst();
                                    }
                                }))))
                .isPositive();
    }

    @Test
    void conditions_evaluated_only_once_are_found() {
        assertThat(bugsFound(key -> planted(
                        key,
                        (threads, restrictions) ->
                                new Dispatcher(threads, new EvaluatedOnce(restrictions), new ArrayDeque<>()))))
                .isPositive();
    }

    /** After a condition has held, the others are not looked at again until something else has run. */
    private static final class EvaluatedOnce extends Conditions {
        private boolean held;

        EvaluatedOnce(Restrictions restrictions) {
            super(restrictions);
        }

        @Override
        @Nullable
        Coroutine firstThatHolds() {
            Coroutine first = held ? null : super.firstThatHolds();
            held = first != null;
            return first;
        }
    }

    private static WorkflowInstance planted(RunKey key, Dispatcher.Factory bug) {
        return new WorkflowInstance(RandomWorld.TYPE, key, RandomWorld.setup(true), bug);
    }

    private static long bugsFound(Function<RunKey, WorkflowInstance> instances) {
        return LongStream.rangeClosed(1, PROGRAMS)
                .filter(seed -> isFound(seed, instances))
                .count();
    }

    private static boolean isFound(long seed, Function<RunKey, WorkflowInstance> instances) {
        try {
            new RandomWorld(seed, instances).live(25);
            return false;
        } catch (Divergence | StalledException | AssertionError found) {
            return true;
        }
    }
}
