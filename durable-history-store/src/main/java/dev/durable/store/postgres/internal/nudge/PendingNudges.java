package dev.durable.store.postgres.internal.nudge;

import dev.durable.store.Nudges;
import dev.durable.store.postgres.internal.sql.NudgePassage;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Collects nudges for the runs and jobs that a transaction made due or closed, and sends them after the commit. */
public final class PendingNudges {
    private final Set<Nudges.Nudge> nudges = new LinkedHashSet<>();
    private @Nullable NudgePassage passage;
    /** The nudges that the passage sends; null for all. */
    private @Nullable Set<Nudges.Nudge> carried;

    public void runs(String taskQueue) {
        nudges.add(new Nudges.RunsDue(taskQueue));
    }

    public void jobs(String taskQueue) {
        nudges.add(new Nudges.JobsReady(taskQueue));
    }

    public void buried() {
        nudges.add(new Nudges.JobBuried());
    }

    public void closed(UUID runId) {
        nudges.add(new Nudges.RunClosed(runId));
    }

    public void outbox() {
        nudges.add(new Nudges.OutboxFilled());
    }

    public void answered(UUID runId) {
        nudges.add(new Nudges.UpdateAnswered(runId));
    }

    public void written(UUID chainId) {
        nudges.add(new Nudges.StreamWritten(chainId));
    }

    public void sendTo(Nudges listeners) {
        if (!nudges.isEmpty()) {
            listeners.send(nudges);
        }
    }

    /** The passage that sends the nudges to other processes after the COMMIT; null if none can be sent so. */
    @Nullable
    public NudgePassage passage(SharedNudges listeners) {
        return nudges.isEmpty() ? null : listeners.passage(nudges);
    }

    /** Returns whether all of these nudges are among those. */
    public boolean areAmong(PendingNudges those) {
        return those.nudges.containsAll(nudges);
    }

    /** Sets the passage that sends the nudges; if it gets through, only listeners of this process get them. */
    public void took(@Nullable NudgePassage taken) {
        passage = taken;
    }

    /**
     * Returns a passage that sends the nudges that there are by now, for the transaction that is about to commit; null if
     * none can be sent so. {@link #spreadBy} sends those that come with the answer to that commit.
     */
    @Nullable
    public NudgePassage carriedBy(SharedNudges listeners) {
        carried = Set.copyOf(nudges);
        passage = passage(listeners);
        return passage;
    }

    /** Sends the nudges within this process, and to others unless a passage has done so. */
    public void spreadBy(SharedNudges listeners) {
        if (passage != null && passage.hasArrived()) {
            listeners.deliver(nudges);
            Set<Nudges.Nudge> left = new LinkedHashSet<>(nudges);
            left.removeAll(carried == null ? nudges : carried);
            listeners.sendElsewhere(left);
        } else {
            sendTo(listeners);
        }
    }
}
