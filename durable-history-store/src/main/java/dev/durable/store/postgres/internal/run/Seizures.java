package dev.durable.store.postgres.internal.run;

import static dev.durable.store.postgres.internal.sql.Param.ints;
import static dev.durable.store.postgres.internal.sql.Param.shorts;
import static dev.durable.store.postgres.internal.sql.Param.texts;
import static dev.durable.store.postgres.internal.sql.Param.uuids;

import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.history.StoredEvent;
import dev.durable.internal.json.JsonObjectWriter;
import dev.durable.store.EarliestTimeouts;
import dev.durable.store.JobKey;
import dev.durable.store.LeftJob;
import dev.durable.store.NewRun;
import dev.durable.store.Nudges;
import dev.durable.store.RunChange;
import dev.durable.store.RunIds;
import dev.durable.store.RunKey;
import dev.durable.store.RunPause;
import dev.durable.store.Seizure;
import dev.durable.store.Transition;
import dev.durable.store.postgres.internal.job.HeartbeatRows;
import dev.durable.store.postgres.internal.job.LockedJob;
import dev.durable.store.postgres.internal.message.MessageSql;
import dev.durable.store.postgres.internal.nudge.PendingNudges;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.SafeText;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.TimeColumns;
import dev.durable.store.postgres.internal.sql.TransactionSettings;
import dev.durable.store.postgres.internal.sql.Tx;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Closes runs from outside, without running their code: the runs' fences are replaced. */
public final class Seizures {
    private static final Logger log = LoggerFactory.getLogger(Seizures.class);

    /**
     * How many runs one transaction ends: it locks all of their jobs, and has all of their waiting outcomes in memory.
     */
    private static final int MOST_AT_ONCE = 50;

    private final Connections connections;
    private final RunBatches batches;

    public Seizures(Connections connections, Nudges nudges) {
        this.connections = connections;
        this.batches = new RunBatches(connections, nudges, MOST_AT_ONCE);
    }

    public List<RunChange> seize(List<Seizure> seizures) {
        return batches.write(seizures.stream().map(Seizure::workflowId).toList(), (tx, items, outcomes) -> {
            PendingNudges told = new PendingNudges();
            List<Ending> endings = new ArrayList<>();
            lock(tx, items, seizures, (item, open) -> {
                Seizure seizure = seizures.get(item);
                if (seizure.onlyIfDue() && !open.due()) {
                    outcomes.set(item, RunChange.unchanged(open.run()));
                } else {
                    endings.add(new Ending(seizure, open, null));
                    outcomes.set(item, RunChange.changed(open.run()));
                    told.closed(open.run().runId());
                    if (open.related()) {
                        told.outbox();
                    }
                }
            });
            SqlScript script = endings.isEmpty() ? new SqlScript() : closing(tx, endings);
            endings.forEach(ending -> audit(ending, script));
            List<Integer> missing = items.stream().filter(outcomes::isMissing).toList();
            if (!missing.isEmpty()) {
                closedBy(script, missing, seizures, (item, run) -> {
                    outcomes.set(item, RunChange.changed(run));
                    told.closed(run.runId());
                });
            }
            tx.last(script);
            return told;
        });
    }

    private static void audit(Ending ending, SqlScript script) {
        String actor = ending.seizure.actor();
        if (actor != null) {
            script.then(
                    MessageSql.AUDIT,
                    Param.of(ending.seizure.auditId()),
                    Param.of(SafeText.storable(actor)),
                    Param.of(Seizure.TERMINATE),
                    Param.of(ending.seizure.workflowId()),
                    Param.of(RunPause.details(ending.open.run().runId())));
        }
    }

    public List<RunKey> expired(int limit) {
        return connections.read(TransactionSettings.SHORT, tx -> {
            List<RunKey> expired = new ArrayList<>();
            Param most = Param.of(limit);
            tx.last(new SqlScript()
                    .read(
                            SeizureSql.EXPIRED,
                            row -> expired.add(
                                    new RunKey(row.getObject("run_id", UUID.class), row.getString("workflow_id"))),
                            most,
                            most,
                            most));
            return expired;
        });
    }

