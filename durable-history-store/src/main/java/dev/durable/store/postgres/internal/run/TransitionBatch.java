package dev.durable.store.postgres.internal.run;

import static dev.durable.store.postgres.internal.sql.Param.bools;
import static dev.durable.store.postgres.internal.sql.Param.instants;
import static dev.durable.store.postgres.internal.sql.Param.ints;
import static dev.durable.store.postgres.internal.sql.Param.longs;
import static dev.durable.store.postgres.internal.sql.Param.shorts;
import static dev.durable.store.postgres.internal.sql.Param.texts;
import static dev.durable.store.postgres.internal.sql.Param.uuids;

import dev.durable.store.JobKey;
import dev.durable.store.NewRun;
import dev.durable.store.RunIds;
import dev.durable.store.RunKey;
import dev.durable.store.Transition;
import dev.durable.store.postgres.internal.job.HeartbeatRows;
import dev.durable.store.postgres.internal.message.OutgoingRows;
import dev.durable.store.postgres.internal.message.Replies;
import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.SafeText;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.stream.StreamRows;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A batch of transitions of different runs, sorted by lock order, and the statements that write them if none is stale:
 * each counts its rows, and a wrong count aborts the transaction.
 */
final class TransitionBatch {
    private static final Param NO_LEASES = uuids(List.<UUID>of(), lease -> lease);

    private final List<Transition> all;
    private final List<Transition> advancing;
    private final List<Transition> stalling;
    private final List<Transition> closing;
    /** The closing runs that end for good, and those that another run continues. */
    private final List<Transition> ending;

    private final List<Transition> continued;
    /**
     * True if the notes and details of the jobs that closing runs leave are among the events, and the outcomes that wait
     * for runs which others continue.
     */
    private final boolean told;

    TransitionBatch(List<Transition> transitions) {
        this(transitions, false);
    }

    /** The batch of transitions whose events contain the notes and details of jobs that closing runs leave. */
    static TransitionBatch told(List<Transition> transitions) {
        return new TransitionBatch(transitions, true);
    }

    private TransitionBatch(List<Transition> transitions, boolean told) {
        this.told = told;
        all = transitions.stream()
                .sorted(Comparator.comparing(Transition::run, RunKey.LOCK_ORDER))
                .toList();
        stalling = all.stream().filter(t -> t.stall() != null).toList();
        closing =
                all.stream().filter(t -> t.close() != null && t.stall() == null).toList();
        ending = closing.stream().filter(t -> t.next() == null).toList();
        continued = closing.stream().filter(t -> t.next() != null).toList();
        advancing =
                all.stream().filter(t -> t.close() == null && t.stall() == null).toList();
    }

    List<Transition> all() {
        return all;
    }

    List<Transition> closing() {
        return closing;
    }

    /** The transitions that messages which wait refuse. */
    List<Transition> ending() {
        return ending;
    }

    /** The transitions of runs that others continue. */
    List<Transition> continued() {
        return continued;
    }

    /**
     * Locks, in order, the rows that {@link #write} will change, unless its first statement locks them itself, as it
     * does if all runs go on or all runs end.
     */
    void lock(SqlScript script) {
        if (!closing.isEmpty() && !allClose()) {
            script.then(TransitionSql.LOCK_RUNS, fences(all));
            lockClosers(script);
            JobRanges.ending(all).lock(script, row -> {});
        } else if (!stalling.isEmpty()) {
            script.then(TransitionSql.LOCK_RUNS, fences(all));
        }
    }

    /** Returns whether all runs of the batch end for good: then two statements lock and write everything. */
    private boolean allClose() {
        return !ending.isEmpty() && ending.size() == all.size();
    }

    /** Locks the runs that close against their senders. */
    void lockClosers(SqlScript script) {
        if (!closing.isEmpty()) {
            script.then(TransitionSql.LOCK_CLOSERS, counted(closing, fences(closing)));
        }
    }

    /**
     * Writes everything but what is {@linkplain #append appended} to streams; {@code waiting} gets the runs that are parked
     * although a message waits.
     */
    void write(SqlScript script, Set<UUID> waiting) {
        writeRuns(script, waiting);
        details(script);
        builds(script);
    }

    /** Appends to streams: the last statement of its transaction, as it locks them. */
    void append(SqlScript script) {
        StreamRows.insert(all, script);
    }

