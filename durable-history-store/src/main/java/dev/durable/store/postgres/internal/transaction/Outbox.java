package dev.durable.store.postgres.internal.transaction;

import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.internal.text.Thrown;
import dev.durable.store.CallbackState;
import dev.durable.store.ChildOutcome;
import dev.durable.store.ChildStart;
import dev.durable.store.Delivery;
import dev.durable.store.NewRun;
import dev.durable.store.Nudges;
import dev.durable.store.OutgoingMessage;
import dev.durable.store.RunIds;
import dev.durable.store.postgres.CallerTransactions;
import dev.durable.store.postgres.internal.message.DeliveryBatch;
import dev.durable.store.postgres.internal.nudge.SharedNudges;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.SqlScript;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Inserts the messages that callers send inside their own transactions into the table {@code outbox}. A caller may hold
 * such a transaction for as long as it likes, so it locks only its own new rows; {@link OutboxRelay} delivers after the
 * commit. Messages of a transactional activity's body to its own run are delivered before the commit ({@link
 * OwnRunMessages}).
 *
 * <p>The source of a row is this process, and its event id counts the calls of this process: within one transaction
 * this is the order of delivery. Its shard is the target's, so that delivery never leaves the shard.
 */
public final class Outbox {
    private static final Nudges.Nudge FILLED = new Nudges.OutboxFilled();
    private static final Nudges.Nudge AWAITED = new Nudges.OutboxAwaited();

    private final Connections connections;
    private final SharedNudges nudges;
    private final UUID sender = UUID.randomUUID();
    private final AtomicLong count = new AtomicLong();

    /** The messages that the body of a transactional activity has sent on its thread. */
    @SuppressWarnings("ThreadLocalUsage") // a body of another store on this thread is not one of this store
    private final ThreadLocal<@Nullable List<OwnRunMessages.Sent>> ofBody = new ThreadLocal<>();

    public Outbox(Connections connections, SharedNudges nudges) {
        this.connections = connections;
        this.nudges = nudges;
    }

    /** Runs a body, and notes the messages that it sends on its thread. */
    <T> T noting(List<OwnRunMessages.Sent> sent, Supplier<T> body) {
        ofBody.set(sent);
        try {
            return body.get();
        } finally {
            ofBody.remove();
        }
    }

    void add(Connection connection, Delivery delivery, CallerTransactions callers) {
        add(connection, delivery, null, callers);
    }

    /** Adds the message of this start, for an open run; if none is open at its delivery, the start is made. */
    void add(Connection connection, NewRun start, CallerTransactions callers) {
        InboxMessage message = Objects.requireNonNull(start.message());
        Delivery delivery = new Delivery(start.run().workflowId(), null, message);
        add(connection, delivery, DeferredStart.write(start), callers);
    }

    private void add(Connection connection, Delivery delivery, @Nullable String newRun, CallerTransactions callers) {
        UUID source = RunIds.inShardOf(delivery.workflowId(), sender);
        InboxMessage message = delivery.message();
        long place = count.incrementAndGet();
        SqlScript script = new SqlScript()
                .then(
                        RelaySql.ADD,
                        Param.of(source),
                        Param.of(place),
                        Param.of((Object) delivery.runId()),
                        Param.of((short) message.kind().code()),
                        Param.of((short) RunIds.shard(source)),
                        Param.of(delivery.workflowId()),
                        Param.of(message.name()),
                        Param.of(message.payload()),
                        Param.of((Object) newRun));
        DeliveryBatch.audit(delivery, delivery.runId(), script);
        if (callers.tellsOfCommits()) {
            callers.afterCommit(() -> nudges.send(List.of(FILLED)));
        }
        connections.in(connection, tx -> {
            tx.run(script);
            return true;
        });
        List<OwnRunMessages.Sent> noted = ofBody.get();
        if (noted != null) {
            noted.add(new OwnRunMessages.Sent(source, place, delivery.workflowId(), delivery.runId()));
        }
        if (!callers.tellsOfCommits()) {
            nudges.deliver(List.of(AWAITED));
        }
    }

    /**
     * A row of the outbox.
     *
     * @param source the process that sent it in a caller's transaction, or the chain of runs whose code sent it
     * @param eventId its number in that source
     * @param shard the shard of the source
     * @param target the workflow id behind whose earlier messages of the source it waits
     * @param from the workflow id of the run whose code sent it; null for a caller's transaction
     * @param delivery the delivery, whose message has an id that follows from the row, so that it is one message however
     *     often it is delivered. It is for the target, except the answer to a parent that asks whether a child is started
     * @param start the run to start if none is open; null without
     * @param child the child to start; null for any other row
     * @param watched the child of which the parent asks whether it is started; null for any other row
     * @param unreadable the reason why the start can't be read, for which the row is set aside; null if it can be read
     */
    public record Row(
            UUID source,
            long eventId,
            int shard,
            String target,
            @Nullable String from,
            Delivery delivery,
            @Nullable NewRun start,
            @Nullable ChildStart child,
            @Nullable UUID watched,
            @Nullable SQLException unreadable) {

        public static Row read(ResultSet row) throws SQLException {
            UUID source = row.getObject("run_id", UUID.class);
            long eventId = row.getLong("event_id");
            MessageKind kind = MessageKind.of(row.getInt("kind"));
            // The outcome of a child has the chain of the child as its id.
            String name = row.getString("name");
            String payload = row.getString("payload");
            UUID id = kind == MessageKind.CHILD_OUTCOME ? source : OutgoingMessage.messageId(source, eventId);
            if (kind == MessageKind.CALLBACK) {
                // The outcomes of a callback have one id, so that the inbox takes in the first.
                id = CallbackState.messageId(name, payload, id);
            }
            InboxMessage message = new InboxMessage(id, kind, name, payload, null, null);
            String target = row.getString("target_workflow_id");
            String from = row.getString("source_workflow_id");
            Delivery delivery = new Delivery(target, row.getObject("target_run_id", UUID.class), message);
            UUID watched = kind == MessageKind.CHILD_WATCH ? delivery.runId() : null;
            String newRun = row.getString("new_run");
            NewRun start = null;
            ChildStart child = null;
            SQLException unreadable = null;
            try {
                start = newRun == null ? null : DeferredStart.read(newRun).of(target, message);
                child = kind == MessageKind.CHILD_START ? ChildStart.read(message.payload()) : null;
                if (watched != null) {
                    delivery = answer(source, Objects.requireNonNull(from), delivery);
                }
            } catch (RuntimeException | StackOverflowError e) {
                // 22: an invalid value, which is this row's fault alone.
                unreadable = new SQLException(
                        (newRun == null ? "payload" : "new_run") + " can't be read: "
                                + Thrown.of(e).words(),
                        "22000",
                        e);
            }
            return new Row(
                    source, eventId, row.getInt("shard"), target, from, delivery, start, child, watched, unreadable);
        }

        /** Returns the delivery that tells the parent that the child of this target is started. */
        private static Delivery answer(UUID parent, String from, Delivery watch) {
            return new Delivery(
                    from,
                    parent,
                    ChildOutcome.started(
                            Objects.requireNonNull(watch.runId()),
                            watch.message().payload()));
        }
    }
}
