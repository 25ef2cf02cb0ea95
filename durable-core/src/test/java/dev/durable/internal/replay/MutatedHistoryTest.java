package dev.durable.internal.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.history.ActivityCancelRequested;
import dev.durable.history.ActivityScheduled;
import dev.durable.history.CallbackCancelled;
import dev.durable.history.CallbackOpened;
import dev.durable.history.ChildCancelRequested;
import dev.durable.history.ChildSignalRequested;
import dev.durable.history.ChildStartRequested;
import dev.durable.history.ChildStartWatched;
import dev.durable.history.ExternalCancelRequested;
import dev.durable.history.ExternalSignalRequested;
import dev.durable.history.Failure;
import dev.durable.history.HistoryEvent;
import dev.durable.history.Payload;
import dev.durable.history.SideEffectRecorded;
import dev.durable.history.StreamAppended;
import dev.durable.history.TimerCancelled;
import dev.durable.history.TimerStarted;
import dev.durable.history.UpdateCompleted;
import dev.durable.history.UpdateFailed;
import dev.durable.history.VersionRecorded;
import dev.durable.internal.replay.match.Divergence;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** A test of the tests: every command of random histories, changed in every way, is found. */
class MutatedHistoryTest {
    private static final int PROGRAMS = Integer.getInteger("durable.replay.programs", 300) / 15;

    @Test
    void every_changed_command_is_found() {
        int[] mutants = {0};
        List<String> survivors = new ArrayList<>();
        LongStream.rangeClosed(1, PROGRAMS).forEach(seed -> {
            RandomWorld world = new RandomWorld(seed, key -> RandomWorld.sound(key, true)).live(20);
            for (int turn = 0; turn < world.turns().size(); turn++) {
                for (List<HistoryEvent.Command> mutant :
                        mutants(world.turns().get(turn).commands())) {
                    mutants[0]++;
                    if (!isFound(world, turn, mutant)) {
                        survivors.add("seed " + seed + " turn " + turn + " " + mutant);
                    }
                }
            }
        });
        assertThat(survivors).isEmpty();
        assertThat(mutants[0]).isGreaterThan(PROGRAMS);
    }

    private static boolean isFound(RandomWorld world, int turn, List<HistoryEvent.Command> mutant) {
        WorkflowInstance instance = RandomWorld.sound(world.key(), true);
        try {
            instance.replay(world.turns().subList(0, turn));
            instance.replay(world.turns().get(turn).event(), mutant);
            return false;
        } catch (Divergence found) {
            return true;
        } finally {
            instance.evict();
        }
    }

    private static List<List<HistoryEvent.Command>> mutants(List<HistoryEvent.Command> commands) {
        List<List<HistoryEvent.Command>> mutants = new ArrayList<>();
        for (int i = 0; i < commands.size(); i++) {
            HistoryEvent.Command command = commands.get(i);
            if (command instanceof VersionRecorded) {
                continue;
            }
            for (HistoryEvent.Command other : others(command)) {
                mutants.add(with(commands, i, List.of(other)));
            }
            mutants.add(with(commands, i, List.of()));
            mutants.add(with(commands, i, List.of(command, command)));
        }
        return mutants;
    }

