package dev.durable.store.postgres;

import dev.durable.store.Nudges;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What a transaction made due or closed; told to the nudges once it has committed. */
final class Hints {
    private final Set<Nudges.Nudge> nudges = new LinkedHashSet<>();
    private boolean passedOn;

    void runs(String taskQueue) {
        nudges.add(new Nudges.RunsDue(taskQueue));
    }

    void jobs(String taskQueue) {
        nudges.add(new Nudges.JobsReady(taskQueue));
    }

    void closed(UUID runId) {
        nudges.add(new Nudges.RunClosed(runId));
    }

    void sendTo(Nudges listeners) {
        if (!nudges.isEmpty()) {
            listeners.send(nudges);
        }
    }

    /** As {@link #sendTo}, where others may know by a {@link #passage}. */
    void sendTo(SharedNudges listeners) {
        if (passedOn) {
            listeners.tell(nudges);
        } else {
            sendTo((Nudges) listeners);
        }
    }

    /** What takes it to other processes together with the transaction; null when there is nothing, or no way. */
    NudgeChannel.@Nullable Passage passage(SharedNudges listeners) {
        return nudges.isEmpty() ? null : listeners.passage(nudges);
    }

    /** Other processes were told with the transaction. */
    void passedOn() {
        passedOn = true;
    }
}
