package dev.durable.history;

import dev.durable.internal.json.JsonObjectReader;
import dev.durable.internal.json.JsonObjectWriter;
import java.util.UUID;

/**
 * The parent of a child, and the root of its tree, as the child's first event names them.
 *
 * @param workflowId the workflow id of the parent
 * @param chain the chain of the parent: the run id of its first run
 * @param number the number of the child among the children of that chain
 * @param depth how many parents the child has above it: 1 for the child of a run that no workflow has started
 * @param rootWorkflowId the workflow id of the run that no workflow has started, at the top
 * @param rootChain the chain of that run
 */
public record ParentRun(String workflowId, UUID chain, long number, int depth, String rootWorkflowId, UUID rootChain) {
    /** Writes its components as properties. */
    public static void write(ParentRun parent, JsonObjectWriter out) {
        out.string("workflowId", parent.workflowId)
                .uuid("chain", parent.chain)
                .number("number", parent.number)
                .number("depth", (long) parent.depth)
                .string("rootWorkflowId", parent.rootWorkflowId)
                .uuid("rootChain", parent.rootChain);
    }

    /** Reads what {@link #write} has written. */
    public static ParentRun read(JsonObjectReader in) {
        return new ParentRun(
                in.string("workflowId"),
                in.uuid("chain"),
                in.number("number"),
                in.integer("depth"),
                in.string("rootWorkflowId"),
                in.uuid("rootChain"));
    }
}
