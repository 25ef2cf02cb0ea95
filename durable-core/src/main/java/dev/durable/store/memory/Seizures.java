package dev.durable.store.memory;

import dev.durable.client.AuditEntry;
import dev.durable.history.MessageKind;
import dev.durable.history.StoredEvent;
import dev.durable.store.LeftJob;
import dev.durable.store.Nudges;
import dev.durable.store.RunChange;
import dev.durable.store.RunMove;
import dev.durable.store.RunPause;
import dev.durable.store.Seizure;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Closes and pauses runs from outside, without running their code. */
final class Seizures {
    private final Tables tables;

    Seizures(Tables tables) {
        this.tables = tables;
    }

    RunChange seize(Seizure seizure) {
        RunRow run = tables.runs().find(seizure.workflowId(), seizure.runId());
        if (run == null) {
            return RunChange.NOT_FOUND;
        }
        if (!run.isOpen()) {
            boolean resent = run.wasWrittenUnder(seizure.newFence(), run.nextEventId() - 1);
            return resent ? RunChange.changed(run.key()) : RunChange.NOT_FOUND;
        }
        Instant expiresAt = run.expiresAt();
        if (seizure.onlyIfDue() && (expiresAt == null || expiresAt.isAfter(tables.now()))) {
            return RunChange.unchanged(run.key());
        }
        close(run, seizure, null);
        audit(
                seizure.auditId(),
                seizure.actor(),
                Seizure.TERMINATE,
                run,
                RunPause.details(run.key().runId()));
        return RunChange.changed(run.key());
    }

    /** Writes a row of the audit; none without an operator. */
    private void audit(UUID id, @Nullable String actor, String action, RunRow run, String details) {
        if (actor != null) {
            tables.audit()
                    .add(new AuditEntry(
                            id, tables.now(), actor, action, run.key().workflowId(), details));
        }
    }

    RunChange move(RunMove move) {
        RunRow run = tables.runs().find(move.workflowId(), move.runId());
        if (run == null || !run.isOpen()) {
            return RunChange.NOT_FOUND;
        }
        if (!run.hold().moveTo(move.build(), move.newFence())) {
            return RunChange.unchanged(run.key());
        }
        tables.place(run);
        tables.hints().owe(new Nudges.RunsDue(run.start().taskQueue()));
        audit(
                move.newFence(),
                move.actor(),
                move.action(),
                run,
                move.details(run.key().runId()));
        return RunChange.changed(run.key());
    }

    RunChange pause(RunPause pause) {
        RunRow run = tables.runs().find(pause.workflowId(), pause.runId());
        if (run == null || !run.isOpen()) {
            return RunChange.NOT_FOUND;
        }
        if (run.hold().paused() == pause.pause()) {
            return RunChange.unchanged(run.key());
        }
        Instant last = run.history().getLast().at();
        Instant at = tables.now().isAfter(last) ? tables.now() : last;
        run.append(
                List.of(new StoredEvent(run.nextEventId(), pause.eventType(), at, null, pause.attributes())),
                pause.newFence());
        run.hold().pause(pause.pause(), pause.newFence());
        tables.place(run);
        audit(
                pause.newFence(),
                pause.actor(),
                pause.action(),
                run,
                RunPause.details(run.key().runId()));
        return RunChange.changed(run.key());
    }

    /** @param next the fork that takes its place; null where its chain ends */
    void close(RunRow run, Seizure seizure, @Nullable UUID next) {
        Instant now = tables.now();
        String attributes = seizure.attributes().apply(run.inbox().size());
        List<StoredEvent> events = new ArrayList<>();
        Stream<LeftJob> outcomes = run.inbox().first(Integer.MAX_VALUE).stream()
                .filter(message -> message.kind() == MessageKind.ACTIVITY_OUTCOME)
                .map(LeftJob::of);
        List<LeftJob> left = Stream.concat(
                        outcomes, run.jobs().values().stream().map(Job::left))
                .toList();
        for (StoredEvent event : LeftJob.events(left, now)) {
            events.add(new StoredEvent(
                    run.nextEventId() + events.size(), event.type(), event.at(), null, event.attributes()));
        }
        events.add(new StoredEvent(run.nextEventId() + events.size(), seizure.eventType(), now, null, attributes));
        run.append(events, seizure.newFence());
        tables.end(run, new RunRow.Ending(seizure.status(), null, seizure.failure(), now, seizure.newFence(), next));
    }
}
