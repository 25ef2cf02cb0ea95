package dev.durable.store.postgres;

import dev.durable.store.Nudges;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Collects what a transaction made due or closed, and sends it as nudges after the commit. */
final class Hints {
    private final Set<Nudges.Nudge> nudges = new LinkedHashSet<>();
    private @Nullable NudgePassage passage;

    void runs(String taskQueue) {
        nudges.add(new Nudges.RunsDue(taskQueue));
    }

    void jobs(String taskQueue) {
        nudges.add(new Nudges.JobsReady(taskQueue));
    }

    void buried() {
        nudges.add(new Nudges.JobBuried());
    }

    void closed(UUID runId) {
        nudges.add(new Nudges.RunClosed(runId));
    }

    void sendTo(Nudges listeners) {
        if (!nudges.isEmpty()) {
            listeners.send(nudges);
        }
    }

    /** What takes them to other processes together with the transaction; null when there are none, or no way. */
    @Nullable
    NudgePassage passage(SharedNudges listeners) {
        return nudges.isEmpty() ? null : listeners.passage(nudges);
    }

    /** The nudges travel with this passage; once it has arrived, only listeners of this process must be told. */
    void took(@Nullable NudgePassage taken) {
        passage = taken;
    }

    /** Sends the nudges within this process, and to others unless a passage has done so. */
    void spreadBy(SharedNudges listeners) {
        if (passage != null && passage.hasArrived()) {
            listeners.tell(nudges);
        } else {
            sendTo(listeners);
        }
    }
}
