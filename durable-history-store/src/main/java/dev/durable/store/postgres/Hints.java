package dev.durable.store.postgres;

import dev.durable.store.Nudges;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.UUID;

/** What a transaction made due or closed; told to the nudges once it has committed. */
final class Hints {
    private final Set<Nudges.Nudge> nudges = new LinkedHashSet<>();

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
}
