package dev.durable.store.contract;

import dev.durable.client.WorkflowStatus;
import dev.durable.store.HistoryStore;
import dev.durable.store.RunKey;
import dev.durable.store.Transition;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** A run as the one sees it who may write it: its fence and the id of its next event. */
public final class Writer {
    private final HistoryStore store;
    private final RunKey run;
    /** One reference, so that rival threads of a test see a fence and its event id together. */
    private volatile Position position;

    /** The time of its last step. */
    private volatile Instant last;

    private record Position(UUID fence, long nextEventId) {}

    public Writer(HistoryStore store, RunKey run, UUID fence, long nextEventId) {
        this.store = store;
        this.run = run;
        this.position = new Position(fence, nextEventId);
        this.last = store.now();
    }

    public RunKey run() {
        return run;
    }

    public UUID fence() {
        return position.fence;
    }

    public long nextEventId() {
        return position.nextEventId;
    }

    /** A step to be filled; it parks unless told otherwise. */
    public StepBuilder step() {
        Position from = position;
        Instant now = store.now();
        // As an engine does, where the clock of the database was set back.
        last = now.isBefore(last) ? last : now;
        return new StepBuilder(last, run, from.fence, from.nextEventId);
    }

    public StepBuilder closing() {
        return step().closes(WorkflowStatus.COMPLETED);
    }

    /** Writes the step alone; where it was applied the writer goes on from there. */
    public Transition.Outcome write(StepBuilder step) {
        Transition transition = step.build();
        return wrote(transition, store.commit(List.of(transition)).getFirst());
    }

    /** What became of a step that was written in a batch. */
    public Transition.Outcome wrote(Transition transition, Transition.Outcome outcome) {
        if (outcome == Transition.Outcome.APPLIED || outcome == Transition.Outcome.APPLIED_MORE) {
            int written = transition.stall() == null ? transition.events().size() : 0;
            position = new Position(transition.fences().next(), transition.nextEventId() + written);
        }
        return outcome;
    }

    /** The same writer, as somebody has it who does not hear of what follows. */
    public Writer zombie() {
        return new Writer(store, run, position.fence, position.nextEventId);
    }
}
