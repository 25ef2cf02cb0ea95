package dev.durable.store.postgres.internal.run;

import static dev.durable.store.postgres.internal.sql.Param.bools;
import static dev.durable.store.postgres.internal.sql.Param.ints;
import static dev.durable.store.postgres.internal.sql.Param.shorts;
import static dev.durable.store.postgres.internal.sql.Param.texts;
import static dev.durable.store.postgres.internal.sql.Param.uuids;

import dev.durable.store.Nudges;
import dev.durable.store.RunChange;
import dev.durable.store.RunIds;
import dev.durable.store.RunKey;
import dev.durable.store.RunMove;
import dev.durable.store.RunPause;
import dev.durable.store.postgres.internal.nudge.PendingNudges;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.SafeText;
import dev.durable.store.postgres.internal.sql.SqlScript;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Pauses, resumes and moves open runs from outside, without running their code: their fences are replaced, so that their
 * holders can't write. Outcomes that are under way go to the inboxes.
 */
public final class Holds {
    private final RunBatches batches;

    public Holds(Connections connections, Nudges nudges) {
        this.batches = new RunBatches(connections, nudges, Integer.MAX_VALUE);
    }

    public List<RunChange> pause(List<RunPause> pauses) {
        return change(
                new Requests<>(
                        pauses,
                        RunPause::workflowId,
                        RunPause::runId,
                        (pause, row) -> row.getBoolean("paused") != pause.pause()),
                (script, rows) -> script.then(
                        SeizureSql.PAUSE,
                        with(
                                changed(
                                        rows,
                                        RunPause::newFence,
                                        RunPause::actor,
                                        RunPause::action,
                                        row -> RunPause.details(row.run().runId())),
                                bools(rows, row -> row.request().pause()),
                                texts(rows, row -> row.request().eventType()),
                                texts(rows, row -> row.request().attributes()))));
    }

    /** Lets runs go on, and replaces their fences, so that holders of other builds can't. */
    public List<RunChange> move(List<RunMove> moves) {
        return change(
                new Requests<>(
                        moves,
                        RunMove::workflowId,
                        RunMove::runId,
                        (move, row) -> move.build() == null
                                ? row.getBoolean("held_back")
                                : !move.build().equals(row.getString("pinned_to"))),
                (script, rows) -> script.then(
                        SeizureSql.MOVE,
                        with(
                                changed(
                                        rows,
                                        RunMove::newFence,
                                        RunMove::actor,
                                        RunMove::action,
                                        row -> row.request().details(row.run().runId())),
                                texts(rows, row -> row.request().build()))));
    }

    /**
     * Requests to change runs.
     *
     * @param runId the run, or the first one of its chain; null is the open run of the workflow id
     * @param test tells by the locked row of a run whether it is to be changed
     */
    private record Requests<T>(
            List<T> all, Function<T, String> workflowId, Function<T, @Nullable UUID> runId, RowTest<T> test) {
        @Override
        public String toString() {
            return "Requests[" + all + "]";
        }
    }

    /** Tells by the locked row of a run whether it is to be changed. */
    @FunctionalInterface
    private interface RowTest<T> {
        boolean test(T request, ResultSet row) throws SQLException;
    }

    /** A request, and the locked run that it is to change. */
    private record Locked<T>(T request, RunKey run) {
        @Override
        public String toString() {
            return "Locked[" + run + "]";
        }
    }

    /** Writes the changes of locked runs. */
    @FunctionalInterface
    private interface Writer<T> {
        void write(SqlScript script, List<Locked<T>> rows);
    }

    /** Changes the rows of open runs under their locks, where that is to be done, and wakes the workers of their queues. */
    private <T> List<RunChange> change(Requests<T> requests, Writer<T> writer) {
        List<String> workflowIds =
                requests.all().stream().map(requests.workflowId()).toList();
        return batches.write(workflowIds, (tx, items, outcomes) -> {
            PendingNudges due = new PendingNudges();
            List<Locked<T>> rows = new ArrayList<>();
            tx.run(new SqlScript()
                    .read(
                            SeizureSql.LOCK_TO_CHANGE,
                            row -> {
                                int item = row.getInt("item");
                                T request = requests.all().get(item);
                                RunKey run = new RunKey(row.getObject("run_id", UUID.class), workflowIds.get(item));
                                if (requests.test().test(request, row)) {
                                    rows.add(new Locked<>(request, run));
                                    due.runs(row.getString("task_queue"));
                                    outcomes.set(item, RunChange.changed(run));
                                } else {
                                    outcomes.set(item, RunChange.unchanged(run));
                                }
                            },
                            ints(items, item -> item),
                            texts(items, workflowIds::get),
                            shorts(items, item -> RunIds.shardOf(workflowIds.get(item))),
                            uuids(
                                    items,
                                    item -> requests.runId()
                                            .apply(requests.all().get(item)))));
            SqlScript script = new SqlScript();
            if (!rows.isEmpty()) {
                writer.write(script, rows);
            }
            tx.last(script);
            return due;
        });
    }

    /** The parameters that pauses and moves have in common: run_id, shard, fence, actor, action, details. */
    private static <T> List<Param> changed(
            List<Locked<T>> rows,
            Function<T, UUID> fence,
            Function<T, @Nullable String> actor,
            Function<T, String> action,
            Function<Locked<T>, String> details) {
        return List.of(
                uuids(rows, row -> row.run().runId()),
                shorts(rows, row -> row.run().shard()),
                uuids(rows, row -> fence.apply(row.request())),
                texts(rows, row -> storable(actor.apply(row.request()))),
                texts(rows, row -> action.apply(row.request())),
                texts(rows, row -> details.apply(row)));
    }

    private static @Nullable String storable(@Nullable String actor) {
        return actor == null ? null : SafeText.storable(actor);
    }

    private static Param[] with(List<Param> first, Param... rest) {
        return Stream.concat(first.stream(), Stream.of(rest)).toArray(Param[]::new);
    }
}
