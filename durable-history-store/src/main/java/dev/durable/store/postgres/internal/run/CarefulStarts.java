package dev.durable.store.postgres.internal.run;

import dev.durable.client.WorkflowStatus;
import dev.durable.history.InboxMessage;
import dev.durable.store.Delivery;
import dev.durable.store.InboxLimit;
import dev.durable.store.NewRun;
import dev.durable.store.StartOutcome;
import dev.durable.store.postgres.internal.message.DeliveryBatch;
import dev.durable.store.postgres.internal.message.MessageSql;
import dev.durable.store.postgres.internal.nudge.PendingNudges;
import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.Tx;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The slow path for a batch of starts in which some meet an open run or a policy: inserts all starts that it can,
 * checks each, and deletes again those that are refused.
 *
 * <p>An open run is locked before a message is sent to it, and after that it is checked whether a run took the message
 * before: so the run neither closes before it has the message nor gets it twice.
 */
public final class CarefulStarts {
    private final Tx tx;
    private final StartBatch asked;
    private final PendingNudges hints;
    private final Map<UUID, StartOutcome> outcomes = new HashMap<>();

    /**
     *
     * @param hints gets the task queues of open runs that got a message
     */
    public CarefulStarts(Tx tx, List<NewRun> starts, PendingNudges hints) {
        this.tx = tx;
        this.asked = StartBatch.of(starts);
        this.hints = hints;
    }

    /** Writes the new runs, and delivers no messages to open runs, as the caller does that. */
    Map<UUID, StartOutcome> writeTheNew() throws SQLException {
        tx.last(write(false, InboxLimit.DEFAULT));
        return outcomes;
    }

    /**
     * Writes the starts and delivers their messages, as a whole transaction.
     *
     * @param inboxLimit the limit of an inbox
     */
    Map<UUID, StartOutcome> writeAndTell(InboxLimit inboxLimit) throws SQLException {
        tx.last(write(true, inboxLimit));
        return outcomes;
    }

    /** As {@link #writeAndTell}, for a transaction that goes on. */
    public Map<UUID, StartOutcome> writeAndTellFirst(InboxLimit inboxLimit) throws SQLException {
        tx.run(write(true, inboxLimit));
        return outcomes;
    }

    /**
     * Returns the statements that are left to be written. Of each workflow id one start is inserted at a time: if it is
     * deleted again, the starts that it kept out are tried anew, and no other transaction can have come between.
     */
    private SqlScript write(boolean tell, InboxLimit inboxLimit) throws SQLException {
        Set<UUID> fresh = new HashSet<>();
        List<NewRun> told = new ArrayList<>();
        StartBatch left = asked;
        while (!left.starts().isEmpty()) {
            Set<UUID> inserted = insert(left);
            Set<String> takenBack = inserted.isEmpty() ? Set.of() : judge(inserted, tell);
            fresh.addAll(inserted);
            inserted.forEach(run -> outcomes.put(run, Starts.NEW));
            StartBatch others = open(left);
            told.addAll(others.starts().isEmpty() ? List.of() : findOpen(others, tell));
            left = keptOut(others, takenBack, tell);
        }
        SqlScript script = new SqlScript();
        only(fresh).write(script);
        tell(told, inboxLimit, script);
        return script;
    }

    /** The starts that have no outcome yet. */
    private StartBatch open(StartBatch starts) {
        return new StartBatch(starts.starts().stream()
                .filter(s -> !outcomes.containsKey(s.run().runId()))
                .toList());
    }

    /** The starts that no open run prevents any more, and that may start: they are to be inserted. */
    private StartBatch keptOut(StartBatch others, Set<String> takenBack, boolean tell) throws SQLException {
        StartBatch left = open(others);
        if (left.starts().stream().anyMatch(s -> !takenBack.contains(s.run().workflowId()))) {
            throw new ClosedMeanwhile();
        }
        if (!left.starts().isEmpty()) {
            refuse(left, tell);
        }
        return open(left);
    }

    private StartBatch only(Set<UUID> runs) {
        Set<UUID> seen = new HashSet<>();
        return new StartBatch(asked.starts().stream()
                .filter(s -> runs.contains(s.run().runId()) && seen.add(s.run().runId()))
                .toList());
    }

    private Set<UUID> insert(StartBatch starts) throws SQLException {
        Set<UUID> inserted = new HashSet<>();
        tx.run(new SqlScript()
                .read(starts.statesSql(), row -> inserted.add(row.getObject("run_id", UUID.class)), starts.states()));
        return inserted;
    }

    /** Deletes inserted runs that must not start; returns the workflow ids of these runs. */
    private Set<String> judge(Set<UUID> inserted, boolean tell) throws SQLException {
        StartBatch all = only(inserted);
        Set<UUID> resent = dropResent(all);
        resent.forEach(run -> outcomes.put(run, new StartOutcome.Started(true)));
        StartBatch judged = open(all);
        refuse(judged, tell);
        drop(judged.starts().stream()
                .filter(s -> outcomes.containsKey(s.run().runId()))
                .toList());
        inserted.removeAll(outcomes.keySet());
        return all.starts().stream()
                .filter(s -> outcomes.containsKey(s.run().runId()))
                .map(s -> s.run().workflowId())
                .collect(Collectors.toSet());
    }

    private Set<UUID> dropResent(StartBatch fresh) throws SQLException {
        Set<UUID> dropped = new HashSet<>();
        tx.run(new SqlScript()
                .read(
                        StartSql.DROP_RESENT,
                        row -> dropped.add(row.getObject("run_id", UUID.class)),
                        fresh.runs(),
                        fresh.shards()));
        return dropped;
    }