    private static List<HistoryEvent.Command> others(HistoryEvent.Command command) {
        return switch (command) {
            case ActivityScheduled c ->
                List.of(
                        new ActivityScheduled(
                                c.id(), c.at(), c.seq() + 1, c.activity(), c.taskQueue(), c.input(), c.options()),
                        new ActivityScheduled(c.id(), c.at(), c.seq(), "Other", c.taskQueue(), c.input(), c.options()),
                        new ActivityScheduled(c.id(), c.at(), c.seq(), c.activity(), "other", c.input(), c.options()),
                        new ActivityScheduled(
                                c.id(), c.at(), c.seq(), c.activity(), c.taskQueue(), new Payload("[1]"), c.options()),
                        new ActivityCancelRequested(c.id(), c.at(), c.seq()));
            case ActivityCancelRequested c ->
                List.of(
                        new ActivityCancelRequested(c.id(), c.at(), c.seq() + 1),
                        new TimerCancelled(c.id(), c.at(), c.seq()));
            case TimerStarted c ->
                List.of(
                        new TimerStarted(c.id(), c.at(), c.seq() + 1, c.fireAt()),
                        new TimerStarted(c.id(), c.at(), c.seq(), c.fireAt().plusNanos(1_000)),
                        new TimerCancelled(c.id(), c.at(), c.seq()));
            case TimerCancelled c ->
                List.of(
                        new TimerCancelled(c.id(), c.at(), c.seq() + 1),
                        new ActivityCancelRequested(c.id(), c.at(), c.seq()));
            case SideEffectRecorded c -> List.of(new TimerCancelled(c.id(), c.at(), 1));
            case StreamAppended c ->
                List.of(
                        new StreamAppended(c.id(), c.at(), "other", c.value()),
                        new StreamAppended(c.id(), c.at(), c.stream(), new Payload("[99]")),
                        new TimerCancelled(c.id(), c.at(), 1));
            case VersionRecorded c -> List.of();
            case ExternalSignalRequested c ->
                List.of(
                        new ExternalSignalRequested(
                                c.id(), c.at(), c.number() + 1, c.workflowId(), c.signal(), c.input()),
                        new ExternalSignalRequested(c.id(), c.at(), c.number(), "another", c.signal(), c.input()),
                        new ExternalSignalRequested(c.id(), c.at(), c.number(), c.workflowId(), "other", c.input()),
                        new ExternalSignalRequested(
                                c.id(), c.at(), c.number(), c.workflowId(), c.signal(), new Payload("[99]")),
                        new ExternalCancelRequested(c.id(), c.at(), c.number(), c.workflowId(), "x"));
            case ExternalCancelRequested c ->
                List.of(
                        new ExternalCancelRequested(c.id(), c.at(), c.number() + 1, c.workflowId(), c.reason()),
                        new ExternalCancelRequested(c.id(), c.at(), c.number(), "another", c.reason()),
                        new ExternalCancelRequested(c.id(), c.at(), c.number(), c.workflowId(), "another reason"));
            case UpdateCompleted c ->
                List.of(
                        new UpdateCompleted(c.id(), c.at(), "other", c.result()),
                        new UpdateCompleted(c.id(), c.at(), c.updateId(), new Payload("-1")),
                        new UpdateFailed(c.id(), c.at(), c.updateId(), Failure.of("x", "y")));
            case UpdateFailed c ->
                List.of(
                        new UpdateFailed(c.id(), c.at(), "other", c.failure()),
                        new UpdateFailed(
                                c.id(),
                                c.at(),
                                c.updateId(),
                                Failure.of(c.failure().type(), "other")),
                        new UpdateCompleted(c.id(), c.at(), c.updateId(), Payload.NULL));
            case ChildStartRequested c ->
                List.of(
                        start(c, c.number() + 1, c.message(), c.workflowId(), c.workflowType(), c.input()),
                        start(c, c.number(), c.message() + 1, c.workflowId(), c.workflowType(), c.input()),
                        start(c, c.number(), c.message(), c.workflowId(), "Other", c.input()),
                        start(c, c.number(), c.message(), c.workflowId(), c.workflowType(), new Payload("[99]")),
                        new ChildStartWatched(c.id(), c.at(), c.number(), c.message()));
            case ChildCancelRequested c ->
                List.of(
                        new ChildCancelRequested(
                                c.id(), c.at(), c.number() + 1, c.message(), c.reason(), c.terminate()),
                        new ChildCancelRequested(c.id(), c.at(), c.number(), c.message(), "other", c.terminate()),
                        new ChildCancelRequested(c.id(), c.at(), c.number(), c.message(), c.reason(), !c.terminate()));
            case ChildSignalRequested c ->
                List.of(
                        new ChildSignalRequested(c.id(), c.at(), c.number() + 1, c.message(), c.signal(), c.input()),
                        new ChildSignalRequested(c.id(), c.at(), c.number(), c.message(), "other", c.input()),
                        new ChildSignalRequested(
                                c.id(), c.at(), c.number(), c.message(), c.signal(), new Payload("[99]")));
            case ChildStartWatched c ->
                List.of(
                        new ChildStartWatched(c.id(), c.at(), c.number() + 1, c.message()),
                        new ChildStartWatched(c.id(), c.at(), c.number(), c.message() + 1));
            case CallbackOpened c ->
                List.of(
                        new CallbackOpened(c.id(), c.at(), c.number() + 1, c.callback()),
                        new CallbackCancelled(c.id(), c.at(), c.number(), c.callback()));
            case CallbackCancelled c ->
                List.of(
                        new CallbackCancelled(c.id(), c.at(), c.number() + 1, c.callback()),
                        new CallbackOpened(c.id(), c.at(), c.number(), c.callback()));
        };
    }

    private static ChildStartRequested start(
            ChildStartRequested c, long number, long message, String workflowId, String type, Payload input) {
        return new ChildStartRequested(
                c.id(),
                c.at(),
                number,
                message,
                workflowId,
                c.runId(),
                type,
                c.taskQueue(),
                input,
                c.options(),
                c.retry());
    }

    private static List<HistoryEvent.Command> with(
            List<HistoryEvent.Command> commands, int index, List<HistoryEvent.Command> instead) {
        List<HistoryEvent.Command> mutant = new ArrayList<>(commands);
        mutant.remove(index);
        mutant.addAll(index, instead);
        return mutant;
    }
}
