package dev.durable.internal.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.history.CallbackCancelled;
import dev.durable.history.CallbackOpened;
import dev.durable.history.Failure;
import dev.durable.history.HistoryEvent;
import dev.durable.history.UpdateFailed;
import dev.durable.history.VersionRecorded;
import dev.durable.history.WorkflowFailed;
import dev.durable.internal.replay.match.Divergence;
import dev.durable.internal.replay.match.RecordedTurn;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Random programs in a random world, with lost commits: each history replays to the same commands, the same state and the
 * same close; from scratch, and cut after every turn and gone on from there.
 */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class RandomProgramsTest {
    private static final long FIRST = Long.getLong("durable.replay.seed", 1);
    private static final int PROGRAMS = Integer.getInteger("durable.replay.programs", 300);
    private static final int MAX_TURNS = 40;
    /** Ends that do not come of the code. */
    private static final Set<String> NOT_IN_PROGRAMS = Set.of("WorkflowTimedOut", "WorkflowTerminated");

    private static final UUID ANY_ID = new UUID(0, 0);

    private static final List<String> BESIDES = List.of(
            "another attempt follows",
            "cancellation fed with the next event",
            "clean-up",
            "signal fed with the next event",
            "close waits",
            "undo",
            "waits for a cancelled activity",
            "waits for an abandoned activity");

    @Test
    void every_history_replays_to_the_same_commands_and_state() {
        Set<String> kinds = new TreeSet<>();
        int[] lost = {0};
        LongStream.range(FIRST, FIRST + PROGRAMS).forEach(seed -> {
            RandomWorld world = live(seed);
            kinds.addAll(world.kinds());
            lost[0] += world.lost();
            checkFromScratch(seed, world);
            checkCuts(seed, world);
        });
        assertThat(kinds).as("what happened at least once").containsExactlyInAnyOrderElementsOf(everyKind());
        assertThat(lost[0]).as("lost commits").isPositive();
    }

    private static List<String> everyKind() {
        Stream<String> events = Stream.of(
                        HistoryEvent.Inbound.class, HistoryEvent.Command.class, HistoryEvent.Closing.class)
                .flatMap(RandomProgramsTest::kinds)
                .filter(kind -> !NOT_IN_PROGRAMS.contains(kind));
        return Stream.concat(events, BESIDES.stream()).toList();
    }

    private static Stream<String> kinds(Class<?> type) {
        return type.isSealed()
                ? Stream.of(type.getPermittedSubclasses()).flatMap(RandomProgramsTest::kinds)
                : Stream.of(type.getSimpleName());
    }

    private static RandomWorld live(long seed) {
        try {
            return new RandomWorld(seed, key -> RandomWorld.sound(key, true)).live(MAX_TURNS);
        } catch (Throwable e) {
            throw new AssertionError("seed " + seed, e);
        }
    }

    private static void checkFromScratch(long seed, RandomWorld world) {
        WorkflowInstance instance = RandomWorld.sound(world.key(), true);
        for (int i = 0; i < world.turns().size(); i++) {
            instance.replay(world.turns().get(i).event(), world.turns().get(i).commands());
            assertThat(RandomWorld.State.of(instance))
                    .as("seed %s turn %s", seed, i)
                    .isEqualTo(world.stateAfter(i));
        }
        if (world.close() != null) {
            instance.replayClose(world.close());
            assertThat(followers(instance.close(1)))
                    .as("what follows the end of seed %s", seed)
                    .isEqualTo(followers(world.close()));
        }
        instance.evict();
    }

    /** Returns the run that follows a failed one, and the back-off, which replay computes again. */
    private static List<Object> followers(HistoryEvent.Closing close) {
        return close instanceof WorkflowFailed failed && failed.nextRunId() != null
                ? List.of(failed.nextRunId(), failed.retryIn())
                : List.of();
    }

    private static void checkCuts(long seed, RandomWorld world) {
        for (int cut = 0; cut < world.turns().size(); cut++) {
            WorkflowInstance instance = RandomWorld.sound(world.key(), true);
            instance.replay(world.turns().subList(0, cut));
            RecordedTurn next = world.turns().get(cut);
            assertThat(bare(instance.feed(next.event()).commands()))
                    .as("seed %s, gone on live from turn %s", seed, cut)
                    .isEqualTo(bare(next.commands()));
            assertThat(RandomWorld.State.of(instance)).isEqualTo(world.stateAfter(cut));
            instance.evict();
            checkCutInside(world, cut);
        }
    }

    /** The commands without stack traces, which show whether a turn was made live, and without ids that each turn draws. */
    private static List<HistoryEvent.Command> bare(List<HistoryEvent.Command> commands) {
        return commands.stream().map(RandomProgramsTest::bare).toList();
    }

    private static HistoryEvent.Command bare(HistoryEvent.Command command) {
        if (command instanceof UpdateFailed c) {
            Failure failure = Failure.of(c.failure().type(), c.failure().message());
            return new UpdateFailed(c.id(), c.at(), c.updateId(), failure);
        }
        if (command instanceof CallbackOpened c) {
            return new CallbackOpened(c.id(), c.at(), c.number(), ANY_ID);
        }
        return command instanceof CallbackCancelled c
                ? new CallbackCancelled(c.id(), c.at(), c.number(), ANY_ID)
                : command;
    }

    private static void checkCutInside(RandomWorld world, int cut) {
        RecordedTurn turn = world.turns().get(cut);
        List<HistoryEvent.Command> commands = turn.commands();
        if (commands.isEmpty() || commands.getLast() instanceof VersionRecorded) {
            return;
        }
        WorkflowInstance instance = RandomWorld.sound(world.key(), true);
        instance.replay(world.turns().subList(0, cut));
        assertThatThrownBy(() -> instance.replay(turn.event(), commands.subList(0, commands.size() - 1)))
                .isInstanceOf(Divergence.class);
    }
}
