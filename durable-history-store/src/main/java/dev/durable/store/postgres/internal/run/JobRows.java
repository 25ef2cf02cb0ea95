package dev.durable.store.postgres.internal.run;

import static dev.durable.store.postgres.internal.sql.Param.instants;
import static dev.durable.store.postgres.internal.sql.Param.ints;
import static dev.durable.store.postgres.internal.sql.Param.longs;
import static dev.durable.store.postgres.internal.sql.Param.shorts;
import static dev.durable.store.postgres.internal.sql.Param.texts;
import static dev.durable.store.postgres.internal.sql.Param.uuids;

import dev.durable.store.NewJob;
import dev.durable.store.NewRun;
import dev.durable.store.RunKey;
import dev.durable.store.Transition;
import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.SqlScript;
import java.util.ArrayList;
import java.util.List;

/** The rows that a batch inserts into {@code activity_job}. */
record JobRows(List<Row> rows) {

    static JobRows of(List<Transition> transitions) {
        JobRows all = new JobRows(new ArrayList<>());
        transitions.stream()
                .filter(t -> t.close() == null)
                .forEach(t -> all.add(t.run(), t.jobs().scheduled(), false));
        return all;
    }

    static JobRows ofStarts(List<NewRun> starts) {
        JobRows all = new JobRows(new ArrayList<>());
        starts.forEach(s -> all.add(s.run(), s.firstTurn().jobs(), s.place() != null));
        return all;
    }

    void insert(SqlScript script) {
        if (!isEmpty()) {
            script.then(areApart() ? TransitionSql.JOBS_APART : TransitionSql.JOBS, params().toArray(Param[]::new));
        }
    }

    boolean isEmpty() {
        return rows.isEmpty();
    }

    /** Returns whether some jobs have a delay or belong to a batch, which needs a statement with two more columns. */
    boolean areApart() {
        return rows.stream().anyMatch(r -> r.inOrder() || !r.job().delay().isZero());
    }

    /** The columns, also those that are empty. */
    List<Param> params() {
        List<Param> params = new ArrayList<>(columns());
        if (areApart()) {
            params.add(longs(
                    rows, r -> r.job().delay().isZero() ? null : r.job().delay().toMillis()));
            params.add(instants(
                    rows,
                    r -> r.inOrder()
                            ? r.job().deadlines().scheduledAt().minus(r.job().delay())
                            : null));
        }
        return params;
    }

    private List<Param> columns() {
        return List.of(
                uuids(rows, r -> r.run().runId()),
                ints(rows, r -> r.job().seq()),
                shorts(rows, r -> r.run().shard()),
                texts(rows, r -> r.run().workflowId()),
                texts(rows, r -> r.job().route().workflowType()),
                texts(rows, r -> r.job().route().taskQueue()),
                texts(rows, r -> r.job().route().activity()),
                ints(rows, r -> r.job().priority()),
                uuids(
                        rows,
                        r -> r.job().eager() == null ? null : r.job().eager().token()),
                uuids(
                        rows,
                        r -> r.job().eager() == null ? null : r.job().eager().session()),
                instants(rows, r -> r.job().deadlines().scheduledAt()),
                instants(rows, r -> r.job().deadlines().toStart()),
                instants(rows, r -> r.job().deadlines().toClose()),
                ints(rows, r -> r.job().maxWorkerCrashes()),
                texts(rows, r -> r.job().content().input()),
                texts(rows, r -> r.job().content().options()),
                texts(rows, r -> r.job().content().headers()),
                texts(rows, r -> r.job().limitKey()));
    }

    private void add(RunKey run, List<NewJob> jobs, boolean inOrder) {
        jobs.forEach(job -> rows.add(new Row(run, job, inOrder)));
    }

    record Row(RunKey run, NewJob job, boolean inOrder) {}
}
