package dev.durable.internal.replay.call;

import dev.durable.UsageException;
import dev.durable.history.HistoryEvent;
import dev.durable.history.VersionRecorded;
import dev.durable.internal.replay.coroutine.Dispatcher;
import dev.durable.internal.replay.coroutine.Eviction;
import dev.durable.internal.text.Bounds;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Returns the value of {@code Durable.version} for one run: the recorded value, else the first value returned before;
 * in a replayed turn without either 0; else the maximum, which is recorded.
 */
public final class Versions {
    private final CurrentTurn journal;
    private final Dispatcher dispatcher;
    private final Map<String, Integer> answers = new HashMap<>();

    Versions(CurrentTurn journal, Dispatcher dispatcher) {
        this.journal = journal;
        this.dispatcher = dispatcher;
    }

    /**
     * Reads the recorded versions before a turn of the history is made again: calls may stand earlier or later in it,
     * or be gone.
     */
    public void learn(List<HistoryEvent.Command> recorded) {
        for (HistoryEvent.Command command : recorded) {
            if (command instanceof VersionRecorded version) {
                answers.put(version.changeId(), version.version());
            }
        }
    }

    int ask(String changeId, int min, int max) {
        if (changeId.isBlank() || min < 0 || min > max) {
            throw new UsageException("Durable.version(" + Bounds.quoted(changeId) + ", " + min + ", " + max
                    + ") needs a change id and 0 <= min <= max");
        }
        Integer known = answers.get(changeId);
        int version = known != null ? known : first(changeId, max);
        if (version < min || version > max) {
            throw unsupported(changeId, version, min, max);
        }
        return version;
    }

    private int first(String changeId, int max) {
        int version = journal.isLive() ? record(changeId, max) : 0;
        answers.put(changeId, version);
        return version;
    }

    /** Returns the recorded version, whatever the bounds were then, or records one. */
    private int record(String changeId, int max) {
        try {
            Bounds.name("Durable.version(…): the change id", changeId);
        } catch (IllegalArgumentException e) {
            throw new UsageException(String.valueOf(e.getMessage()), e);
        }
        return journal.put((id, at) -> new VersionRecorded(id, at, changeId, max))
                .version();
    }

    private Eviction unsupported(String changeId, int version, int min, int max) {
        dispatcher.die(dispatcher.threads().unsupportedVersion(changeId, version, min, max));
        return Eviction.INSTANCE;
    }
}
