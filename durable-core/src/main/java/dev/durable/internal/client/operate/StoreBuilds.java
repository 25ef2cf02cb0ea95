package dev.durable.internal.client.operate;

import dev.durable.RefusedInputException;
import dev.durable.client.BoundedCount;
import dev.durable.client.BuildDescription;
import dev.durable.client.Builds;
import dev.durable.internal.client.access.ClientCode;
import dev.durable.internal.client.access.Dispatch;
import dev.durable.internal.client.access.WorkflowCode;
import dev.durable.internal.text.Bounds;
import dev.durable.store.BuildRamps;
import dev.durable.store.BuildRuns;
import dev.durable.store.QueueChange;
import dev.durable.store.SessionInfo;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Implements {@link Builds} over the store. */
public record StoreBuilds(
        Dispatch dispatch,
        ClientCode code,
        String actor,
        @Nullable String reason) implements Builds {
    private static final int MOST = 100_000;
    private static final BoundedCount NONE = new BoundedCount(0, false);

    @Override
    public Builds by(String who) {
        return new StoreBuilds(dispatch, code, Bounds.actor(who), reason);
    }

    @Override
    public Builds because(String why) {
        return new StoreBuilds(dispatch, code, actor, Bounds.reason("because", why));
    }

    @Override
    public boolean ramp(String build, int percent) {
        String named = Bounds.build("client.builds().ramp(…)", build);
        if (percent < 0 || percent > 100) {
            throw new RefusedInputException("client.builds().ramp(\"" + named + "\", " + percent + "): the share of new"
                    + " runs is from 0 percent, for a build that is rolled back, to 100.");
        }
        return change(new QueueChange.RampBuild(named, percent));
    }

    @Override
    public boolean endRamp(String build) {
        return change(new QueueChange.RampBuild(Bounds.known("build", build), null));
    }

    private boolean change(QueueChange.What what) {
        WorkflowCode.mayNot("client.builds()." + what.action(), "set it again");
        return dispatch.store().change(new QueueChange(code.random().get(), actor, reason, what));
    }

    @Override
    public List<BuildDescription> list() {
        Dispatch call = dispatch.begun();
        List<SessionInfo> alive = call.store().sessions().stream()
                .filter(session -> !session.dead())
                .toList();
        Map<String, BuildRuns> runs =
                call.store().buildRuns(MOST).stream().collect(Collectors.toMap(BuildRuns::build, Function.identity()));
        Map<String, Integer> ramps = call.store().queueRules(List.of()).ramps().ramps().stream()
                .collect(Collectors.toMap(BuildRamps.Ramp::build, BuildRamps.Ramp::percent));
        Set<String> names = new TreeSet<>(runs.keySet());
        names.addAll(ramps.keySet());
        alive.stream().map(StoreBuilds::buildOf).filter(Objects::nonNull).forEach(names::add);
        return names.stream()
                .map(name -> described(
                        name, alive, runs.getOrDefault(name, new BuildRuns(name, NONE, NONE)), ramps.get(name)))
                .toList();
    }

    @Override
    public BuildDescription describe(String build) {
        String known = Bounds.known("build", build);
        return list().stream()
                .filter(found -> found.name().equals(known))
                .findFirst()
                .orElseGet(() -> new BuildDescription(known, 0, Set.of(), Set.of(), null, NONE, NONE, null));
    }

    private static BuildDescription described(
            String name, List<SessionInfo> alive, BuildRuns runs, @Nullable Integer ramp) {
        Map<Boolean, List<SessionInfo>> own =
                alive.stream().collect(Collectors.partitioningBy(session -> name.equals(buildOf(session))));
        List<SessionInfo> workers = Objects.requireNonNull(own.get(true));
        List<SessionInfo> others = Objects.requireNonNull(own.get(false));
        Set<String> queues = queuesOf(workers);
        Set<String> alone = new HashSet<>(queues);
        // A process that does not say what it serves may serve any queue.
        alone.removeIf(queue -> others.stream()
                .map(SessionInfo::served)
                .anyMatch(served -> served == null || served.queues().contains(queue)));
        return new BuildDescription(
                name,
                workers.size(),
                queues,
                alone,
                workers.stream()
                        .map(SessionInfo::startedAt)
                        .min(Instant::compareTo)
                        .orElse(null),
                runs.lastTurns(),
                runs.pinned(),
                ramp);
    }

    private static Set<String> queuesOf(List<SessionInfo> workers) {
        return workers.stream()
                .map(SessionInfo::served)
                .filter(Objects::nonNull)
                .flatMap(served -> served.queues().stream())
                .collect(Collectors.toSet());
    }

    private static @Nullable String buildOf(SessionInfo session) {
        return session.served() == null ? null : session.served().build();
    }
}
