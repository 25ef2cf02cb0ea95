package dev.durable.store.memory;

import dev.durable.ReusePolicy;
import dev.durable.client.AuditEntry;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.InboxMessage;
import dev.durable.history.StoredEvent;
import dev.durable.store.Delivery;
import dev.durable.store.NewRun;
import dev.durable.store.RunIds;
import dev.durable.store.RunRecord;
import dev.durable.store.StartOutcome;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Starts runs: recognises a resend, an open run, a policy that refuses, or makes a new run. */
final class Starts {
    private final Tables tables;
    private final Deliveries deliveries;

    Starts(Tables tables, Deliveries deliveries) {
        this.tables = tables;
        this.deliveries = deliveries;
    }

    StartOutcome start(NewRun start) {
        return start(start, List.of());
    }

    /** Starts a run with the first events of another; empty where that does not have all of them. */
    Optional<StartOutcome> fork(NewRun fork) {
        NewRun.Copied copied = Objects.requireNonNull(fork.firstTurn().copied());
        RunRow from = tables.runs().find(copied.from().runId());
        return from == null || from.history().size() < copied.events()
                ? Optional.empty()
                : Optional.of(start(fork, from.history().subList(0, (int) copied.events())));
    }

    private StartOutcome start(NewRun start, List<StoredEvent> copied) {
        if (tables.runs().find(start.run().runId()) != null) {
            return new StartOutcome.Started(true);
        }
        RunRow latest = tables.runs().latest(start.run().workflowId());
        if (latest == null) {
            return begin(start, copied);
        }
        RunRow taker = taker(start, latest);
        if (taker != null) {
            return new StartOutcome.AlreadyOpen(taker.chainId(), taker.start().type(), Delivery.Outcome.ACCEPTED);
        }
        if (latest.isOpen()) {
            return alreadyOpen(start, latest);
        }
        RunRecord closed = latest.record();
        return refuses(start.policies().reuse(), closed.status())
                ? new StartOutcome.Refused(
                        closed.run().runId(), closed.status(), tables.runs().isAt(start.place(), latest))
                : begin(start, copied);
    }

    private StartOutcome alreadyOpen(NewRun start, RunRow open) {
        UUID chain = open.chainId();
        String type = open.start().type();
        InboxMessage message = start.message();
        if (message == null || !start.tellsOpenRuns() || !start.isOfType(type)) {
            return new StartOutcome.AlreadyOpen(
                    chain, type, null, open.activityOfJob(), tables.runs().isAt(start.place(), open));
        }
        Delivery delivery = new Delivery(open.key().workflowId(), chain, message);
        return new StartOutcome.AlreadyOpen(chain, type, deliveries.deliver(delivery));
    }

    /**
     * The closed run that took the message, or the run whose chain has rejected it, if the start is a resend; null if
     * there is none.
     */
    private @Nullable RunRow taker(NewRun start, RunRow latest) {
        InboxMessage message = start.message();
        if (message == null || !start.tellsOpenRuns()) {
            return null;
        }
        UUID id = message.messageId();
        Stream<RunRow> open = Stream.of(latest).filter(RunRow::isOpen);
        Stream<RunRow> closed = tables.runs()
                .closedSince(start.run().workflowId(), RunIds.time(start.run().runId()));
        return Stream.concat(
                        open.filter(run -> tables.replies().has(run, id)),
                        closed.filter(
                                run -> run.hasRecorded(id) || tables.replies().has(run, id)))
                .findFirst()
                .orElse(null);
    }

    private StartOutcome begin(NewRun start, List<StoredEvent> copied) {
        RunRow run = new RunRow(start, tables.now(), copied);
        tables.runs().add(run);
        tables.bear(run, start.firstTurn().jobs());
        InboxMessage message = start.message();
        if (message != null) {
            tables.post(run, message);
        }
        NewRun.Copied fork = start.firstTurn().copied();
        if (fork != null) {
            fork.messages().forEach(outcome -> tables.post(run, outcome));
            tables.audit()
                    .add(new AuditEntry(
                            start.fence(),
                            tables.now(),
                            fork.actor(),
                            NewRun.Copied.ACTION,
                            fork.from().workflowId(),
                            fork.details(start.run())));
        }
        tables.place(run);
        return new StartOutcome.Started(false);
    }

    private static boolean refuses(ReusePolicy policy, WorkflowStatus latest) {
        return switch (policy) {
            case ALLOW_DUPLICATE -> false;
            case ALLOW_DUPLICATE_FAILED_ONLY -> latest == WorkflowStatus.COMPLETED;
            case REJECT_DUPLICATE -> true;
        };
    }
}
