package dev.durable.store.postgres.internal.run;

import static dev.durable.store.postgres.internal.sql.Param.instants;
import static dev.durable.store.postgres.internal.sql.Param.ints;
import static dev.durable.store.postgres.internal.sql.Param.shorts;
import static dev.durable.store.postgres.internal.sql.Param.texts;
import static dev.durable.store.postgres.internal.sql.Param.uuids;

import dev.durable.store.CommitUnknownException;
import dev.durable.store.Delivery;
import dev.durable.store.Delivery.Outcome;
import dev.durable.store.InboxLimit;
import dev.durable.store.RunIds;
import dev.durable.store.postgres.internal.job.Cancellations;
import dev.durable.store.postgres.internal.message.DeliveryBatch;
import dev.durable.store.postgres.internal.message.MessageSql;
import dev.durable.store.postgres.internal.nudge.PendingNudges;
import dev.durable.store.postgres.internal.nudge.SharedNudges;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.LockPatience;
import dev.durable.store.postgres.internal.sql.NudgePassage;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.TransactionSettings;
import dev.durable.store.postgres.internal.sql.Tx;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

/**
 * Inserts messages into inboxes, each at most once. A run drops a message that its own history has; one that was sent
 * before without an answer to the COMMIT, and that a run may have consumed which has closed since, is looked for in the
 * histories of the closed runs under the lock of the open one. There an update is looked for, too, that was rejected.
 */
final class Deliveries {
    /** The most by which the clock of this process may differ from that of the database. */
    private static final Duration APART = Duration.ofSeconds(10);

    /** The messages whose COMMIT was not answered, with the time of the first such try. */
    private final Map<UUID, Instant> unanswered = new ConcurrentHashMap<>();

    private final Connections connections;
    private final SharedNudges nudges;
    private final LockPatience patience;
    private final InboxLimit inboxLimit;
    private final LikelyQueue likely = new LikelyQueue();

    Deliveries(Connections connections, SharedNudges nudges, LockPatience patience, InboxLimit inboxLimit) {
        this.connections = connections;
        this.nudges = nudges;
        this.patience = patience;
        this.inboxLimit = inboxLimit;
    }

    List<Outcome> deliver(List<Delivery> deliveries) {
        Map<Integer, Outcome> outcomes =
                send(deliveries, IntStream.range(0, deliveries.size()).boxed().toList());
        // The target may have been written after the statement began that did not find it, so only a second miss
        // counts.
        Map<Integer, Outcome> second = send(deliveries, missing(deliveries, outcomes));
        outcomes.putAll(second);
        consumedBefore(deliveries, missing(deliveries, outcomes)).forEach(i -> outcomes.put(i, Outcome.ACCEPTED));
        missing(deliveries, outcomes).forEach(i -> outcomes.put(i, Outcome.NOT_FOUND));
        // A message that gets any other answer may be sent again, and then it matters that it was sent before.
        outcomes.forEach((i, outcome) -> {
            if (outcome == Outcome.ACCEPTED || outcome == Outcome.NOT_FOUND) {
                unanswered.remove(message(deliveries, i));
            }
        });
        return IntStream.range(0, deliveries.size()).mapToObj(outcomes::get).toList();
    }

    private Map<Integer, Outcome> send(List<Delivery> deliveries, List<Integer> items) {
        if (items.isEmpty()) {
            return new HashMap<>();
        }
        Map<Integer, Outcome> outcomes = new HashMap<>();
        connections
                .inParts(
                        items,
                        item -> deliveries.get(item).workflowId(),
                        patience,
                        (locks, part) -> outcomes.putAll(send(locks, new DeliveryBatch(deliveries, part))))
                .forEach(item -> outcomes.put(item, Outcome.LOCKED));
        return outcomes;
    }

    /** Workers are told of the messages behind the COMMIT, as far as their queue is as expected; else after it. */
    private Map<Integer, Outcome> send(TransactionSettings locks, DeliveryBatch batch) throws SQLException {
        List<UUID> messages = batch.messages();
        PendingNudges expected = likely.nudges();
        PendingNudges hints = new PendingNudges();
        NudgePassage passage = expected.passage(nudges);
        try {
            Map<Integer, Outcome> outcomes = connections.attempt(locks, passage, tx -> send(tx, batch, hints));
            hints.took(hints.areAmong(expected) ? passage : null);
            hints.spreadBy(nudges);
            likely.found(batch.queues());
            return outcomes;
        } catch (CommitUnknownException e) {
            messages.forEach(message -> unanswered.putIfAbsent(message, Instant.now()));
            throw e;
        }
    }

    private Map<Integer, Outcome> send(Tx tx, DeliveryBatch batch, PendingNudges hints) throws SQLException {
        Map<Integer, Outcome> outcomes = new HashMap<>();
        List<Resent> resent = new ArrayList<>();
        SqlScript script = new SqlScript()
                .read(
                        MessageSql.DELIVER,
                        row -> {
                            UUID message = batch.hear(row, outcomes, hints);
                            Instant since = unanswered.get(message);
                            if (since != null) {
                                resent.add(new Resent(row.getObject("run_id", UUID.class), message, since));
                            }
                        },
                        batch.params(inboxLimit));
        boolean sentBefore = batch.messages().stream().anyMatch(unanswered::containsKey);
        if (batch.asksToCancel()) {
            tx.run(script);
            script = batch.audit();
            Cancellations.asked(tx, batch.asked()).write(tx, script, hints);
        } else if (sentBefore) {
            tx.run(script);
            script = new SqlScript();
        }
        if (!resent.isEmpty()) {
            script.then(
                    MessageSql.DROP_CONSUMED,
                    uuids(resent, Resent::run),
                    shorts(resent, message -> RunIds.shard(message.run())),
                    uuids(resent, Resent::id),
                    instants(resent, message -> message.since().minus(APART)));
        }
        tx.last(script);
        return outcomes;
    }

    /** A message for an open run that was sent before. */
    private record Resent(UUID run, UUID id, Instant since) {}

    /** Returns those of the messages without an open run that stand in a history. */
    private List<Integer> consumedBefore(List<Delivery> deliveries, List<Integer> items) {
        if (items.isEmpty()) {
            return List.of();
        }
        Instant now = Instant.now();
        return connections.read(TransactionSettings.SHORT, tx -> {
            List<Integer> found = new ArrayList<>();
            tx.last(new SqlScript()
                    .read(
                            MessageSql.CONSUMED_BEFORE,
                            row -> found.add(row.getInt("item")),
                            ints(items, i -> i),
                            texts(items, i -> deliveries.get(i).workflowId()),
                            shorts(items, i -> shard(deliveries.get(i))),
                            uuids(items, i -> deliveries.get(i).runId()),
                            uuids(items, i -> message(deliveries, i)),
                            instants(
                                    items,
                                    i -> unanswered
                                            .getOrDefault(message(deliveries, i), now)
                                            .minus(APART))));
            return found;
        });
    }

    private static UUID message(List<Delivery> deliveries, int item) {
        return deliveries.get(item).message().messageId();
    }

    private static int shard(Delivery delivery) {
        return RunIds.shardOf(delivery.workflowId());
    }

    private static List<Integer> missing(List<Delivery> deliveries, Map<Integer, Outcome> outcomes) {
        return IntStream.range(0, deliveries.size())
                .filter(i -> !outcomes.containsKey(i))
                .boxed()
                .toList();
    }
}