    /** The earliest timeouts of runs, and of jobs that no worker watches. */
    public EarliestTimeouts earliestTimeouts() {
        return connections.read(TransactionSettings.SHORT, tx -> {
            List<EarliestTimeouts> earliest = new ArrayList<>();
            tx.last(new SqlScript()
                    .read(
                            SeizureSql.EARLIEST_TIMEOUTS,
                            row -> earliest.add(new EarliestTimeouts(
                                    TimeColumns.instant(row, "waiting"),
                                    TimeColumns.instant(row, "external"),
                                    TimeColumns.instant(row, "runs")))));
            return earliest.getFirst();
        });
    }

    /** Locks the runs of seizures that are open, in the order in which they stand here. */
    private static void lock(Tx tx, List<Integer> items, List<Seizure> seizures, BiConsumer<Integer, OpenRun> whereOpen)
            throws SQLException {
        tx.run(new SqlScript()
                .read(
                        SeizureSql.LOCK_RUNS,
                        row -> whereOpen.accept(
                                row.getInt("item"),
                                new OpenRun(
                                        new RunKey(
                                                row.getObject("run_id", UUID.class),
                                                seizures.get(row.getInt("item")).workflowId()),
                                        row.getLong("next_event_id"),
                                        row.getBoolean("due"),
                                        row.getBoolean("related"))),
                        ints(items, item -> item),
                        texts(items, item -> seizures.get(item).workflowId()),
                        shorts(items, item -> RunIds.shardOf(seizures.get(item).workflowId())),
                        uuids(items, item -> seizures.get(item).runId())));
    }

    private static void closedBy(
            SqlScript script, List<Integer> items, List<Seizure> seizures, BiConsumer<Integer, RunKey> whereClosed) {
        script.read(
                SeizureSql.CLOSED_BY,
                row -> whereClosed.accept(
                        row.getInt("item"),
                        new RunKey(
                                row.getObject("run_id", UUID.class),
                                seizures.get(row.getInt("item")).workflowId())),
                ints(items, item -> item),
                texts(items, item -> seizures.get(item).workflowId()),
                shorts(items, item -> RunIds.shardOf(seizures.get(item).workflowId())),
                uuids(items, item -> seizures.get(item).newFence()));
    }

    /** Closes a run within a transaction that goes on. Returns false if the run is not open any more. */
    public static boolean end(Tx tx, Seizure seizure) throws SQLException {
        List<Ending> endings = new ArrayList<>();
        lock(tx, List.of(0), List.of(seizure), (item, open) -> endings.add(new Ending(seizure, open, null)));
        if (!endings.isEmpty()) {
            tx.run(closing(tx, endings));
        }
        return !endings.isEmpty();
    }

    /** Closes a run whose place a fork takes, within a transaction that goes on: its row and its messages are the fork's. */
    static void replace(Tx tx, LockedRun run, NewRun fork) throws SQLException {
        OpenRun open = new OpenRun(run.run(), run.nextEventId(), true, true);
        tx.run(closing(tx, List.of(new Ending(run.seizure(), open, fork))));
    }

    /** A run that the transaction has locked against its senders and its holder, and how it is to be closed. */
    public record LockedRun(RunKey run, long nextEventId, Seizure seizure) {}

    /** Closes runs within a transaction that goes on. */
    public static void end(Tx tx, List<LockedRun> runs) throws SQLException {
        if (!runs.isEmpty()) {
            tx.run(closing(
                    tx,
                    runs.stream()
                            .map(run -> new Ending(
                                    run.seizure(), new OpenRun(run.run(), run.nextEventId(), true, true), null))
                            .toList()));
        }
    }

    /** Reads the remaining jobs and messages of the runs; returns the statements that end them. */
    private static SqlScript closing(Tx tx, List<Ending> runs) throws SQLException {
        // Jobs are locked in order of run id.
        List<Ending> endings = runs.stream()
                .sorted(Comparator.comparing(ending -> ending.open.run().runId(), RunIds.ORDER))
                .toList();
        Map<UUID, Ending> byRun = new HashMap<>();
        endings.forEach(ending -> byRun.put(ending.open.run().runId(), ending));
        Param ids = uuids(endings, ending -> ending.open.run().runId());
        Param shards = shorts(endings, ending -> ending.open.run().shard());
        tx.run(new SqlScript()
                .read(SeizureSql.LOCK_JOBS, row -> of(row, byRun).job(row), ids, shards)
                .read(TransitionSql.OUTCOMES, row -> of(row, byRun).left.add(LeftJob.of(outcome(row))), ids, shards)
                .read(SeizureSql.LEFT, row -> of(row, byRun).left(row), ids, shards));
        List<JobKey> jobs = endings.stream().flatMap(Ending::jobKeys).toList();
        Map<JobKey, String> details = jobs.isEmpty() ? Map.of() : HeartbeatRows.read(tx, jobs);
        SqlScript script = new SqlScript();
        TransitionBatch.told(endings.stream()
                        .map(ending -> ending.transition(details))
                        .toList())
                .seize(script);
        for (Ending ending : endings) {
            if (ending.closing.isEmpty()) {
                sayUnrecorded(ending.seizure, end(ending.seizure, ending.open, List.of(), ending.next), script);
            }
        }
        return script;
    }

