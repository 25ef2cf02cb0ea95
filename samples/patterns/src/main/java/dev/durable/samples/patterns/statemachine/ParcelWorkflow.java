package dev.durable.samples.patterns.statemachine;

import dev.durable.Durable;
import dev.durable.Query;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;

// docs: pattern-statemachine
/** A parcel, whose carrier tells of it by events: late, twice, and sometimes in the wrong order. */
@Workflow
public class ParcelWorkflow {
    public enum Event {
        HANDED_OVER,
        SCANNED,
        RECEIVED,
        REFUSED
    }

    public enum State {
        LABELLED,
        ON_ITS_WAY,
        DELIVERED,
        RETURNED;

        private Map<Event, State> transitions() {
            return switch (this) {
                case LABELLED -> Map.of(Event.HANDED_OVER, ON_ITS_WAY);
                case ON_ITS_WAY ->
                    Map.of(Event.SCANNED, ON_ITS_WAY, Event.RECEIVED, DELIVERED, Event.REFUSED, RETURNED);
                case DELIVERED, RETURNED -> Map.of(); // final
            };
        }
    }

    private final Notices notices;
    private final Deque<Event> events = new ArrayDeque<>();
    private final List<Event> early = new ArrayList<>();
    private State state = State.LABELLED;

    ParcelWorkflow(Notices notices) {
        this.notices = notices;
    }

    @Run
    public State run() {
        while (!state.transitions().isEmpty()) {
            Durable.await(() -> !events.isEmpty());
            Event event = events.removeFirst();
            State next = state.transitions().get(event);
            if (next == null) {
                early.add(event); // has no place in this state; perhaps in the next
            } else if (next != state) {
                state = next;
                notices.entered(state); // events that come meanwhile wait in their order
                early.reversed().forEach(events::addFirst);
                early.clear();
            }
        }
        return state;
    }

    @Signal
    public void event(Event event) {
        events.add(event);
    }

    @Query
    public State state() {
        return state;
    }
}
// docs: end
