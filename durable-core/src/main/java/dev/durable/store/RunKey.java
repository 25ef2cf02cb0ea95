package dev.durable.store;

import dev.durable.internal.text.Bounds;
import java.util.Comparator;
import java.util.UUID;

/**
 * Identifies a run by its run id and its workflow id. The shard follows from the workflow id as well as from the run
 * id.
 *
 * @param runId a UUIDv7 with ten bits of hash(workflow id) behind the time
 * @param workflowId the business identity
 */
public record RunKey(UUID runId, String workflowId) {

    /** The order in which runs are locked: (shard, workflow id) by code point bytes, as the database compares. */
    public static final Comparator<RunKey> LOCK_ORDER =
            Comparator.comparingInt(RunKey::shard).thenComparing(RunKey::workflowId, Utf8Order.INSTANCE);

    /** The workflow id as logs show it. */
    public String shown() {
        return Bounds.shown(workflowId);
    }

    @Override
    public String toString() {
        return shown() + " (run " + runId + ")";
    }

    /** The shard of the run, 0 to 1023. */
    public int shard() {
        return RunIds.shard(runId);
    }
}
