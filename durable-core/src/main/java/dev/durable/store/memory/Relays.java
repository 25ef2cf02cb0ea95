package dev.durable.store.memory;

import dev.durable.ParentClosePolicy;
import dev.durable.history.InboxMessage;
import dev.durable.store.ChildOutcome;
import dev.durable.store.ChildStart;
import dev.durable.store.Delivery;
import dev.durable.store.NewRun;
import dev.durable.store.OutgoingMessage;
import dev.durable.store.ParentClosed;
import dev.durable.store.StartOutcome;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Delivers rows of the outbox: messages into inboxes, and the orders about children. */
final class Relays implements Outbox.Delivering {
    private static final Logger log = LoggerFactory.getLogger(Relays.class);
    private final Tables tables;
    private final Deliveries deliveries;
    private final Starts starts;
    private final Seizures seizures;

    Relays(Tables tables, Deliveries deliveries, Starts starts, Seizures seizures) {
        this.tables = tables;
        this.deliveries = deliveries;
        this.starts = starts;
        this.seizures = seizures;
    }

    @Override
    public boolean isDone(Outbox.Row row) {
        return switch (row.sent().message().kind()) {
            case CHILD_START -> start(row.sent());
            case CHILD_WATCH -> tellStarted(row);
            case CHILD_TERMINATE -> {
                terminate(row.sent().target(), row.sent().chain(), row.from(), ParentClosed.UNDONE);
                yield true;
            }
            case PARENT_CLOSED -> endChildren(row.sent().source(), row.from());
            case SIGNAL, CANCEL, UPDATE, CALLBACK, ACTIVITY_OUTCOME, CHILD_OUTCOME, UNKNOWN -> deliver(row);
        };
    }

    private boolean deliver(Outbox.Row row) {
        InboxMessage message = row.sent().message();
        String target = row.sent().target();
        return switch (deliveries.deliver(new Delivery(target, row.sent().chain(), message))) {
            case ACCEPTED -> true;
            case NOT_FOUND -> {
                // The end of a parent, or of a child, is no reason for a warning.
                if (row.sent().chain() == null) {
                    log.warn(OutgoingMessage.dropped(
                            message.kind(), message.name(), row.from(), target, "there was no open run to take it"));
                }
                yield true;
            }
            case CLOSING, INBOX_FULL, INBOX_TOO_LARGE, LOCKED -> false;
        };
    }

    private boolean start(OutgoingMessage order) {
        ChildStart start = ChildStart.read(order.message().payload());
        NewRun.Parent parent = start.parentColumns();
        RunRow above = tables.runs().find(parent.workflowId(), parent.chain());
        boolean isParentOpen = above != null && above.isOpen();
        if (!isParentOpen && parent.closePolicy() != ParentClosePolicy.ABANDON) {
            log.debug("child {} is not started: its parent has ended", order.target());
            return true;
        }
        StartOutcome outcome = starts.start(start.newRun(order.target(), tables.now(), UUID.randomUUID()));
        if (!(outcome instanceof StartOutcome.Started)) {
            String reason = ChildOutcome.reason(order.target(), outcome);
            tell(parent.workflowId(), parent.chain(), ChildOutcome.notStarted(start.runId(), parent.number(), reason));
        }
        return true;
    }

    private boolean tellStarted(Outbox.Row row) {
        UUID child = Objects.requireNonNull(row.sent().chain());
        if (tables.runs().find(row.sent().target(), child) != null) {
            tell(
                    row.from(),
                    row.sent().source(),
                    ChildOutcome.started(child, row.sent().message().payload()));
        }
        return true;
    }

    private void tell(String parent, UUID chain, InboxMessage news) {
        deliveries.deliver(new Delivery(parent, chain, news));
    }

    private void terminate(String child, @Nullable UUID chain, String parent, String reason) {
        UUID run = Objects.requireNonNull(chain);
        seizures.seize(ParentClosed.terminate(child, run, parent, reason, UUID.randomUUID()));
    }

    /** Applies the parent-close policies to the children; returns whether none is left. */
    private boolean endChildren(UUID chain, String parent) {
        List<RunRow> left = tables.runs().openChildren(chain).stream()
                .filter(child -> !child.isLeftAlone())
                .toList();
        for (RunRow child : left) {
            String workflowId = child.key().workflowId();
            UUID run = child.key().runId();
            if (Objects.requireNonNull(child.parent()).closePolicy() == ParentClosePolicy.TERMINATE) {
                terminate(workflowId, run, parent, ParentClosed.ENDED);
            } else if (deliveries.deliver(new Delivery(workflowId, run, ParentClosed.cancel(run, parent)))
                    == Delivery.Outcome.ACCEPTED) {
                child.leaveAlone();
            }
        }
        return tables.runs().openChildren(chain).stream().allMatch(RunRow::isLeftAlone);
    }
}
