package dev.durable.store.postgres.internal.run;

import static dev.durable.store.postgres.internal.sql.Param.bools;
import static dev.durable.store.postgres.internal.sql.Param.instants;
import static dev.durable.store.postgres.internal.sql.Param.ints;
import static dev.durable.store.postgres.internal.sql.Param.longs;
import static dev.durable.store.postgres.internal.sql.Param.shorts;
import static dev.durable.store.postgres.internal.sql.Param.texts;
import static dev.durable.store.postgres.internal.sql.Param.uuids;

import dev.durable.store.NewRun;
import dev.durable.store.RunIds;
import dev.durable.store.RunKey;
import dev.durable.store.postgres.internal.message.MessageRows;
import dev.durable.store.postgres.internal.nudge.PendingNudges;
import dev.durable.store.postgres.internal.sql.MemoJson;
import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.SqlScript;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** A batch of starts, sorted by lock order, with the statements that insert them. */
public record StartBatch(List<NewRun> starts) {

    static StartBatch of(List<NewRun> starts) {
        return new StartBatch(starts.stream()
                .sorted(Comparator.comparing(NewRun::run, RunKey.LOCK_ORDER))
                .toList());
    }

    /** The parameters of {@link #statesSql}. */
    Param[] states() {
        Param[] states = plainStates();
        return ofBuilds()
                ? Stream.concat(
                                Stream.of(states),
                                Stream.of(
                                        texts(starts, s -> s.firstTurn().madeBy()),
                                        texts(starts, s -> s.firstTurn().pinnedTo())))
                        .toArray(Param[]::new)
                : states;
    }

    String statesSql() {
        return ofBuilds() ? StartSql.STATES_OF_BUILDS : StartSql.STATES;
    }

    private boolean ofBuilds() {
        return starts.stream().anyMatch(s -> s.firstTurn().build() != null);
    }

    private String startSql(JobRows jobs) {
        boolean built = ofBuilds();
        if (jobs.isEmpty()) {
            return built ? StartSql.START_OF_BUILDS : StartSql.START;
        }
        if (jobs.areApart()) {
            return built ? StartSql.START_AND_BEAR_APART_OF_BUILDS : StartSql.START_AND_BEAR_APART;
        }
        return built ? StartSql.START_AND_BEAR_OF_BUILDS : StartSql.START_AND_BEAR;
    }

    private Param[] plainStates() {
        return new Param[] {
            runs(),
            shards(),
            workflowIds(),
            texts(starts, NewRun::type),
            texts(starts, NewRun::taskQueue),
            uuids(starts, NewRun::fence),
            longs(starts, s -> s.firstTurn().length() + 1),
            bools(starts, s -> !s.firstTurn().done()),
            longs(starts, s -> s.firstTurn().delay().toMillis()),
            instants(starts, s -> s.firstTurn().wakeAt()),
            instants(starts, s -> s.deadlines().timesOutAt()),
            instants(starts, s -> s.firstTurn().done() ? null : s.deadlines().expiresAt())
        };
    }

    /** The parameters of {@link StartSql#STATES_OF_CHILDREN}; each start has a parent. */
    Param[] statesOfChildren() {
        return Stream.concat(
                        Stream.of(plainStates()),
                        Stream.of(
                                uuids(starts, s -> parent(s).chain()),
                                uuids(starts, s -> parent(s).rootChain()),
                                shorts(starts, s -> parent(s).closePolicy().code())))
                .toArray(Param[]::new);
    }

    /** Writes all rows of children but those of run_state, for starts known to be new. */
    void writeChildren(SqlScript script) {
        if (starts.isEmpty()) {
            return;
        }
        script.then(
                StartSql.RUNS_OF_CHILDREN,
                Stream.concat(
                                businessRows().stream(),
                                Stream.of(
                                        texts(starts, s -> parent(s).workflowId()),
                                        uuids(starts, s -> parent(s).chain()),
                                        longs(starts, s -> parent(s).number()),
                                        uuids(starts, s -> parent(s).rootChain())))
                        .toArray(Param[]::new));
        EventRows.ofStarts(starts).insert(script);
    }