    private void writeRuns(SqlScript script, Set<UUID> waiting) {
        if (LoneStep.is(all)) {
            new LoneStep(all.getFirst()).write(script, waiting);
            dropHeartbeats(script);
            consume(script);
            OutgoingRows.insert(all, script);
            Replies.write(script, all);
            return;
        }
        if (allClose()) {
            end(script);
            OutgoingRows.insert(all, script);
            return;
        }
        if (!advancing.isEmpty()) {
            script.read(TransitionSql.ADVANCE, row -> addAll(waiting, row), counted(advancing, advance()));
        }
        if (!stalling.isEmpty()) {
            script.then(TransitionSql.STALL, counted(stalling, stall()));
        }
        settle(script);
        consume(script);
        Replies.write(script, all);
        if (!closing.isEmpty()) {
            shutOut(script);
        }
        EventRows.of(all).insert(script);
        JobRows.of(all).insert(script);
        OutgoingRows.insert(all, script);
        close(script);
    }

    /** Closes runs whatever waits for them, for a caller that has locked them and their jobs. */
    void seize(SqlScript script) {
        script.then(TransitionSql.DROP_RUNNING_JOBS, runs(closing), shards(closing), NO_LEASES);
        EventRows.of(closing).insert(script);
        close(script);
    }

    private void settle(SqlScript script) {
        List<SettledRow> rows = settled();
        if (!rows.isEmpty()) {
            script.then(
                    TransitionSql.SETTLE,
                    counted(
                            rows,
                            uuids(rows, r -> r.key().run().runId()),
                            shorts(rows, r -> r.key().run().shard()),
                            ints(rows, r -> r.key().seq()),
                            uuids(rows, SettledRow::lease)));
            dropHeartbeats(script);
        }
    }

    private void dropHeartbeats(SqlScript script) {
        List<SettledRow> rows =
                settled().stream().filter(SettledRow::heartbeats).toList();
        if (!rows.isEmpty()) {
            script.then(
                    HeartbeatRows.DROP,
                    uuids(rows, r -> r.key().run().runId()),
                    shorts(rows, r -> r.key().run().shard()),
                    ints(rows, r -> r.key().seq()));
        }
    }

    private void details(SqlScript script) {
        List<Transition> telling = Stream.concat(advancing.stream(), closing.stream())
                .filter(t -> t.details() != null)
                .toList();
        if (!telling.isEmpty()) {
            script.then(
                    TransitionSql.DETAILS,
                    runs(telling),
                    shards(telling),
                    texts(telling, t -> Objects.requireNonNull(t.details())));
        }
    }

    private void builds(SqlScript script) {
        List<Transition> built =
                advancing.stream().filter(t -> t.build() != null).toList();
        if (!built.isEmpty()) {
            script.then(
                    TransitionSql.BUILDS,
                    runs(built),
                    shards(built),
                    texts(built, t -> Objects.requireNonNull(t.build()).name()),
                    bools(built, t -> Objects.requireNonNull(t.build()).pinned()));
        }
    }

    private List<SettledRow> settled() {
        return all.stream()
                .flatMap(t -> t.jobs().settled().stream()
                        .map(s -> new SettledRow(new JobKey(t.run(), s.seq()), s.lease(), s.heartbeats())))
                .sorted(Comparator.comparing(SettledRow::key, JobKey.LOCK_ORDER))
                .toList();
    }

    private void consume(SqlScript script) {
        List<ConsumedRow> rows = all.stream()
                .flatMap(t -> t.consumed().stream().map(id -> new ConsumedRow(t.run(), id)))
                .toList();
        if (!rows.isEmpty()) {
            script.then(
                    TransitionSql.CONSUME,
                    uuids(rows, r -> r.run().runId()),
                    shorts(rows, r -> r.run().shard()),
                    uuids(rows, ConsumedRow::message));
        }
    }

    private void end(SqlScript script) {
        List<Transition> byRun = closingByRun();
        List<Transition.Settled> settled =
                byRun.stream().flatMap(t -> t.jobs().settled().stream()).toList();
        script.then(
                TransitionSql.END,
                with(
                        fences(closing),
                        runs(byRun),
                        shards(byRun),
                        uuids(settled, Transition.Settled::lease),
                        Param.of(closing.size()),
                        uuids(settled, Transition.Settled::lease),
                        Param.of(settled.size()),
                        Param.of(told),
                        uuids(settled, Transition.Settled::lease)));
        consume(script);
        Replies.write(script, closing);
        script.then(
                TransitionSql.CLOSE,
                Stream.of(
                                EventRows.of(closing).params(),
                                closeRuns(),
                                keys(closing),
                                keys(closing),
                                keys(closing),
                                keys(byRun),
                                keys(byRun))
                        .flatMap(List::stream)
                        .toArray(Param[]::new));
    }

    private List<Transition> closingByRun() {
        return closing.stream()
                .sorted(Comparator.comparing(t -> t.run().runId(), RunIds.ORDER))
                .toList();
    }

