package dev.durable.store.postgres.internal.message;

import static dev.durable.store.postgres.internal.sql.Param.bools;
import static dev.durable.store.postgres.internal.sql.Param.ints;
import static dev.durable.store.postgres.internal.sql.Param.shorts;
import static dev.durable.store.postgres.internal.sql.Param.texts;
import static dev.durable.store.postgres.internal.sql.Param.uuids;

import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.store.Delivery;
import dev.durable.store.Delivery.Outcome;
import dev.durable.store.InboxLimit;
import dev.durable.store.RunIds;
import dev.durable.store.RunKey;
import dev.durable.store.RunPause;
import dev.durable.store.Utf8Order;
import dev.durable.store.postgres.internal.nudge.PendingNudges;
import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.SafeText;
import dev.durable.store.postgres.internal.sql.SqlScript;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The messages of one batch grouped by target run, so that each target is locked once. */
public final class DeliveryBatch {
    private final List<Target> targets;
    /** How many messages of each target count for the limit of its inbox; targets without such a message are not there. */
    private final Map<Target, Integer> places = new HashMap<>();

    private final List<Row> rows = new ArrayList<>();
    private final Map<Integer, UUID> ids = new HashMap<>();
    private final Map<Integer, Delivery> asking = new HashMap<>();

    private final Set<String> queues = new HashSet<>();
    private final List<RunKey> asked = new ArrayList<>();
    private final SqlScript audit = new SqlScript();

    /** The deliveries with these indices. */
    public DeliveryBatch(List<Delivery> deliveries, List<Integer> items) {
        targets = items.stream()
                .map(i -> Target.of(deliveries.get(i)))
                .distinct()
                .sorted(Target.LOCK_ORDER)
                .toList();
        Map<Target, Integer> numbers = new HashMap<>();
        targets.forEach(target -> numbers.put(target, numbers.size() + 1));
        for (Integer item : items) {
            Delivery delivery = deliveries.get(item);
            Target target = Target.of(delivery);
            int place = delivery.message().kind().countsForLimit() ? places.merge(target, 1, Integer::sum) : 0;
            int number = Objects.requireNonNull(numbers.get(target));
            rows.add(new Row(number, target.shard(), item, place, delivery.message()));
            ids.put(item, delivery.message().messageId());
            if (delivery.message().kind() == MessageKind.CANCEL) {
                asking.put(item, delivery);
            }
        }
    }

    /** Returns whether one of them asks a run to cancel. */
    public boolean asksToCancel() {
        return !asking.isEmpty();
    }

    /** The ids of its messages. */
    public List<UUID> messages() {
        return List.copyOf(ids.values());
    }

    /** The runs that accepted messages ask to cancel. Complete after the last call of {@link #hear}. */
    public List<RunKey> asked() {
        return asked;
    }

    /** Reads a row of the answer of {@link MessageSql#DELIVER}, which is the result for an item; returns the message's id. */
    public UUID hear(ResultSet row, Map<Integer, Outcome> outcomes, PendingNudges hints) throws SQLException {
        int item = row.getInt("item");
        Outcome outcome = Outcome.valueOf(row.getString("outcome"));
        outcomes.put(item, outcome);
        if (outcome == Outcome.ACCEPTED) {
            String queue = Objects.requireNonNull(row.getString("task_queue"));
            queues.add(queue);
            hints.runs(queue);
            Delivery asks = asking.get(item);
            if (asks != null) {
                UUID run = row.getObject("run_id", UUID.class);
                asked.add(new RunKey(run, asks.workflowId()));
                audit(asks, run, audit);
            }
        }
        return Objects.requireNonNull(ids.get(item));
    }

    /** The task queues of the runs that have got messages. Complete after the last call of {@link #hear}. */
    public Set<String> queues() {
        return queues;
    }

    /** The rows of the audit for requests that were accepted. Complete after the last call of {@link #hear}. */
    public SqlScript audit() {
        return audit;
    }

    /**
     * Adds the row of a request to cancel that an operator sends; nothing for any other message.
     *
     * @param run the run that is asked; null if that is known later only
     */
    public static void audit(Delivery delivery, @Nullable UUID run, SqlScript script) {
        if (delivery.actor() != null) {
            script.then(
                    MessageSql.AUDIT,
                    Param.of(delivery.message().messageId()),
                    Param.of(SafeText.storable(delivery.actor())),
                    Param.of(Delivery.CANCEL),
                    Param.of(delivery.workflowId()),
                    Param.of(run == null ? "{}" : RunPause.details(run)));
        }
    }

    public Param[] params(InboxLimit inboxLimit) {
        return new Param[] {
            texts(targets, Target::workflowId),
            shorts(targets, Target::shard),
            uuids(targets, Target::runId),
            bools(targets, places::containsKey),
            Param.of(inboxLimit.bytes()),
            Param.of(inboxLimit.messages()),
            Param.of(inboxLimit.messages()),
            ints(rows, Row::target),
            shorts(rows, Row::shard),
            ints(rows, Row::item),
            ints(rows, Row::place),
            uuids(rows, r -> r.message().messageId()),
            shorts(rows, r -> r.message().kind().code()),
            texts(rows, r -> r.message().name()),
            texts(rows, r -> r.message().payload()),
            texts(rows, r -> r.message().notes())
        };
    }

    /** The run that a message is for; a run id of null is the current run of the workflow id. */
    private record Target(
            String workflowId, int shard, @Nullable UUID runId) {
        static final Comparator<Target> LOCK_ORDER = Comparator.comparingInt(Target::shard)
                .thenComparing(Target::workflowId, Utf8Order.INSTANCE)
                .thenComparing(Target::runId, Comparator.nullsFirst(RunIds.ORDER));

        static Target of(Delivery delivery) {
            return new Target(delivery.workflowId(), RunIds.shardOf(delivery.workflowId()), delivery.runId());
        }
    }

    private record Row(int target, int shard, int item, int place, InboxMessage message) {}
}
