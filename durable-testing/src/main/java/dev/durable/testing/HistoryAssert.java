package dev.durable.testing;

import dev.durable.history.ActivityCompleted;
import dev.durable.history.ActivityFailed;
import dev.durable.history.ActivityScheduled;
import dev.durable.history.History;
import dev.durable.history.HistoryEvent;
import dev.durable.history.SignalReceived;
import dev.durable.history.UpdateAccepted;
import dev.durable.history.WorkflowCompleted;
import dev.durable.history.WorkflowFailed;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.AbstractListAssert;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.ObjectAssert;

/** Assertions on a history; all of a list's as well. */
public final class HistoryAssert
        extends AbstractListAssert<HistoryAssert, History, HistoryEvent, ObjectAssert<HistoryEvent>> {

    HistoryAssert(History actual) {
        super(actual, HistoryAssert.class);
    }

    /** These activities completed, in this order, and no others. */
    public HistoryAssert completedActivities(String... names) {
        Assertions.assertThat(completed())
                .as("completed activities of %s", actual.workflowId())
                .containsExactly(names);
        return this;
    }

    /** These activities completed, in whatever order, and no others: for activities that run at once. */
    public HistoryAssert completedActivitiesInAnyOrder(String... names) {
        Assertions.assertThat(completed())
                .as("completed activities of %s", actual.workflowId())
                .containsExactlyInAnyOrder(names);
        return this;
    }

    /** These activities failed for good, in this order, and no others. */
    public HistoryAssert failedActivities(String... names) {
        isNotNull();
        Map<Integer, String> scheduled = names();
        List<String> failed = actual.events(ActivityFailed.class)
                .map(event -> String.valueOf(scheduled.get(event.seq())))
                .toList();
        Assertions.assertThat(failed)
                .as("failed activities of %s", actual.workflowId())
                .containsExactly(names);
        return this;
    }

    /** These signals were received, in this order, and no others. */
    public HistoryAssert receivedSignals(String... names) {
        isNotNull();
        List<String> received =
                actual.events(SignalReceived.class).map(SignalReceived::name).toList();
        Assertions.assertThat(received).as("signals of %s", actual.workflowId()).containsExactly(names);
        return this;
    }

    /** These updates were accepted, in this order, and no others. A rejected one is not in the history. */
    public HistoryAssert receivedUpdates(String... names) {
        isNotNull();
        List<String> received =
                actual.events(UpdateAccepted.class).map(UpdateAccepted::name).toList();
        Assertions.assertThat(received).as("updates of %s", actual.workflowId()).containsExactly(names);
        return this;
    }

    /** The event types are these, in this order. */
    public HistoryAssert hasEventTypes(String... types) {
        isNotNull();
        Assertions.assertThat(actual.stream().map(HistoryEvent::type).toList())
                .as("event types of %s", actual.workflowId())
                .containsExactly(types);
        return this;
    }

    /** The run completed. */
    public HistoryAssert isCompleted() {
        isNotNull();
        Assertions.assertThat(actual.getLast())
                .as("last event of %s", actual.workflowId())
                .isInstanceOf(WorkflowCompleted.class);
        return this;
    }

    /** The run failed. */
    public HistoryAssert isFailed() {
        isNotNull();
        Assertions.assertThat(actual.getLast())
                .as("last event of %s", actual.workflowId())
                .isInstanceOf(WorkflowFailed.class);
        return this;
    }

    private List<String> completed() {
        isNotNull();
        Map<Integer, String> scheduled = names();
        return actual.events(ActivityCompleted.class)
                .map(event -> String.valueOf(scheduled.get(event.seq())))
                .toList();
    }

    private Map<Integer, String> names() {
        Map<Integer, String> names = new HashMap<>();
        actual.events(ActivityScheduled.class).forEach(event -> names.put(event.seq(), event.activity()));
        actual.events(HistoryEvent.ActivityClosed.class)
                .filter(event -> event.local() != null)
                .forEach(event -> names.put(event.seq(), event.local().activity()));
        return names;
    }

    @Override
    protected ObjectAssert<HistoryEvent> toAssert(HistoryEvent value, String description) {
        return new ObjectAssert<>(value).as(description);
    }

    @Override
    protected HistoryAssert newAbstractIterableAssert(Iterable<? extends HistoryEvent> iterable) {
        throw new UnsupportedOperationException(
                "a filtered history is no history: use assertThat(history.stream().filter(…))");
    }
}
