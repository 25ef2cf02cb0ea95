package dev.durable.store.memory;

import dev.durable.client.AuditEntry;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.history.StoredEvent;
import dev.durable.history.WorkflowTerminated;
import dev.durable.store.ChildOutcome;
import dev.durable.store.NewRun;
import dev.durable.store.ParentClosed;
import dev.durable.store.RunRecord;
import dev.durable.store.RunReset;
import dev.durable.store.Seizure;
import java.util.List;
import java.util.UUID;

/** Puts forks in the places of runs. */
final class Resets {
    private final Tables tables;
    private final Seizures seizures;

    Resets(Tables tables, Seizures seizures) {
        this.tables = tables;
        this.seizures = seizures;
    }

    RunReset.Outcome reset(RunReset reset) {
        NewRun fork = reset.fork();
        if (tables.runs().find(fork.run().runId()) != null) {
            return RunReset.Outcome.DONE;
        }
        RunRow replaced = tables.runs().find(reset.replaced().runId());
        if (replaced == null || replaced.history().size() < reset.copied().events()) {
            return RunReset.Outcome.GONE;
        }
        RunRow latest = tables.runs().latest(fork.run().workflowId());
        if (latest == null || !latest.key().equals(replaced.key()) || replaced.nextEventId() != reset.nextEventId()) {
            return RunReset.Outcome.CHANGED;
        }
        replace(replaced, reset);
        return RunReset.Outcome.DONE;
    }

    private void replace(RunRow replaced, RunReset reset) {
        NewRun fork = reset.fork();
        List<StoredEvent> copied =
                List.copyOf(replaced.history().subList(0, (int) reset.copied().events()));
        List<InboxMessage> waiting = replaced.inbox().ofSenders().stream()
                .filter(message -> message.kind() != MessageKind.CANCEL)
                .toList();
        boolean paused = replaced.isOpen() && replaced.hold().paused();
        String pinnedTo = replaced.isOpen() ? replaced.hold().pinnedTo() : null;
        leave(replaced, reset);
        RunRow run = new RunRow(fork, tables.now(), replaced, copied);
        if (paused) {
            run.hold().pause(true, fork.fence());
        }
        if (pinnedTo != null) {
            run.hold().moveTo(pinnedTo, fork.fence());
        }
        tables.runs().add(run);
        tables.bear(run, fork.firstTurn().jobs());
        List<InboxMessage> messages = reset.copied().messages();
        run.inbox()
                .moveHere(messages.stream().filter(again -> again.at() != null).toList());
        run.inbox().moveHere(waiting);
        messages.stream().filter(fresh -> fresh.at() == null).forEach(message -> tables.post(run, message));
        reset.children().forEach(child -> lookUp(run, reset, child));
        NewRun.Parent parent = run.parent();
        if (parent != null && tables.runs().findOpen(parent.workflowId(), parent.chain()) == null) {
            run.leaveAlone();
        }
        tables.place(run);
        reset.sends().forEach(order -> tables.owe(run, order));
        tables.audit()
                .add(new AuditEntry(
                        fork.fence(),
                        tables.now(),
                        reset.copied().actor(),
                        NewRun.Copied.ACTION,
                        fork.run().workflowId(),
                        reset.copied().details(fork.run())));
    }

    /** Tells the fork of a child that has ended, was not started and will not be, or is open and watched. */
    private void lookUp(RunRow run, RunReset reset, RunReset.Child child) {
        RunRow first = tables.runs().find(child.chain());
        RunRow newest = first == null ? null : tables.runs().find(tables.runs().newestOf(first.record()));
        if (newest == null) {
            if (!tables.outbox().hasStart(reset.chain(), child.chain())) {
                tables.post(run, child.notStarted());
            }
        } else if (newest.isOpen()) {
            newest.dependAgain();
            if (child.watched()) {
                tables.post(run, ChildOutcome.started(child.chain(), child.number()));
            }
        } else {
            RunRecord ended = newest.record();
            tables.outbox().takeBack(child.chain(), ChildOutcome.NUMBER);
            tables.post(
                    run,
                    ChildOutcome.ended(child.chain(), child.number(), ended.status(), ended.result(), ended.failure()));
        }
    }

    /** Ends the run, if it is open, with the fork as its next run; takes back what its end had left in the outbox, if it is not. */
    private void leave(RunRow replaced, RunReset reset) {
        UUID fork = reset.fork().run().runId();
        if (!replaced.isOpen()) {
            replaced.replacedBy(fork);
            tables.outbox().takeBack(reset.chain(), ParentClosed.NUMBER);
            return;
        }
        Seizure end = new Seizure(
                replaced.key().workflowId(),
                replaced.key().runId(),
                false,
                reset.fork().fence(),
                WorkflowStatus.TERMINATED,
                WorkflowTerminated.class.getSimpleName(),
                dropped -> reset.closed().attributes(),
                reset.closed().failure());
        seizures.close(replaced, end, fork);
    }
}
