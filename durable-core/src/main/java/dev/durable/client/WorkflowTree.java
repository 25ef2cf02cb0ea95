package dev.durable.client;

import java.util.Map;

/**
 * A workflow with all children below it, as {@link WorkflowHandle#tree} gives it: to look at those that are open, and to
 * cancel or terminate all of them with one call, also those that their parent-close policy would leave alone. Thread-safe.
 */
public interface WorkflowTree {
    /** Returns how many runs of the tree are open now, by workflow type: the runs that a call of the others reaches. */
    Map<String, Long> openRuns();

    /**
     * Asks each open run of the tree to cancel, from the top down, until none is left that was not asked. Runs that the
     * code of a cancelled run starts after that are not asked. A call that is broken off has asked some of them: it may be
     * made again.
     *
     * @return how many runs were asked
     */
    long cancel(String reason);

    /**
     * Terminates each open run of the tree, from the top down, until none is left. A child whose start was still under
     * way, and whose parent-close policy is to be abandoned, may start after that.
     *
     * @return how many runs were terminated by this call; children whose parent-close policy had terminated them before
     *     are not counted
     */
    long terminate(String reason);
}
