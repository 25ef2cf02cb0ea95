package dev.durable.store;

import dev.durable.internal.json.JsonObjectWriter;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Pauses or resumes a run: writes one event and replaces the fence, so that the process that holds the run can't go on.
 * If it is sent again, or the run is in that state already, it changes nothing.
 *
 * @param workflowId the workflow id whose current run is meant
 * @param runId exactly this run; null is the current one
 * @param pause whether the run is to be paused; else it is to be resumed
 * @param newFence not used for this run before; also the id of the row in the audit
 * @param eventType the type of the event
 * @param attributes the attributes of the event
 * @param actor the operator's name, for the audit; null writes no row there
 */
public record RunPause(
        String workflowId,
        @Nullable UUID runId,
        boolean pause,
        UUID newFence,
        String eventType,
        String attributes,
        @Nullable String actor) {
    /** The name of the action in the audit. */
    public String action() {
        return pause ? "pause run" : "resume run";
    }

    /** The details of the row in the audit: a JSON object. */
    public static String details(UUID run) {
        return JsonObjectWriter.object(out -> out.uuid("runId", run));
    }

    @Override
    public String toString() {
        return "RunPause[" + workflowId + ", " + runId + ", pause=" + pause + ", actor=" + actor + "]";
    }
}
