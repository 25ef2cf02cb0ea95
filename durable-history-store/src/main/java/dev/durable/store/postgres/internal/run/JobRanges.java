package dev.durable.store.postgres.internal.run;

import static dev.durable.store.postgres.internal.sql.Param.ints;
import static dev.durable.store.postgres.internal.sql.Param.shorts;
import static dev.durable.store.postgres.internal.sql.Param.uuids;

import dev.durable.store.RunIds;
import dev.durable.store.RunKey;
import dev.durable.store.Transition;
import dev.durable.store.postgres.internal.sql.SqlScript;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The jobs that a batch of transitions must lock: those that it completes or cancels, and all jobs of the runs that it
 * closes.
 */
record JobRanges(List<Range> ranges) {
    private static final Comparator<Range> LOCK_ORDER = Comparator.<Range, java.util.UUID>comparing(
                    r -> r.run().runId(), RunIds.ORDER)
            .thenComparingInt(Range::first);

    static JobRanges ending(List<Transition> transitions) {
        List<Range> ranges = new ArrayList<>();
        for (Transition t : transitions) {
            if (t.close() != null) {
                ranges.add(new Range(t.run(), 0, Integer.MAX_VALUE));
            } else {
                t.jobs().settled().forEach(s -> ranges.add(new Range(t.run(), s.seq(), s.seq())));
                t.jobs().cancelled().forEach(seq -> ranges.add(new Range(t.run(), seq, seq)));
            }
        }
        ranges.sort(LOCK_ORDER);
        return new JobRanges(ranges);
    }

    void lock(SqlScript script, SqlScript.Row reader) {
        if (!ranges.isEmpty()) {
            script.read(
                    TransitionSql.LOCK_JOBS,
                    reader,
                    uuids(ranges, r -> r.run().runId()),
                    shorts(ranges, r -> r.run().shard()),
                    ints(ranges, Range::first),
                    ints(ranges, Range::last));
        }
    }

    record Range(RunKey run, int first, int last) {}
}
