package dev.durable.history;

import java.util.AbstractList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/** The history of one run: an unmodifiable list of its events with id 1 first. Event n is {@code get(n - 1)}. */
public final class History extends AbstractList<HistoryEvent> {
    private final List<HistoryEvent> events;
    private final WorkflowStarted identity;

    public History(List<? extends HistoryEvent> events) {
        this.events = List.copyOf(events);
        if (this.events.isEmpty() || !(this.events.getFirst() instanceof WorkflowStarted)) {
            throw new IllegalArgumentException("a history begins with WorkflowStarted");
        }
        identity = events(WorkflowForked.class).reduce(started(), WorkflowStarted::forked, (first, second) -> second);
    }

    /** The first event; of a fork it is that of the run that was forked. */
    public WorkflowStarted started() {
        return (WorkflowStarted) events.getFirst();
    }

    /** The workflow id. */
    public String workflowId() {
        return identity.workflowId();
    }

    /** The run. */
    public UUID runId() {
        return identity.runId();
    }

    /** The events of this type, in order. */
    public <E extends HistoryEvent> Stream<E> events(Class<E> type) {
        return events.stream().filter(type::isInstance).map(type::cast);
    }

    /** Returns whether the run is closed. */
    public boolean isClosed() {
        return events.getLast() instanceof HistoryEvent.Closing;
    }

    @Override
    public HistoryEvent get(int index) {
        return events.get(index);
    }

    @Override
    public int size() {
        return events.size();
    }
}
