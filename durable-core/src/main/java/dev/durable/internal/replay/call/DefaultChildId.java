package dev.durable.internal.replay.call;

import dev.durable.client.StartOptions;
import dev.durable.history.WorkflowStarted;
import dev.durable.internal.text.Bounds;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * The workflow id of a child for which the code gives none: {@code <parent id>:<4 characters of the chain>-<number>}. One
 * that would be too long has a hash in place of the end of the parent's id.
 */
final class DefaultChildId {
    private static final int OF_CHAIN = 4;
    private static final int HASH = 16;

    private DefaultChildId() {}

    static String of(WorkflowStarted parent, long number) {
        String chain = parent.chainId().toString();
        String suffix = ":" + chain.substring(chain.length() - OF_CHAIN) + "-" + number;
        String id = parent.workflowId();
        if (id.length() + suffix.length() <= StartOptions.MAX_ID_LENGTH) {
            return id + suffix;
        }
        UUID hashed = UUID.nameUUIDFromBytes(id.getBytes(StandardCharsets.UTF_8));
        String hash = Bounds.cut(hashed.toString().replace("-", ""), HASH);
        return Bounds.cut(id, StartOptions.MAX_ID_LENGTH - suffix.length() - HASH - 1) + "~" + hash + suffix;
    }
}
