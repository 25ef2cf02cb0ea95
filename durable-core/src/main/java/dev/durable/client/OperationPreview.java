package dev.durable.client;

import java.util.Map;

/**
 * The runs that a verb would concern.
 *
 * @param types how many runs there are, by workflow type and status
 * @param atLeast whether there are more than were counted
 */
public record OperationPreview(Map<String, Map<WorkflowStatus, Long>> types, boolean atLeast) {
    public OperationPreview {
        types = Map.copyOf(types);
    }

    /** How many runs were counted. */
    public long total() {
        return types.values().stream()
                .flatMap(byStatus -> byStatus.values().stream())
                .mapToLong(Long::longValue)
                .sum();
    }
}
