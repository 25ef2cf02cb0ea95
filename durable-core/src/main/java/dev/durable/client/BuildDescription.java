package dev.durable.client;

import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A build of the workflow code, as the processes that have it and the open runs that need it show it.
 *
 * @param name its name, as {@code builder.build(…)} gives it
 * @param workers how many living processes have it; one that died counts up to a session lease longer
 * @param taskQueues the task queues that these serve
 * @param servedAlone those of them that no living process of another build, or without one, serves
 * @param servedSince when the first of these processes began; null without one
 * @param openRuns open runs whose last turn it made, counted among 100,000 open runs where there are more
 * @param pinnedRuns open runs that it alone goes on with, counted up to 100,000
 * @param ramp the share of new runs that it gets in percent; null where it has no ramp
 */
public record BuildDescription(
        String name,
        int workers,
        Set<String> taskQueues,
        Set<String> servedAlone,
        @Nullable Instant servedSince,
        BoundedCount openRuns,
        BoundedCount pinnedRuns,
        @Nullable Integer ramp) {

    public BuildDescription {
        taskQueues = Set.copyOf(taskQueues);
        servedAlone = Set.copyOf(servedAlone);
    }

    /**
     * Returns whether its processes may be stopped for good: no open run is pinned to it, and each of its task queues is
     * served by others, too. Its other open runs go on there.
     */
    public boolean canBeRetired() {
        return pinnedRuns.count() == 0 && servedAlone.isEmpty();
    }
}