    static NewRun.Parent parent(NewRun child) {
        return Objects.requireNonNull(child.parent());
    }

    /** Writes all rows of the starts, if all are new. */
    void writeIfNew(SqlScript script) {
        JobRows jobs = JobRows.ofStarts(starts);
        script.then(
                startSql(jobs),
                Stream.of(
                                List.of(states()),
                                businessRows(),
                                EventRows.ofStarts(starts).params(),
                                jobs.isEmpty() ? List.<Param>of() : jobs.params(),
                                List.of(Param.of(starts.size())))
                        .flatMap(List::stream)
                        .toArray(Param[]::new));
        places(script);
        messages(script);
        details(script);
    }

    /** Writes all rows but those of run_state, for starts known to be new. */
    void write(SqlScript script) {
        if (starts.isEmpty()) {
            return;
        }
        script.then(StartSql.RUNS, businessRows().toArray(Param[]::new));
        EventRows.ofStarts(starts).insert(script);
        JobRows.ofStarts(starts).insert(script);
        places(script);
        messages(script);
        details(script);
    }

    private List<Param> businessRows() {
        return List.of(
                runs(),
                shards(),
                workflowIds(),
                texts(starts, NewRun::type),
                texts(starts, NewRun::taskQueue),
                texts(starts, s -> MemoJson.write(s.memo())));
    }

    private void places(SqlScript script) {
        List<NewRun> placed = starts.stream().filter(s -> s.place() != null).toList();
        if (!placed.isEmpty()) {
            StartBatch members = new StartBatch(placed);
            script.then(BatchSql.JOIN, members.batches(), members.numbers(), members.runs(), members.shards());
        }
    }

    private void details(SqlScript script) {
        List<NewRun> telling =
                starts.stream().filter(s -> s.firstTurn().details() != null).toList();
        if (!telling.isEmpty()) {
            StartBatch lines = new StartBatch(telling);
            script.then(
                    TransitionSql.DETAILS,
                    lines.runs(),
                    lines.shards(),
                    texts(telling, s -> Objects.requireNonNull(s.firstTurn().details())));
        }
    }

    Param batches() {
        return texts(starts, s -> s.place() == null ? null : s.place().batch());
    }

    Param numbers() {
        return ints(starts, s -> s.place() == null ? null : s.place().number());
    }

    private void messages(SqlScript script) {
        MessageRows messages = new MessageRows();
        starts.stream().filter(s -> s.message() != null).forEach(s -> messages.add(s.run(), s.message()));
        messages.insert(script, new PendingNudges());
    }

    /** Those of the starts that have a message for open runs. */
    StartBatch telling() {
        return new StartBatch(starts.stream().filter(NewRun::tellsOpenRuns).toList());
    }

    Param tells() {
        return bools(starts, NewRun::tellsOpenRuns);
    }

    Param messageIds() {
        return uuids(starts, s -> Objects.requireNonNull(s.message()).messageId());
    }

    /** The time at which the client made each start. */
    Param madeAt() {
        return instants(starts, s -> RunIds.time(s.run().runId()));
    }

    Param runs() {
        return uuids(starts, s -> s.run().runId());
    }

    Param shards() {
        return shorts(starts, s -> s.run().shard());
    }

    Param workflowIds() {
        return texts(starts, s -> s.run().workflowId());
    }

    /** Adds nudges for queues in which work is due now. */
    public void hint(PendingNudges hints) {
        for (NewRun start : starts) {
            if (!start.firstTurn().done() && start.firstTurn().delay().isZero() || start.message() != null) {
                hints.runs(start.taskQueue());
            }
            start.firstTurn().jobs().stream()
                    .filter(job -> job.eager() == null && job.isDueSoon())
                    .forEach(job -> hints.jobs(job.route().taskQueue()));
        }
    }
}
