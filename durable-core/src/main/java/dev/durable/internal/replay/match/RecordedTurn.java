package dev.durable.internal.replay.match;

import dev.durable.history.FirstTurnStarted;
import dev.durable.history.HistoryEvent;
import dev.durable.history.WorkflowForked;
import dev.durable.history.WorkflowStarted;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One turn read from a history: the inbound event and the commands behind it.
 *
 * @param event the inbound event
 * @param at when it was fed: the event's own time, except for a first turn that was made later than the run was started
 * @param commands the commands behind it
 * @param withNext whether it is a first turn in which the code waits for the messages behind it, see {@link FirstTurnStarted}
 * @param forks the forks between this turn and the next, at which the run became another one
 */
public record RecordedTurn(
        HistoryEvent.Inbound event,
        Instant at,
        List<HistoryEvent.Command> commands,
        boolean withNext,
        List<WorkflowForked> forks) {

    public RecordedTurn {
        commands = List.copyOf(commands);
        forks = List.copyOf(forks);
    }

    /** Creates a turn at the time of its event. */
    public RecordedTurn(HistoryEvent.Inbound event, List<HistoryEvent.Command> commands) {
        this(event, event.at(), commands, false, List.of());
    }

    /** Returns the turns of these events; informing and closing events belong to none. */
    public static List<RecordedTurn> of(Iterable<? extends HistoryEvent> events) {
        List<RecordedTurn> turns = new ArrayList<>();
        Reader reader = new Reader(turns::add);
        events.forEach(reader::read);
        reader.end();
        return turns;
    }

    /** Collects turns from events that come one by one. */
    public static final class Reader {
        private final Consumer<RecordedTurn> turns;
        private final List<HistoryEvent.Command> commands = new ArrayList<>();
        private final List<WorkflowForked> forks = new ArrayList<>(0);
        private HistoryEvent.@Nullable Inbound event;
        private Instant at = Instant.EPOCH;
        private boolean withNext;

        public Reader(Consumer<RecordedTurn> turns) {
            this.turns = turns;
        }

        /** Reads the next event of the history. */
        public void read(HistoryEvent next) {
            switch (next) {
                case HistoryEvent.Inbound inbound -> {
                    end();
                    event = inbound;
                    at = inbound.at();
                    withNext = false;
                }
                case HistoryEvent.Command command -> commands.add(command);
                case FirstTurnStarted first -> firstTurn(first);
                case WorkflowForked fork -> forks.add(fork);
                case HistoryEvent.Informing ignored -> {}
                case HistoryEvent.Closing ignored -> {}
            }
        }

        private void firstTurn(FirstTurnStarted first) {
            if (event instanceof WorkflowStarted) {
                at = first.at();
                withNext = first.withNext();
            }
        }

        /** Ends the last turn at the end of the history. */
        public void end() {
            HistoryEvent.Inbound begun = event;
            if (begun != null) {
                turns.accept(new RecordedTurn(begun, at, commands, withNext, forks));
                commands.clear();
                forks.clear();
                event = null;
            }
        }
    }
}
