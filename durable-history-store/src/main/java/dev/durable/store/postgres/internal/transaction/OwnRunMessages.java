package dev.durable.store.postgres.internal.transaction;

import static dev.durable.store.postgres.internal.sql.Param.longs;
import static dev.durable.store.postgres.internal.sql.Param.shorts;
import static dev.durable.store.postgres.internal.sql.Param.uuids;

import dev.durable.store.Delivery;
import dev.durable.store.InboxLimit;
import dev.durable.store.RunKey;
import dev.durable.store.postgres.internal.message.DeliveryBatch;
import dev.durable.store.postgres.internal.message.MessageSql;
import dev.durable.store.postgres.internal.nudge.PendingNudges;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.Tx;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The messages that the body of a transactional activity has sent to its own run. They go into the run's inbox in the
 * transaction of the body, before the outcome: so the run is fed them before the outcome, and its close is refused as
 * long as they wait. The relay would deliver them after the commit, when the run may have closed with that outcome.
 *
 * <p>They are rows of the outbox until the body has returned, so that a rollback to a savepoint takes them with it. The
 * run's row is locked before its job, as everywhere ({@link dev.durable.store.postgres.internal.run.TransitionSql}):
 * with KEY SHARE, which lets the run go on and holds off its close until the commit. A message that does not fit into
 * the inbox stays in the outbox.
 *
 * @param inboxLimit the limit of an inbox
 */
record OwnRunMessages(InboxLimit inboxLimit) {

    /** A row that was written to the outbox. */
    record Sent(
            UUID source,
            long eventId,
            String workflowId,
            @Nullable UUID runId) {
        boolean isFor(RunKey run) {
            return workflowId.equals(run.workflowId()) && (runId == null || runId.equals(run.runId()));
        }
    }

    /** Delivers the messages, before the job is locked. */
    void deliver(Tx tx, RunKey run, List<Sent> sent, PendingNudges hints) throws SQLException {
        List<Sent> own = sent.stream().filter(row -> row.isFor(run)).toList();
        if (own.isEmpty()) {
            return;
        }
        List<Outbox.Row> rows = new ArrayList<>();
        tx.run(new SqlScript()
                .read(
                        RelaySql.TAKE_OWN,
                        row -> rows.add(Outbox.Row.read(row)),
                        uuids(own, Sent::source),
                        longs(own, Sent::eventId),
                        shorts(own, row -> run.shard())));
        if (rows.isEmpty()) {
            return;
        }
        List<Delivery> deliveries = rows.stream()
                .map(row -> new Delivery(
                        run.workflowId(), run.runId(), row.delivery().message()))
                .toList();
        DeliveryBatch batch = new DeliveryBatch(
                deliveries, IntStream.range(0, rows.size()).boxed().toList());
        Map<Integer, Delivery.Outcome> outcomes = new HashMap<>();
        tx.run(new SqlScript()
                .read(MessageSql.DELIVER, row -> batch.hear(row, outcomes, hints), batch.params(inboxLimit)));
        List<Outbox.Row> accepted = IntStream.range(0, rows.size())
                .filter(i -> outcomes.get(i) == Delivery.Outcome.ACCEPTED)
                .mapToObj(rows::get)
                .toList();
        tx.run(new SqlScript()
                .then(
                        RelaySql.REMOVE,
                        uuids(accepted, Outbox.Row::source),
                        longs(accepted, Outbox.Row::eventId),
                        shorts(accepted, Outbox.Row::shard)));
    }
}
