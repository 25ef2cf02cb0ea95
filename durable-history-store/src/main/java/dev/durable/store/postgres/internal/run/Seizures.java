package dev.durable.store.postgres.internal.run;

import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.history.StoredEvent;
import dev.durable.internal.json.JsonObjectWriter;
import dev.durable.store.EarliestTimeouts;
import dev.durable.store.JobKey;
import dev.durable.store.LeftJob;
import dev.durable.store.Nudges;
import dev.durable.store.RunIds;
import dev.durable.store.RunKey;
import dev.durable.store.RunMove;
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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Closes and pauses runs from outside, without running their code: the run's fence is replaced. */
public final class Seizures {
    private static final Logger log = LoggerFactory.getLogger(Seizures.class);

    private static final Nudges.Nudge OUTBOX = new Nudges.OutboxFilled();

    private final Connections connections;
    private final Nudges nudges;

    public Seizures(Connections connections, Nudges nudges) {
        this.connections = connections;
        this.nudges = nudges;
    }

    public Optional<RunKey> seize(Seizure seizure) {
        List<Nudges.Nudge> told = new ArrayList<>();
        Optional<RunKey> closed =
                connections.transaction(TransactionSettings.LONG, tx -> seize(tx, seizure, () -> told.add(OUTBOX)));
        closed.ifPresent(run -> told.add(new Nudges.RunClosed(run.runId())));
        if (closed.isPresent()) {
            nudges.send(told);
        }
        return closed;
    }

    /** Replaces the fence of the run, so that its holder can't write; outcomes that are under way go to its inbox. */
    public boolean pause(RunPause pause) {
        boolean[] found = new boolean[1];
        PendingNudges hints = connections.transaction(TransactionSettings.LONG, tx -> {
            PendingNudges due = new PendingNudges();
            List<UUID> runs = new ArrayList<>();
            Param runId = Param.of((Object) pause.runId());
            found[0] = false;
            tx.run(new SqlScript()
                    .read(
                            SeizureSql.LOCK_TO_PAUSE,
                            row -> {
                                found[0] = true;
                                if (row.getBoolean("paused") != pause.pause()) {
                                    runs.add(row.getObject("run_id", UUID.class));
                                    due.runs(row.getString("task_queue"));
                                }
                            },
                            Param.of(pause.workflowId()),
                            Param.of(RunIds.shardOf(pause.workflowId())),
                            runId,
                            runId));
            SqlScript script = new SqlScript();
            runs.forEach(run -> script.then(
                    SeizureSql.PAUSE,
                    Param.of(pause.pause()),
                    Param.of(pause.newFence()),
                    Param.of(run),
                    Param.of(RunIds.shard(run)),
                    Param.of(pause.eventType()),
                    Param.of(pause.attributes()),
                    Param.of(SafeText.storable(pause.actor())),
                    Param.of(pause.action()),
                    Param.of(RunPause.details(run))));
            tx.last(script);
            return due;
        });
        hints.sendTo(nudges);
        return found[0];
    }

