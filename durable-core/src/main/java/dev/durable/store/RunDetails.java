package dev.durable.store;

import dev.durable.client.WorkflowDescription.Parent;
import dev.durable.client.WorkflowDescription.PendingActivity;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The values that the description of a run shows beyond its row in a listing.
 *
 * @param run the run
 * @param historyLength events so far
 * @param stalledBy why it can't go on for now; null when it can
 * @param ownedUntil until when a claim owns it; null if none does
 * @param lastSession the session that had it last
 * @param wakeAt when its earliest timer is due
 * @param messages how many messages wait
 * @param jobs its open activities
 * @param startedBy the client that started it; null if its history does not name it
 * @param paused whether an operator has paused it
 * @param parent the workflow that started it as its child; null where none did
 */
public record RunDetails(
        RunRecord run,
        long historyLength,
        @Nullable String stalledBy,
        @Nullable Instant ownedUntil,
        @Nullable UUID lastSession,
        @Nullable Instant wakeAt,
        int messages,
        List<PendingActivity> jobs,
        @Nullable String startedBy,
        boolean paused,
        @Nullable Parent parent) {

    public RunDetails {
        jobs = List.copyOf(jobs);
    }

    @Override
    public String toString() {
        return "RunDetails[" + run + ", historyLength=" + historyLength + ", jobs=" + jobs + "]";
    }
}
