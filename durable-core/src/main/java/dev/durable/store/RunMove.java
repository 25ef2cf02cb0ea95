package dev.durable.store;

import dev.durable.internal.json.JsonObjectWriter;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Lets a run go on at once: ends the back-off of a stall and, where a build is named, pins the run to that. It replaces the
 * fence, so that a process of another build that holds the run can't go on. If it is sent again, the run is pinned to that
 * build already, or no back-off holds back a run that is to stay where it is, it changes nothing.
 *
 * @param workflowId the workflow id whose current run is meant
 * @param runId exactly this run; null is the current one
 * @param build the build that alone goes on with the run; null leaves the run to the builds that may go on with it now
 * @param newFence not used for this run before; also the id of the row in the audit
 * @param actor the operator's name, for the audit; null writes no row there
 */
public record RunMove(
        String workflowId,
        @Nullable UUID runId,
        @Nullable String build,
        UUID newFence,
        @Nullable String actor) {

    /** Returns the name of the action in the audit. */
    public String action() {
        return build == null ? "retry run" : "move run";
    }

    /** The details of the row in the audit: a JSON object. */
    public String details(UUID run) {
        return JsonObjectWriter.object(out -> {
            out.uuid("runId", run);
            if (build != null) {
                out.string("build", build);
            }
        });
    }

    @Override
    public String toString() {
        return "RunMove[" + workflowId + ", " + runId + ", build=" + build + ", actor=" + actor + "]";
    }
}
