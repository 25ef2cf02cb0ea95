package dev.durable.store.postgres;

import dev.durable.WorkflowStatus;
import dev.durable.store.NewRun;
import dev.durable.store.StartOutcome;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * The careful form of starts: inserts what is not in the way of anything, judges what was inserted in statements that
 * see whatever the insert waited for, takes back what is refused, and says who is in the way of the rest.
 */
final class StartJudgement {
    private final Tx tx;
    private final StartBatch asked;
    private final Map<UUID, StartOutcome> outcomes = new HashMap<>();

    StartJudgement(Tx tx, List<NewRun> starts) {
        this.tx = tx;
        this.asked = StartBatch.of(starts);
    }

    Map<UUID, StartOutcome> writeTheNew() throws SQLException {
        Set<UUID> inserted = insert();
        StartBatch fresh = only(inserted);
        Set<UUID> resent = dropResent(fresh);
        resent.forEach(run -> outcomes.put(run, new StartOutcome.Started(true)));
        inserted.removeAll(resent);
        dropRefused(only(inserted));
        inserted.removeAll(outcomes.keySet());
        write(only(inserted));
        return outcomes;
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
                                        WorkflowStatus.valueOf(row.getString("status")))),
                        fresh.runs(),
                        fresh.shards(),
                        fresh.workflowIds()));
        StartBatch refused = new StartBatch(fresh.starts().stream()
                .filter(s -> latest.containsKey(s.run().runId())
                        && Starts.refuses(
                                s.reusePolicy(), latest.get(s.run().runId()).latestStatus()))
                .toList());
        if (!refused.starts().isEmpty()) {
            tx.run(new Script().then(StartSql.DROP_REFUSED, refused.runs(), refused.shards()));
            refused.starts()
                    .forEach(s ->
                            outcomes.put(s.run().runId(), latest.get(s.run().runId())));
        }
    }

    private void write(StartBatch fresh) throws SQLException {
        fresh.starts().forEach(s -> outcomes.put(s.run().runId(), Starts.NEW));
        findOpen(new StartBatch(asked.starts().stream()
                .filter(s -> !outcomes.containsKey(s.run().runId()))
                .toList()));
        Script script = new Script();
        fresh.write(script);
        tx.last(script);
    }

    private void findOpen(StartBatch others) throws SQLException {
        if (!others.starts().isEmpty()) {
            tx.run(new Script()
                    .read(
                            StartSql.IN_THE_WAY,
                            row -> outcomes.put(row.getObject("run_id", UUID.class), inTheWay(row)),
                            others.runs(),
                            others.shards(),
                            others.workflowIds()));
        }
    }

    private static StartOutcome inTheWay(ResultSet row) throws SQLException {
        UUID open = row.getObject("open", UUID.class);
        if (row.getBoolean("resent")) {
            return new StartOutcome.Started(true);
        }
        if (open == null) {
            throw new SQLException("the run that was in the way has closed meanwhile", "40001");
        }
        return new StartOutcome.AlreadyOpen(open);
    }
}
