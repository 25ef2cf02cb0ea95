package dev.durable.internal.dispatch;

import dev.durable.internal.attempt.ActivityQueue;
import dev.durable.internal.attempt.ActivitySlots;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Task queues that share slots, each with a weight: while all of them have jobs, each gets its part of the claimed
 * slots; slots that one queue does not use go to the others. Not thread-safe: belongs to the loop that claims.
 */
public final class ActivityPool {
    private final String name;
    private final ActivitySlots slots;
    private final List<Member> members;

    /**
     * @param name the name of the pool, or of its only queue
     * @param slots the slots that all queues share
     * @param weights the queues, each with its weight
     */
    ActivityPool(String name, ActivitySlots slots, Map<ActivityQueue, Integer> weights) {
        this.name = name;
        this.slots = slots;
        this.members = weights.entrySet().stream()
                .map(entry -> new Member(entry.getKey(), entry.getValue()))
                .sorted(Comparator.comparingInt((Member member) -> -member.weight)
                        .thenComparing(member -> member.queue.name()))
                .toList();
    }

    /** Creates the pool of a queue with slots of its own. */
    public static ActivityPool of(ActivityQueue queue) {
        return new ActivityPool(queue.name(), queue.slots(), Map.of(queue, 1));
    }

    public String name() {
        return name;
    }

    ActivitySlots slots() {
        return slots;
    }

    /** Returns the queues, the heaviest first. */
    public List<ActivityQueue> queues() {
        return members.stream().map(member -> member.queue).toList();
    }

    /**
     * Returns how many of so many slots each queue gets first; over time in proportion to the weights (smooth round
     * robin).
     */
    Map<ActivityQueue, Integer> share(int count, List<ActivityQueue> among) {
        List<Member> sharing =
                members.stream().filter(member -> among.contains(member.queue)).toList();
        Map<ActivityQueue, Integer> shares = new LinkedHashMap<>();
        int total = sharing.stream().mapToInt(member -> member.weight).sum();
        for (int i = 0; i < count && !sharing.isEmpty(); i++) {
            sharing.forEach(member -> member.credit += member.weight);
            Member next = sharing.stream()
                    .max(Comparator.comparingInt(member -> member.credit))
                    .orElseThrow();
            next.credit -= total;
            shares.merge(next.queue, 1, Integer::sum);
        }
        return shares;
    }

    private static final class Member {
        private final ActivityQueue queue;
        private final int weight;
        private int credit;

        Member(ActivityQueue queue, int weight) {
            this.queue = queue;
            this.weight = weight;
        }
    }
}