    private void shutOut(SqlScript script) {
        List<Transition> byRun = closingByRun();
        script.then(
                told ? TransitionSql.DROP_RUNNING_JOBS : TransitionSql.DROP_SILENT_JOBS,
                runs(byRun),
                shards(byRun),
                NO_LEASES);
        if (continued.isEmpty() || told) {
            script.then(TransitionSql.NOTHING_WAITS, runs(ending), shards(ending), runs(byRun), shards(byRun));
        } else {
            script.then(
                    TransitionSql.NO_OUTCOME_WAITS,
                    runs(ending),
                    shards(ending),
                    runs(byRun),
                    shards(byRun),
                    runs(continued),
                    shards(continued));
        }
    }

    private void close(SqlScript script) {
        if (closing.isEmpty()) {
            return;
        }
        script.then(TransitionSql.CLOSE_RUNS, closeRuns().toArray(Param[]::new));
        script.then(TransitionSql.DROP_INBOX, runs(ending), shards(ending));
        script.then(TransitionSql.DROP_ALL_HEARTBEATS, runs(closing), shards(closing));
        script.then(TransitionSql.DROP_STATE, runs(ending), shards(ending));
        goOn(script);
    }

    private void goOn(SqlScript script) {
        if (continued.isEmpty()) {
            return;
        }
        List<NewRun> next =
                continued.stream().map(t -> Objects.requireNonNull(t.next())).toList();
        script.then(
                TransitionSql.GO_ON,
                runs(continued),
                shards(continued),
                uuids(next, run -> run.run().runId()),
                uuids(next, NewRun::fence),
                texts(next, NewRun::type),
                texts(next, NewRun::taskQueue),
                longs(next, run -> run.firstTurn().delay().toMillis()),
                instants(next, run -> run.deadlines().timesOutAt()),
                bools(continued, t -> end(t).isRetried()),
                texts(next, run -> run.firstTurn().pinnedTo()));
        EventRows.ofStarts(next).insert(script);
    }

    private List<Param> closeRuns() {
        return List.of(
                runs(closing),
                shards(closing),
                texts(closing, t -> end(t).status().name()),
                texts(closing, t -> end(t).result()),
                texts(closing, t -> end(t).failure()),
                uuids(closing, t -> t.fences().next()),
                uuids(closing, TransitionBatch::nextId));
    }

    private static @Nullable UUID nextId(Transition closing) {
        NewRun next = closing.next();
        return next == null ? null : next.run().runId();
    }

    private static List<Param> keys(List<Transition> transitions) {
        return List.of(runs(transitions), shards(transitions));
    }

    /** Returns whether the run rests when this is written; one that sends itself a message goes on with that. */
    static boolean parks(Transition transition) {
        return transition.park() && !transition.sendsToItself();
    }

    private static Transition.Close end(Transition closing) {
        return Objects.requireNonNull(closing.close());
    }

    private static Transition.Stall stop(Transition stalling) {
        return Objects.requireNonNull(stalling.stall());
    }

    private static void addAll(Set<UUID> waiting, ResultSet row) throws SQLException {
        Array runs = row.getArray("waiting");
        if (runs != null) {
            waiting.addAll(List.of((UUID[]) runs.getArray()));
        }
    }

    private Param[] advance() {
        return with(
                with(new Param[] {runs(advancing)}, fences(advancing)),
                uuids(advancing, t -> t.fences().next()),
                ints(advancing, t -> t.events().size()),
                ints(advancing, t -> t.consumed().size()),
                bools(advancing, TransitionBatch::parks),
                instants(advancing, Transition::wakeAt));
    }

    private Param[] stall() {
        return with(
                fences(stalling),
                uuids(stalling, t -> t.fences().next()),
                texts(stalling, t -> SafeText.storable(stop(t).reason())),
                longs(stalling, t -> stop(t).retryIn().toMillis()),
                texts(stalling, t -> t.build() == null ? null : t.build().name()));
    }

    /** The parameters run_id, shard, fence, next_event_id, by which a transition is valid. */
    static Param[] fences(List<Transition> transitions) {
        return new Param[] {
            runs(transitions),
            shards(transitions),
            uuids(transitions, t -> t.fences().held()),
            longs(transitions, Transition::nextEventId)
        };
    }

    static Param runs(List<Transition> transitions) {
        return uuids(transitions, t -> t.run().runId());
    }

    static Param shards(List<Transition> transitions) {
        return shorts(transitions, t -> t.run().shard());
    }

    private static Param[] counted(List<?> rows, Param... params) {
        return with(params, Param.of(rows.size()));
    }

    private static Param[] with(Param[] first, Param... rest) {
        Param[] params = java.util.Arrays.copyOf(first, first.length + rest.length);
        System.arraycopy(rest, 0, params, first.length, rest.length);
        return params;
    }

    private record SettledRow(JobKey key, UUID lease, boolean heartbeats) {
        @Override
        public String toString() {
            return "SettledRow[" + key + "]";
        }
    }

    private record ConsumedRow(RunKey run, UUID message) {}
}