    /**
     * Finds starts whose message a run took before, and starts that their policy refuses, of each workflow id up to the
     * first that may start, as the later ones meet an open run. No other run of these workflow ids may open or close
     * meanwhile.
     */
    private void refuse(StartBatch starts, boolean tell) throws SQLException {
        StartBatch telling = starts.telling();
        if (tell && !telling.starts().isEmpty()) {
            tx.run(takenBefore(telling, new SqlScript()));
        }
        StartBatch judged = open(starts);
        Map<UUID, StartOutcome.Refused> latest = latest(judged);
        Set<String> mayStart = new HashSet<>();
        for (NewRun start : judged.starts()) {
            String workflowId = start.run().workflowId();
            StartOutcome.Refused refused = latest.get(start.run().runId());
            if (refused == null || !Starts.refuses(start.policies().reuse(), refused.latestStatus())) {
                mayStart.add(workflowId);
            } else if (!mayStart.contains(workflowId)) {
                outcomes.put(start.run().runId(), refused);
            }
        }
    }

    private Map<UUID, StartOutcome.Refused> latest(StartBatch starts) throws SQLException {
        Map<UUID, StartOutcome.Refused> latest = new HashMap<>();
        tx.run(new SqlScript()
                .read(
                        StartSql.LATEST,
                        row -> latest.put(
                                row.getObject("run_id", UUID.class),
                                new StartOutcome.Refused(
                                        row.getObject("latest", UUID.class),
                                        WorkflowStatus.valueOf(row.getString("status")),
                                        row.getBoolean("same_place"))),
                        starts.runs(),
                        starts.shards(),
                        starts.workflowIds(),
                        starts.batches(),
                        starts.numbers()));
        return latest;
    }

    private void drop(List<NewRun> starts) throws SQLException {
        if (!starts.isEmpty()) {
            StartBatch dropped = new StartBatch(starts);
            tx.run(new SqlScript().then(StartSql.DROP_REFUSED, dropped.runs(), dropped.shards()));
        }
    }

    /**
     * Returns the starts that have a message for the open run that prevents them; a start without such a run gets no
     * outcome yet.
     */
    private List<NewRun> findOpen(StartBatch others, boolean tell) throws SQLException {
        StartBatch telling = tell ? others.telling() : new StartBatch(List.of());
        SqlScript script = new SqlScript()
                .read(
                        StartSql.IN_THE_WAY,
                        row -> {
                            StartOutcome outcome = inTheWay(row);
                            if (outcome != null) {
                                outcomes.put(row.getObject("run_id", UUID.class), outcome);
                            }
                        },
                        others.runs(),
                        others.shards(),
                        others.workflowIds(),
                        tell ? others.tells() : Param.bools(others.starts(), s -> false),
                        others.batches(),
                        others.numbers());
        tx.run(telling.starts().isEmpty() ? script : takenBefore(telling, script));
        return telling.starts().stream().filter(this::isStillToBeTold).toList();
    }

    private boolean isStillToBeTold(NewRun start) {
        return outcomes.get(start.run().runId()) instanceof StartOutcome.AlreadyOpen open
                && open.message() == null
                && start.isOfType(open.type());
    }

    /** The outcome of a start by the run that prevents it; null if there is none. */
    private static @Nullable StartOutcome inTheWay(ResultSet row) throws SQLException {
        UUID open = row.getObject("open", UUID.class);
        if (row.getBoolean("resent")) {
            return new StartOutcome.Started(true);
        }
        return open == null
                ? null
                : new StartOutcome.AlreadyOpen(
                        open, row.getString("type"), null, row.getString("activity"), row.getBoolean("same_place"));
    }

    private SqlScript takenBefore(StartBatch telling, SqlScript script) {
        return script.read(
                StartSql.TAKEN_BEFORE,
                row -> outcomes.put(
                        row.getObject("run_id", UUID.class),
                        new StartOutcome.AlreadyOpen(
                                row.getObject("taker", UUID.class), row.getString("type"), Delivery.Outcome.ACCEPTED)),
                telling.runs(),
                telling.shards(),
                telling.workflowIds(),
                telling.messageIds(),
                telling.madeAt());
    }

    /** Delivers messages in the order of the caller, which {@link StartBatch#of} keeps within a workflow id. */
    private void tell(List<NewRun> told, InboxLimit inboxLimit, SqlScript script) {
        if (told.isEmpty()) {
            return;
        }
        List<Delivery> deliveries = new ArrayList<>();
        for (NewRun start : told) {
            InboxMessage message = Objects.requireNonNull(start.message());
            deliveries.add(new Delivery(start.run().workflowId(), open(start).runId(), message));
        }
        List<Integer> all = IntStream.range(0, told.size()).boxed().toList();
        script.read(
                MessageSql.DELIVER,
                row -> {
                    NewRun start = told.get(row.getInt("item"));
                    Delivery.Outcome outcome = Delivery.Outcome.valueOf(row.getString("outcome"));
                    StartOutcome.AlreadyOpen open = open(start);
                    outcomes.put(start.run().runId(), new StartOutcome.AlreadyOpen(open.runId(), open.type(), outcome));
                    if (outcome == Delivery.Outcome.ACCEPTED) {
                        hints.runs(row.getString("task_queue"));
                    }
                },
                new DeliveryBatch(deliveries, all).params(inboxLimit));
    }

    private StartOutcome.AlreadyOpen open(NewRun start) {
        return (StartOutcome.AlreadyOpen)
                Objects.requireNonNull(outcomes.get(start.run().runId()));
    }

    /** Thrown where the open run has closed meanwhile, so that the start may succeed when it is tried again. */
    static final class ClosedMeanwhile extends SQLException {
        private static final long serialVersionUID = 1;

        ClosedMeanwhile() {
            super("the run that was in the way has closed meanwhile", "40001");
        }
    }
}
