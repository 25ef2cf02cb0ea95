package dev.durable.internal.client.access;

import dev.durable.client.StallGroup;
import dev.durable.client.WorkflowQuery.Filter;
import dev.durable.client.WorkflowStatus;
import dev.durable.internal.declare.Registry;
import dev.durable.internal.replay.BackgroundJob;
import dev.durable.internal.text.Bounds;
import dev.durable.store.RunFilter;
import dev.durable.store.RunKey;
import dev.durable.store.StallCause;
import java.time.Instant;
import java.util.Set;
import java.util.UUID;

/** Implements the filter of {@code client.workflows().where(…)}. */
public final class FilterBuilder implements Filter {
    private final Registry registry;
    private RunFilter filter;

    public FilterBuilder(RunFilter filter, Registry registry) {
        this.filter = filter;
        this.registry = registry;
    }

    public RunFilter build() {
        return filter;
    }

    @Override
    public Filter type(Class<?> type) {
        return type(registry.workflowOf(type).name());
    }

    @Override
    public Filter type(String name) {
        filter = filter.types(Set.of(Bounds.known("type", name)));
        return this;
    }

    @Override
    public Filter activity(String name) {
        filter = filter.types(Set.of(BackgroundJob.TYPE)).activity(Bounds.known("activity", name));
        return this;
    }

    @Override
    public Filter status(WorkflowStatus... statuses) {
        filter = filter.statuses(Set.of(statuses));
        return this;
    }

    @Override
    public Filter workflowId(String workflowId) {
        filter = filter.workflowId(Bounds.known("workflow id", workflowId));
        return this;
    }

    @Override
    public Filter workflowIdPrefix(String prefix) {
        filter = filter.workflowIdPrefix(Bounds.known("workflow id", prefix));
        return this;
    }

    @Override
    public Filter startedAfter(Instant when) {
        Bounds.time("startedAfter", when);
        filter = filter.startedAfter(when);
        return this;
    }

    @Override
    public Filter startedBefore(Instant when) {
        Bounds.time("startedBefore", when);
        filter = filter.startedBefore(when);
        return this;
    }

    @Override
    public Filter closedAfter(Instant when) {
        Bounds.time("closedAfter", when);
        filter = filter.closedAfter(when);
        return this;
    }

    @Override
    public Filter closedBefore(Instant when) {
        Bounds.time("closedBefore", when);
        filter = filter.closedBefore(when);
        return this;
    }

    @Override
    public Filter taskQueue(String taskQueue) {
        filter = filter.taskQueue(Bounds.known("task queue", taskQueue));
        return this;
    }

    @Override
    public Filter parent(UUID runId) {
        filter = filter.parent(runId);
        return this;
    }

    @Override
    public Filter root(UUID runId) {
        filter = filter.root(runId);
        return this;
    }

    @Override
    public Filter stalled() {
        filter = filter.stalled(true);
        return this;
    }

    @Override
    public Filter stalledLike(StallGroup group) {
        RunKey example = new RunKey(group.example().runId(), group.example().workflowId());
        filter = filter.types(Set.of(group.type()))
                .stallCause(StallCause.of(group.type(), example, group.exampleText()));
        return this;
    }
}
