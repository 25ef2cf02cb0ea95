package dev.durable.store.postgres;

import dev.durable.WorkflowStatus;
import dev.durable.store.Delivery;
import dev.durable.store.InboxMessage;
import dev.durable.store.NewRun;
import dev.durable.store.StartOutcome;
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
import java.util.stream.IntStream;

/**
 * The careful form of starts: inserts what is not in the way of anything, judges what was inserted in statements that
 * see whatever the insert waited for, takes back what is refused, says who is in the way of the rest, and tells those
 * what starts have for them.
 *
 * <p>An open run is locked before it is told something, and looked up after that whether a run took the message before:
 * so it neither closes over the message nor gets one for the second time.
 */
final class StartJudgement {
    private final Tx tx;
    private final StartBatch asked;
    private final Hints hints;
    private final Map<UUID, StartOutcome> outcomes = new HashMap<>();

    /**
     * @param hints gets the queues of open runs that were told something
     */
    StartJudgement(Tx tx, List<NewRun> starts, Hints hints) {
        this.tx = tx;
        this.asked = StartBatch.of(starts);
        this.hints = hints;
    }

    /** Nobody is told anything: the caller sends on what is for open runs. */
    Map<UUID, StartOutcome> writeTheNew() throws SQLException {
        tx.last(write(false, 0));
        return outcomes;
    }

    /**
     * The whole transaction.
     *
     * @param inboxLimit how many messages may wait for a run
     */
    Map<UUID, StartOutcome> writeAndTell(int inboxLimit) throws SQLException {
        tx.last(write(true, inboxLimit));
        return outcomes;
    }

    /** The same where the transaction goes on. */
    Map<UUID, StartOutcome> writeAndTellFirst(int inboxLimit) throws SQLException {
        tx.run(write(true, inboxLimit));
        return outcomes;
    }

    /** Gives what is left to be written. */
    private Script write(boolean tell, int inboxLimit) throws SQLException {
        Set<UUID> inserted = insert();
        if (!inserted.isEmpty()) {
            judge(inserted, tell);
        }
        StartBatch fresh = only(inserted);
        fresh.starts().forEach(s -> outcomes.put(s.run().runId(), Starts.NEW));
        StartBatch others = new StartBatch(asked.starts().stream()
                .filter(s -> !outcomes.containsKey(s.run().runId()))
                .toList());
        List<NewRun> told = others.starts().isEmpty() ? List.of() : findOpen(others, tell);
        Script script = new Script();
        fresh.write(script);
        tell(told, inboxLimit, script);
        return script;
    }

    private StartBatch only(Set<UUID> runs) {
        Set<UUID> seen = new HashSet<>();
        return new StartBatch(asked.starts().stream()
                .filter(s -> runs.contains(s.run().runId()) && seen.add(s.run().runId()))
                .toList());
    }

    private Set<UUID> insert() throws SQLException {
        Set<UUID> inserted = new HashSet<>();
        tx.run(new Script()
                .read(StartSql.STATES, row -> inserted.add(row.getObject("run_id", UUID.class)), asked.states()));
        return inserted;
    }

    /** Takes back what must not start, and leaves the others. */
    private void judge(Set<UUID> inserted, boolean tell) throws SQLException {
        Set<UUID> resent = dropResent(only(inserted));
        resent.forEach(run -> outcomes.put(run, new StartOutcome.Started(true)));
        inserted.removeAll(resent);
        StartBatch telling = only(inserted).telling();
        if (tell && !telling.starts().isEmpty()) {
            tx.run(takenBefore(telling, new Script()));
            drop(telling.starts().stream()
                    .filter(s -> outcomes.containsKey(s.run().runId()))
                    .toList());
            inserted.removeAll(outcomes.keySet());
        }
        dropRefused(only(inserted));
        inserted.removeAll(outcomes.keySet());
    }

    private Set<UUID> dropResent(StartBatch fresh) throws SQLException {
        Set<UUID> dropped = new HashSet<>();
        tx.run(new Script()
                .read(
                        StartSql.DROP_RESENT,
                        row -> dropped.add(row.getObject("run_id", UUID.class)),
                        fresh.runs(),
                        fresh.shards()));
        return dropped;
    }

    private void dropRefused(StartBatch fresh) throws SQLException {
        Map<UUID, StartOutcome.Refused> latest = new HashMap<>();
        tx.run(new Script()
                .read(
                        StartSql.LATEST,
                        row -> latest.put(
                                row.getObject("run_id", UUID.class),
                                new StartOutcome.Refused(
                                        row.getObject("latest", UUID.class),
                                        WorkflowStatus.valueOf(row.getString("status")),
                                        row.getBoolean("same_place"))),
                        fresh.runs(),
                        fresh.shards(),
                        fresh.workflowIds(),
                        fresh.batches(),
                        fresh.numbers()));
        List<NewRun> refused = fresh.starts().stream()
                .filter(s -> latest.containsKey(s.run().runId())
                        && Starts.refuses(
                                s.reusePolicy(), latest.get(s.run().runId()).latestStatus()))
                .toList();
        drop(refused);
        refused.forEach(s -> outcomes.put(s.run().runId(), latest.get(s.run().runId())));
    }

    private void drop(List<NewRun> starts) throws SQLException {
        if (!starts.isEmpty()) {
            StartBatch dropped = new StartBatch(starts);
            tx.run(new Script().then(StartSql.DROP_REFUSED, dropped.runs(), dropped.shards()));
        }
    }

    /** Gives those that have something for the run that is in their way. */
    private List<NewRun> findOpen(StartBatch others, boolean tell) throws SQLException {
        StartBatch telling = tell ? others.telling() : new StartBatch(List.of());
        Script script = new Script()
                .read(
                        StartSql.IN_THE_WAY,
                        row -> outcomes.put(row.getObject("run_id", UUID.class), inTheWay(row)),
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

    private static StartOutcome inTheWay(ResultSet row) throws SQLException {
        UUID open = row.getObject("open", UUID.class);
        if (row.getBoolean("resent")) {
            return new StartOutcome.Started(true);
        }
        if (open == null) {
            throw new ClosedMeanwhile();
        }
        return new StartOutcome.AlreadyOpen(
                open, row.getString("type"), null, row.getString("activity"), row.getBoolean("same_place"));
    }

    private Script takenBefore(StartBatch telling, Script script) {
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

    /** In the order of the caller, which {@link StartBatch#of} keeps within a workflow id. */
    private void tell(List<NewRun> told, int inboxLimit, Script script) {
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
                RequestSql.DELIVER,
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

    /** The run that was in the way is gone: the same asked again may start. */
    static final class ClosedMeanwhile extends SQLException {
        private static final long serialVersionUID = 1;

        ClosedMeanwhile() {
            super("the run that was in the way has closed meanwhile", "40001");
        }
    }
}
