package dev.durable.store.memory;

import dev.durable.client.AuditEntry;
import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.store.Delivery;
import dev.durable.store.InboxLimit;
import dev.durable.store.JobStart;
import dev.durable.store.RunPause;
import java.util.List;

/** Inserts messages into inboxes, each at most once. */
final class Deliveries {
    private final Tables tables;
    private final InboxLimit inboxLimit;

    Deliveries(Tables tables, InboxLimit inboxLimit) {
        this.tables = tables;
        this.inboxLimit = inboxLimit;
    }

    Delivery.Outcome deliver(Delivery delivery) {
        RunRow run = tables.runs().find(delivery.workflowId(), delivery.runId());
        InboxMessage message = delivery.message();
        if (run == null) {
            return Delivery.Outcome.NOT_FOUND;
        }
        if (!run.isOpen()) {
            return run.hasRecorded(message.messageId()) ? Delivery.Outcome.ACCEPTED : Delivery.Outcome.NOT_FOUND;
        }
        if (run.inbox().contains(message.messageId())) {
            return Delivery.Outcome.ACCEPTED;
        }
        Delivery.Outcome outcome = accept(run, message);
        if (outcome == Delivery.Outcome.ACCEPTED && delivery.actor() != null) {
            tables.audit()
                    .add(new AuditEntry(
                            message.messageId(),
                            tables.now(),
                            delivery.actor(),
                            Delivery.CANCEL,
                            delivery.workflowId(),
                            RunPause.details(run.key().runId())));
        }
        return outcome;
    }

    private Delivery.Outcome accept(RunRow run, InboxMessage message) {
        if (run.hold().closing() && !message.kind().isLetInWhileClosing()) {
            return Delivery.Outcome.CLOSING;
        }
        if (!message.kind().countsForLimit()) {
            tables.post(run, message);
            return Delivery.Outcome.ACCEPTED;
        }
        if (run.inbox().size() >= inboxLimit.messages()) {
            return Delivery.Outcome.INBOX_FULL;
        }
        if (run.inbox().bytes() >= inboxLimit.bytes()) {
            return Delivery.Outcome.INBOX_TOO_LARGE;
        }
        tables.post(run, message);
        if (message.kind() == MessageKind.CANCEL && run.start().type().equals(JobStart.TYPE)) {
            // No worker may begin the job before its run has read the message.
            List.copyOf(run.jobs().values()).forEach(tables::cancel);
        }
        return Delivery.Outcome.ACCEPTED;
    }
}
