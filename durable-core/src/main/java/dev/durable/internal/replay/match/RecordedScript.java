package dev.durable.internal.replay.match;

import dev.durable.history.HistoryEvent;
import dev.durable.history.VersionRecorded;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The {@link TurnScript} of a replayed turn: each command of the code must match the next one of the history by type,
 * number and name. Other recorded attributes stay valid; a different text is a divergence where strict, else counted.
 *
 * <p>Versions are not matched: their calls may come and go. They were learnt before the turn began.
 */
public final class RecordedScript implements TurnScript {
    private final HistoryEvent.Inbound event;
    private final Instant at;
    private final boolean withNext;
    private final List<HistoryEvent.Command> recorded;
    private final Comparison comparison;
    private final List<HistoryEvent.Command> given = new ArrayList<>(2);
    private final List<@Nullable String> lines = new ArrayList<>(2);

    public RecordedScript(RecordedTurn turn, Comparison comparison) {
        this.event = turn.event();
        this.at = turn.at();
        this.withNext = turn.withNext();
        this.recorded = withoutVersions(turn.commands());
        this.comparison = comparison;
    }

    private static List<HistoryEvent.Command> withoutVersions(List<HistoryEvent.Command> recorded) {
        List<HistoryEvent.Command> others = new ArrayList<>(recorded);
        others.removeIf(VersionRecorded.class::isInstance);
        return others;
    }

    @Override
    public HistoryEvent.Inbound event() {
        return event;
    }

    @Override
    public Instant at() {
        return at;
    }

    @Override
    public boolean withNext() {
        return withNext;
    }

    @Override
    public <C extends HistoryEvent.Command> C put(CommandDraft<C> draft) {
        HistoryEvent.Command expected = expected();
        if (expected == null) {
            throw differs(draft.at(event.id() + 1 + given.size(), at));
        }
        C command = draft.at(expected.id(), expected.at());
        if (!Comparison.same(command, expected)
                || !Comparison.sameText(command, expected) && comparison.refusesOtherText()) {
            throw differs(command);
        }
        given.add(command);
        lines.add(comparison.lineIfStrict());
        @SuppressWarnings("unchecked") // the same command is of the same type
        C history = (C) expected;
        return history;
    }

    @Override
    public HistoryEvent.@Nullable Command expected() {
        return given.size() < recorded.size() ? recorded.get(given.size()) : null;
    }

    @Override
    public boolean isLive() {
        return false;
    }

    /** Ends the turn; throws where a command of the history is left. */
    public void end() {
        if (expected() != null) {
            throw differs(null);
        }
    }

    private Divergence differs(HistoryEvent.@Nullable Command command) {
        return comparison.divergence(event, recorded, given, lines, command);
    }
}