    /** Lets a run go on, and replaces its fence, so that a holder of another build can't. */
    public boolean move(RunMove move) {
        boolean[] found = new boolean[1];
        PendingNudges hints = connections.transaction(TransactionSettings.LONG, tx -> {
            PendingNudges due = new PendingNudges();
            List<UUID> runs = new ArrayList<>();
            Param runId = Param.of((Object) move.runId());
            found[0] = false;
            tx.run(new SqlScript()
                    .read(
                            SeizureSql.LOCK_TO_MOVE,
                            row -> {
                                String build = move.build();
                                boolean changes = build == null
                                        ? row.getBoolean("held_back")
                                        : !build.equals(row.getString("pinned_to"));
                                found[0] = changes || build != null;
                                if (changes) {
                                    runs.add(row.getObject("run_id", UUID.class));
                                    due.runs(row.getString("task_queue"));
                                }
                            },
                            Param.of(move.workflowId()),
                            Param.of(RunIds.shardOf(move.workflowId())),
                            runId,
                            runId));
            SqlScript script = new SqlScript();
            runs.forEach(run -> script.then(
                    SeizureSql.MOVE,
                    Param.of(move.build()),
                    Param.of(move.newFence()),
                    Param.of(run),
                    Param.of(RunIds.shard(run)),
                    Param.of(SafeText.storable(move.actor())),
                    Param.of(move.action()),
                    Param.of(move.details(run))));
            tx.last(script);
            return due;
        });
        hints.sendTo(nudges);
        return found[0];
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

    /** @param related is run if the run has a parent or children, for which its end leaves messages in the outbox */
    private static Optional<RunKey> seize(Tx tx, Seizure seizure, Runnable related) throws SQLException {
        Optional<OpenRun> open = lock(tx, seizure);
        if (open.isEmpty()) {
            return closedBy(tx, seizure);
        }
        if (seizure.onlyIfDue() && !open.get().due()) {
            return Optional.empty();
        }
        if (open.get().related()) {
            related.run();
        }
        SqlScript script = closing(tx, List.of(new Ending(seizure, open.get())));
        if (seizure.actor() != null) {
            script.then(
                    MessageSql.AUDIT,
                    Param.of(seizure.auditId()),
                    Param.of(SafeText.storable(seizure.actor())),
                    Param.of(Seizure.TERMINATE),
                    Param.of(seizure.workflowId()),
                    Param.of(RunPause.details(open.get().run().runId())));
        }
        tx.last(script);
        return Optional.of(open.get().run());
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

    private static Optional<OpenRun> lock(Tx tx, Seizure seizure) throws SQLException {
        List<OpenRun> found = new ArrayList<>();
        Param runId = Param.of((Object) seizure.runId());
        tx.run(new SqlScript()
                .read(
                        SeizureSql.LOCK_RUN,
                        row -> found.add(new OpenRun(
                                new RunKey(row.getObject("run_id", UUID.class), seizure.workflowId()),
                                row.getLong("next_event_id"),
                                row.getBoolean("due"),
                                row.getBoolean("related"))),
                        Param.of(seizure.workflowId()),
                        Param.of(RunIds.shardOf(seizure.workflowId())),
                        runId,
                        runId));
        return found.stream().findFirst();
    }

    private static Optional<RunKey> closedBy(Tx tx, Seizure seizure) throws SQLException {
        List<RunKey> found = new ArrayList<>();
        tx.last(new SqlScript()
                .read(
                        SeizureSql.CLOSED_BY,
                        row -> found.add(new RunKey(row.getObject("run_id", UUID.class), seizure.workflowId())),
                        Param.of(seizure.workflowId()),
                        Param.of(RunIds.shardOf(seizure.workflowId())),
                        Param.of(seizure.newFence())));
        return found.stream().findFirst();
    }

    /** Closes a run within a transaction that goes on. Returns false if the run is not open any more. */
    public static boolean end(Tx tx, Seizure seizure) throws SQLException {
        Optional<OpenRun> open = lock(tx, seizure);
        if (open.isPresent()) {
            tx.run(closing(tx, List.of(new Ending(seizure, open.get()))));
        }
        return open.isPresent();
    }

    /** A run that the transaction has locked against its senders and its holder, and how it is to be closed. */
    public record LockedRun(RunKey run, long nextEventId, Seizure seizure) {}

    /** Closes runs within a transaction that goes on. */
    public static void end(Tx tx, List<LockedRun> runs) throws SQLException {
        // Jobs are locked in order of run id.
        List<Ending> endings = runs.stream()
                .sorted(Comparator.comparing(run -> run.run().runId(), RunIds.ORDER))
                .map(run -> new Ending(run.seizure(), new OpenRun(run.run(), run.nextEventId(), true, true)))
                .toList();
        if (!endings.isEmpty()) {
            tx.run(closing(tx, endings));
        }
    }

    /** Reads the remaining jobs and messages of the runs; returns the statements that end them. */
    private static SqlScript closing(Tx tx, List<Ending> endings) throws SQLException {
        SqlScript reads = new SqlScript();
        endings.forEach(ending -> ending.read(reads));
        tx.run(reads);
        List<JobKey> jobs = endings.stream().flatMap(Ending::jobKeys).toList();
        Map<JobKey, String> details = jobs.isEmpty() ? Map.of() : HeartbeatRows.read(tx, jobs);
        SqlScript script = new SqlScript();
        TransitionBatch.told(endings.stream()
                        .map(ending -> ending.transition(details))
                        .toList())
                .seize(script);
        for (Ending ending : endings) {
            if (ending.closing.isEmpty()) {
                sayUnrecorded(ending.seizure, end(ending.seizure, ending.open, List.of()), script);
            }
        }
        return script;
    }

    /** A run that is being closed, and what is left of it. */
    private static final class Ending {
        private final Seizure seizure;
        private final OpenRun open;
        private final List<StoredEvent> closing = new ArrayList<>();
        private final List<LockedJob> jobs = new ArrayList<>();
        private final List<LeftJob> left = new ArrayList<>();

        Ending(Seizure seizure, OpenRun open) {
            this.seizure = seizure;
            this.open = open;
        }

        void read(SqlScript script) {
            Param run = Param.of(open.run().runId());
            Param shard = Param.of(open.run().shard());
            script.read(SeizureSql.LOCK_JOBS, row -> jobs.add(LockedJob.read(row, open.run())), run, shard)
                    .read(
                            SeizureSql.OUTCOMES,
                            row -> left.add(LeftJob.of(outcome(row))),
                            run,
                            shard,
                            Param.of(MessageKind.ACTIVITY_OUTCOME.code()))
                    .read(
                            SeizureSql.LEFT,
                            row -> {
                                if (row.getBoolean("recorded")) {
                                    closing.add(closingEvent(
                                            seizure, open, row.getInt("messages"), TimeColumns.required(row, "at")));
                                }
                            },
                            run,
                            shard,
                            run,
                            shard);
        }

        Stream<JobKey> jobKeys() {
            return jobs.stream().map(LockedJob::key);
        }

        Transition transition(Map<JobKey, String> details) {
            jobs.forEach(job -> left.add(job.left(details.get(job.key()))));
            Transition end = end(seizure, open, closing);
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

    private static Transition end(Seizure seizure, OpenRun open, List<StoredEvent> closing) {
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
                new Transition.Close(seizure.status(), null, seizure.failure(), false));
    }

    private record OpenRun(RunKey run, long nextEventId, boolean due, boolean related) {}
}
