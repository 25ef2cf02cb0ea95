package dev.durable.store.memory;

import dev.durable.client.AuditEntry;
import dev.durable.history.MessageKind;
import dev.durable.history.StoredEvent;
import dev.durable.store.LeftJob;
import dev.durable.store.Nudges;
import dev.durable.store.RunKey;
import dev.durable.store.RunMove;
import dev.durable.store.RunPause;
import dev.durable.store.Seizure;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Closes and pauses runs from outside, without running their code. */
final class Seizures {
    private final Tables tables;

    Seizures(Tables tables) {
        this.tables = tables;
    }

    Optional<RunKey> seize(Seizure seizure) {
        RunRow run = tables.runs().find(seizure.workflowId(), seizure.runId());
        if (run == null) {
            return Optional.empty();
        }
        if (!run.isOpen()) {
            boolean resent = run.wasWrittenUnder(seizure.newFence(), run.nextEventId() - 1);
            return resent ? Optional.of(run.key()) : Optional.empty();
        }
        Instant expiresAt = run.expiresAt();
        if (seizure.onlyIfDue() && (expiresAt == null || expiresAt.isAfter(tables.now()))) {
            return Optional.empty();
        }
        close(run, seizure);
        if (seizure.actor() != null) {
            tables.audit()
                    .add(new AuditEntry(
                            seizure.auditId(),
                            tables.now(),
                            seizure.actor(),
                            Seizure.TERMINATE,
                            seizure.workflowId(),
                            RunPause.details(run.key().runId())));
        }
        return Optional.of(run.key());
    }

    boolean move(RunMove move) {
        RunRow run = tables.runs().find(move.workflowId(), move.runId());
        if (run == null || !run.isOpen()) {
            return false;
        }
        boolean moved = run.hold().moveTo(move.build(), move.newFence());
        if (moved) {
            tables.place(run);
            tables.hints().owe(new Nudges.RunsDue(run.start().taskQueue()));
            tables.audit()
                    .add(new AuditEntry(
                            move.newFence(),
                            tables.now(),
                            move.actor(),
                            move.action(),
                            move.workflowId(),
                            move.details(run.key().runId())));
        }
        return moved || move.build() != null;
    }

    boolean pause(RunPause pause) {
        RunRow run = tables.runs().find(pause.workflowId(), pause.runId());
        if (run == null || !run.isOpen()) {
            return false;
        }
        if (run.hold().paused() != pause.pause()) {
            Instant last = run.history().getLast().at();
            Instant at = tables.now().isAfter(last) ? tables.now() : last;
            run.append(
                    List.of(new StoredEvent(run.nextEventId(), pause.eventType(), at, null, pause.attributes())),
                    pause.newFence());
            run.hold().pause(pause.pause(), pause.newFence());
            tables.place(run);
            tables.audit()
                    .add(new AuditEntry(
                            pause.newFence(),
                            tables.now(),
                            pause.actor(),
                            pause.action(),
                            pause.workflowId(),
                            RunPause.details(run.key().runId())));
        }
        return true;
    }

    private void close(RunRow run, Seizure seizure) {
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
        tables.end(run, new RunRow.Ending(seizure.status(), null, seizure.failure(), now, seizure.newFence(), null));
    }
}