    private static Ending of(ResultSet row, Map<UUID, Ending> endings) throws SQLException {
        return Objects.requireNonNull(endings.get(row.getObject("run_id", UUID.class)));
    }

    /** A run that is being closed, and what is left of it. */
    private static final class Ending {
        private final Seizure seizure;
        private final OpenRun open;
        private final @Nullable NewRun next;
        private final List<StoredEvent> closing = new ArrayList<>();
        private final List<LockedJob> jobs = new ArrayList<>();
        private final List<LeftJob> left = new ArrayList<>();

        /** @param next the fork that takes its place; null where its chain ends */
        Ending(Seizure seizure, OpenRun open, @Nullable NewRun next) {
            this.seizure = seizure;
            this.open = open;
            this.next = next;
        }

        void job(ResultSet row) throws SQLException {
            jobs.add(LockedJob.read(row, open.run()));
        }

        /** Takes the number of messages that are dropped, and the time of the end, where there is a history to end. */
        void left(ResultSet row) throws SQLException {
            if (row.getBoolean("recorded")) {
                closing.add(closingEvent(seizure, open, row.getInt("messages"), TimeColumns.required(row, "at")));
            }
        }

        Stream<JobKey> jobKeys() {
            return jobs.stream().map(LockedJob::key);
        }

        Transition transition(Map<JobKey, String> details) {
            jobs.forEach(job -> left.add(job.left(details.get(job.key()))));
            Transition end = end(seizure, open, closing, next);
            return closing.isEmpty()
                    ? end
                    : end.closingWith(LeftJob.events(left, closing.getFirst().at()));
        }
    }

    /**
     * Ends a run without an event: its partition was dropped while it was open, or its history deleted, so there is
     * none to append an event to.
     */
    private static void sayUnrecorded(Seizure seizure, Transition end, SqlScript script) {
        script.then(
                SeizureSql.AUDIT_GONE,
                Param.of(seizure.newFence()),
                Param.of(seizure.workflowId()),
                Param.of(JsonObjectWriter.object(
                        out -> out.uuid("runId", end.run().runId())
                                .string("status", seizure.status().name()))));
        log.warn(
                "run {} of {} is closed as {} without an event: its history is gone. Usual cause: the partition of its month was"
                        + " dropped while it was open. What its activities carried is lost; the audit says so.",
                end.run().runId(),
                end.run().shown(),
                seizure.status());
    }

    static InboxMessage outcome(ResultSet row) throws SQLException {
        return new InboxMessage(
                new UUID(0, 0),
                MessageKind.ACTIVITY_OUTCOME,
                row.getString("name"),
                row.getString("payload"),
                row.getString("notes"),
                null);
    }

    private static StoredEvent closingEvent(Seizure seizure, OpenRun open, int messages, Instant at) {
        return new StoredEvent(
                open.nextEventId(),
                seizure.eventType(),
                at,
                null,
                seizure.attributes().apply(messages));
    }

    private static Transition end(Seizure seizure, OpenRun open, List<StoredEvent> closing, @Nullable NewRun next) {
        return new Transition(
                open.run(),
                new Transition.Fences(seizure.newFence(), seizure.newFence()),
                open.nextEventId(),
                closing,
                List.of(),
                Transition.JobChanges.NONE,
                false,
                null,
                null,
                new Transition.Close(seizure.status(), null, seizure.failure(), next, false, false));
    }

    private record OpenRun(RunKey run, long nextEventId, boolean due, boolean related) {}
}
