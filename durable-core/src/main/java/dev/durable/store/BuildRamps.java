package dev.durable.store;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which build gets which of the unpinned runs, where operators have set ramps. A run's place is its {@linkplain
 * RunIds#shardOf shard}, a hash of its workflow id. The ramps are laid over the shards one behind the other, the one that
 * was set last first. What they leave belongs to the builds without a ramp; where no process of such a build serves the
 * queue, to the ramp that was set first.
 *
 * @param ramps the ramps, the one that was set last first
 * @param builds the builds of the living processes that serve a task queue, {@link #UNNAMED} among them for processes that
 *     name none; without ramps it may be empty
 */
public record BuildRamps(List<Ramp> ramps, Map<String, Set<String>> builds) {
    /** The state without ramps, in which any build begins and goes on with any unpinned run. */
    public static final BuildRamps NONE = new BuildRamps(List.of(), Map.of());

    /** Stands for all processes that name no build. */
    public static final String UNNAMED = "";

    /** How long a run waits for a process of the build whose share it is in, before others may take it. */
    public static final Duration PATIENCE = Duration.ofSeconds(5);

    public BuildRamps {
        ramps = List.copyOf(ramps);
        builds = Map.copyOf(builds);
    }

    /**
     * The ramp of a build.
     *
     * @param build its name
     * @param percent how much of the runs it gets, from 0 to 100
     */
    public record Ramp(String build, int percent) {}

    /**
     * The shards of a task queue whose runs a build gets.
     *
     * @param from the first one
     * @param to the one behind the last
     * @param strict whether it takes no others, however long they wait
     */
    public record Share(int from, int to, boolean strict) {
        /** The share of a build where there are no ramps. */
        public static final Share ALL = new Share(0, RunIds.SHARDS, false);

        private static final Share NONE = new Share(0, 0, true);

        /** Returns whether the build gets the runs of this shard. */
        public boolean has(int shard) {
            return shard >= from && shard < to;
        }
    }

    @Override
    public String toString() {
        return "BuildRamps" + ramps;
    }

    /** Returns the share of a build in the runs of a task queue; a build of null is that of a process that names none. */
    public Share of(String taskQueue, @Nullable String build) {
        String own = build == null ? UNNAMED : build;
        if (ramps.stream().anyMatch(ramp -> ramp.build().equals(own) && ramp.percent() == 0)) {
            return Share.NONE;
        }
        Set<String> alive = builds.getOrDefault(taskQueue, Set.of());
        List<Ramp> laid = ramps.stream()
                .filter(ramp -> ramp.percent() > 0 && (ramp.build().equals(own) || alive.contains(ramp.build())))
                .toList();
        boolean others = alive.stream()
                .anyMatch(other -> ramps.stream().noneMatch(ramp -> ramp.build().equals(other)));
        int from = 0;
        for (Ramp ramp : laid) {
            boolean takesRest = !others && ramp.equals(laid.getLast());
            int to = takesRest
                    ? RunIds.SHARDS
                    : Math.min(RunIds.SHARDS, from + Math.round(RunIds.SHARDS * ramp.percent() / 100f));
            if (ramp.build().equals(own)) {
                return new Share(from, to, false);
            }
            from = to;
        }
        return new Share(from, RunIds.SHARDS, false);
    }
}
