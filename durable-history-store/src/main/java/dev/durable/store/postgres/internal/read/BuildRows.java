package dev.durable.store.postgres.internal.read;

import dev.durable.client.BoundedCount;
import dev.durable.store.BuildRuns;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.TransactionSettings;
import java.util.ArrayList;
import java.util.List;

/** Counts the open runs of builds. */
public final class BuildRows {
    /**
     * Pinned runs are counted by their index, whose builds and task queues are found by a skip scan. No index has the build
     * that made the last turn, as starts would pay for it, so runs of a portion of the table are counted by it.
     */
    private static final String RUNS = """
            with recursive pin as (
                (select s.task_queue, s.pinned_to from durable.run_state s
                  where s.pinned_to is not null order by s.task_queue, s.pinned_to limit 1)
                union all
                select n.task_queue, n.pinned_to from pin p
                 cross join lateral (
                        select s.task_queue, s.pinned_to from durable.run_state s
                         where s.pinned_to is not null
                           and (s.task_queue, s.pinned_to) > (p.task_queue, p.pinned_to)
                         order by s.task_queue, s.pinned_to limit 1) n),
            portion as materialized (select s.build from durable.run_state s limit ?),
            counted as (
                select p.pinned_to as build, 0::bigint as turns, c.runs as pinned
                  from pin p
                 cross join lateral (
                        select count(*) as runs from (
                            select 1 from durable.run_state s
                             where s.task_queue = p.task_queue and s.pinned_to = p.pinned_to limit ?) r) c
                union all
                select t.build, count(*), 0 from portion t where t.build is not null group by t.build)
            select c.build, sum(c.turns)::bigint as turns, sum(c.pinned)::bigint as pinned,
                   (select count(*) from portion) > ? as more_turns
              from counted c group by c.build order by c.build""";

    private final Connections connections;

    public BuildRows(Connections connections) {
        this.connections = connections;
    }

    /** Returns the builds with open runs, by name. */
    public List<BuildRuns> runs(int most) {
        return connections.read(TransactionSettings.READ, tx -> {
            List<BuildRuns> found = new ArrayList<>();
            tx.last(new SqlScript()
                    .read(
                            RUNS,
                            row -> found.add(new BuildRuns(
                                    row.getString("build"),
                                    new BoundedCount(
                                            Math.min(most, row.getLong("turns")), row.getBoolean("more_turns")),
                                    new BoundedCount(
                                            Math.min(most, row.getLong("pinned")), row.getLong("pinned") > most))),
                            Param.of(most + 1),
                            Param.of(most + 1),
                            Param.of(most)));
            return found;
        });
    }
}
