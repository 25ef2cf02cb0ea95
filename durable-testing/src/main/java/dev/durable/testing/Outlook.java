package dev.durable.testing;

import dev.durable.client.ActivityState;
import dev.durable.client.ActivitySummary;
import dev.durable.client.DurableEngine;
import dev.durable.client.WorkerStatus;
import dev.durable.client.WorkflowDescription;
import dev.durable.client.WorkflowQuery;
import dev.durable.client.WorkflowStatus;
import dev.durable.client.WorkflowSummary;
import dev.durable.internal.declare.Registry;
import dev.durable.internal.text.Thrown;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds the work that may still come in a test's engine, timers of open runs, and the work that never will, as no
 * engine of the test serves it; and tells what open runs wait for.
 */
final class Outlook {
    private static final int MANY_ATTEMPTS = 1_000;
    /** How many open runs are named in a failure. */
    private static final int MOST_NAMED = 10;

    private final DurableEngine engine;
    private final Registry registry;
    private final Replayer replayer;

    Outlook(DurableEngine engine, Registry registry, Replayer replayer) {
        this.engine = engine;
        this.registry = registry;
        this.replayer = replayer;
    }

    /** Returns whether an open run waits for a timer, rather than only for its activities. */
    boolean timerAfter(Instant now) {
        try (Stream<WorkflowQuery.Row> open = open()) {
            return open.map(row ->
                            engine.client().handle(row.workflowId()).describe().nextWakeAt())
                    .anyMatch(at -> at != null && at.isAfter(now));
        }
    }

    /** Returns whether a timer is due that the workers here have not fired yet. */
    boolean timerOverdue(Instant now) {
        Set<String> queues = queues();
        try (Stream<WorkflowQuery.Row> open = open()) {
            return open.filter(row -> registry.workflow(row.summary().type()).isPresent()
                            && queues.contains(row.summary().taskQueue()))
                    .map(row -> engine.client().handle(row.workflowId()).describe())
                    .anyMatch(run -> run.stalledBy() == null
                            && run.nextWakeAt() != null
                            && !run.nextWakeAt().isAfter(now));
        }
    }

    /** The open work that can't go on, because its type or queue is not served here; one sentence each. */
    List<String> unserved() {
        Set<String> queues = queues();
        List<String> said = new ArrayList<>();
        try (Stream<WorkflowQuery.Row> open = open()) {
            open.map(WorkflowQuery.Row::summary).forEach(run -> unserved(run, queues, said));
        }
        try (Stream<ActivitySummary> waiting =
                engine.client().activities().where(activity -> activity.state(ActivityState.READY)).stream()) {
            waiting.forEach(activity -> unserved(activity, queues, said));
        }
        return said;
    }

    /** The first open runs, each with its parent and what it waits for at which line of its code; one sentence each. */
    List<String> waiting() {
        try (Stream<WorkflowQuery.Row> open = open()) {
            return open.map(WorkflowQuery.Row::summary)
                    .filter(run -> registry.workflow(run.type()).isPresent())
                    .limit(MOST_NAMED)
                    .map(this::waiting)
                    .toList();
        }
    }

    private String waiting(WorkflowSummary run) {
        WorkflowDescription.Parent parent =
                engine.client().handle(run.workflowId()).describe().parent();
        return "workflow " + run.workflowId() + (parent == null ? "" : ", child of " + parent.workflowId() + ",")
                + " waits for " + waits(run);
    }

    private String waits(WorkflowSummary run) {
        try {
            return replayer.waits(engine.client().history(run.runId())).stream()
                    .map(wait -> wait.what() + (wait.line() == null ? "" : " at " + wait.line()))
                    .collect(Collectors.joining(", and for "));
        } catch (RuntimeException e) {
            return "what its replay does not show (" + Thrown.of(e).text() + ")";
        }
    }

    /** Activities that have failed a thousand times under a policy without a limit; one sentence each. */
    List<String> failForEver() {
        try (Stream<ActivitySummary> open = engine.client().activities().stream()) {
            return open.filter(activity -> activity.attempt() > MANY_ATTEMPTS
                            && activity.options().retry().maxAttempts() == 0)
                    .map(activity ->
                            activity.activity() + " of " + activity.workflowId() + " is about to begin attempt "
                                    + activity.attempt() + "; it failed last with " + activity.lastFailure())
                    .toList();
        }
    }

    private Set<String> queues() {
        return engine.worker().queues().stream()
                .map(WorkerStatus.Queue::name)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private Stream<WorkflowQuery.Row> open() {
        return engine.client().workflows().where(run -> run.status(WorkflowStatus.RUNNING)).oldestFirst().stream();
    }

    private void unserved(WorkflowSummary run, Set<String> queues, List<String> said) {
        if (registry.workflow(run.type()).isEmpty()) {
            said.add("workflow " + run.workflowId() + " is of type " + run.type()
                    + ", which is not registered here (registered are "
                    + named(registry.workflowTypes()) + "): engine.register(" + run.type() + ".class)");
        } else if (!queues.contains(run.taskQueue())) {
            said.add("workflow " + run.workflowId() + " is on task queue \"" + run.taskQueue()
                    + "\", and served here are " + queues + ": engine.queue(\"" + run.taskQueue() + "\", q -> {})");
        }
    }

    private void unserved(ActivitySummary activity, Set<String> queues, List<String> said) {
        String what = "activity " + activity.activity() + " of " + activity.workflowId();
        if (!queues.contains(activity.taskQueue())) {
            said.add(what + " is on task queue \"" + activity.taskQueue() + "\", and served here are " + queues
                    + ": engine.queue(\"" + activity.taskQueue() + "\", q -> {})");
        } else if (registry.activity(activity.activity()).isEmpty()) {
            said.add(what + " has no implementation here (implemented are " + new TreeSet<>(registry.activityNames())
                    + "): engine.activity(" + type(activity.activity()) + ".class, …)");
        }
    }

    private static String type(String activity) {
        int dot = activity.lastIndexOf('.');
        return dot < 0 ? activity : activity.substring(0, dot);
    }

    /** Without our own. */
    static Set<String> named(Set<String> types) {
        return types.stream()
                .filter(type -> !type.startsWith("durable."))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
