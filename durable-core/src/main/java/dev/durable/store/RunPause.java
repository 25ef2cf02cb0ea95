package dev.durable.store;

import dev.durable.history.JsonObjectWriter;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Pauses or resumes a run: writes one event and replaces the fence, so that whoever holds the run can't go on. Sent
 * again, or where it is so already, it changes nothing.
 *
 * @param workflowId whose current run
 * @param runId exactly this run; null is the current one
 * @param pause whether it is paused, or resumed
 * @param newFence random; also the id of the row in the audit
 * @param eventType type of its event
 * @param attributes of its event
 * @param actor who, for the audit
 */
public record RunPause(
        String workflowId,
        @Nullable UUID runId,
        boolean pause,
        UUID newFence,
        String eventType,
        String attributes,
        String actor) {
    /** As the audit calls it. */
    public String action() {
        return pause ? "pause run" : "resume run";
    }

    /** What else the audit says: a JSON object. */
    public static String details(UUID run) {
        return JsonObjectWriter.object(out -> out.uuid("runId", run));
    }

    @Override
    public String toString() {
        return "RunPause[" + workflowId + ", " + runId + ", pause=" + pause + ", actor=" + actor + "]";
    }
}
