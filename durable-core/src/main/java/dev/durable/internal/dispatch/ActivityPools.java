package dev.durable.internal.dispatch;

import dev.durable.internal.attempt.ActivityQueue;
import dev.durable.internal.attempt.ActivitySlots;
import dev.durable.internal.drive.Drive;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;

/**
 * The task queues that this process serves, each with slots and threads of its own or in a pool that shares both.
 *
 * @param queues the queues by name
 * @param pools the pools; each queue is in one
 */
public record ActivityPools(Map<String, ActivityQueue> queues, List<ActivityPool> pools) {

    public static ActivityPools of(Map<String, QueueSettings> settings, Drive drive) {
        Map<String, ActivityQueue> queues = new LinkedHashMap<>();
        Map<String, Map<ActivityQueue, Integer>> members = new LinkedHashMap<>();
        List<ActivityPool> pools = new ArrayList<>();
        settings.forEach((name, queue) -> {
            if (queue.pool() == null) {
                ActivityQueue own = new ActivityQueue(
                        name, new ActivitySlots(queue.slots()), drive.activities(name, queue.virtualThreads()));
                queues.put(name, own);
                pools.add(ActivityPool.of(own));
            } else {
                members.computeIfAbsent(queue.pool(), pool -> new LinkedHashMap<>());
            }
        });
        members.forEach((pool, weights) -> {
            QueueSettings shared = settings.values().stream()
                    .filter(queue -> pool.equals(queue.pool()))
                    .findFirst()
                    .orElseThrow();
            ActivitySlots slots = new ActivitySlots(shared.slots());
            Executor threads = drive.activities(pool, shared.virtualThreads());
            settings.forEach((name, queue) -> {
                if (pool.equals(queue.pool())) {
                    ActivityQueue member = new ActivityQueue(name, slots, threads);
                    queues.put(name, member);
                    weights.put(member, queue.weight());
                }
            });
            pools.add(new ActivityPool(pool, slots, weights));
        });
        return new ActivityPools(queues, pools);
    }
}
