package dev.durable.store.postgres.internal.run;

import dev.durable.store.Transition;
import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.SqlScript;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * Writes a step of a single run in one statement instead of four, if the step is alone in its commit, because most of
 * its cost is then per statement.
 */
record LoneStep(Transition step) {

    /**
     * Returns whether the transitions are one such step: a single one, that neither stalls nor closes the run, and that
     * is sequential, so that at most one job ends.
     */
    static boolean is(List<Transition> transitions) {
        if (transitions.size() != 1) {
            return false;
        }
        Transition only = transitions.getFirst();
        return only.stall() == null
                && only.close() == null
                && only.jobs().settled().size() <= 1;
    }

    void write(SqlScript script, Set<UUID> waiting) {
        List<Transition> alone = List.of(step);
        List<Param> params = advance();
        step.jobs().settled().forEach(job -> params.addAll(settle(job)));
        EventRows events = EventRows.of(alone);
        JobRows jobs = JobRows.of(alone);
        if (!events.isEmpty() || !jobs.isEmpty()) {
            params.addAll(events.params());
        }
        if (!jobs.isEmpty()) {
            params.addAll(jobs.params());
        }
        script.readFew(
                StepSql.of(!step.jobs().settled().isEmpty(), !events.isEmpty(), !jobs.isEmpty()),
                row -> {
                    if (row.getBoolean("more")) {
                        waiting.add(step.run().runId());
                    }
                },
                params.toArray(Param[]::new));
    }

    private List<Param> advance() {
        Param run = Param.of(step.run().runId());
        Param shard = Param.of((short) step.run().shard());
        Param park = Param.of(TransitionBatch.parks(step));
        Param wakeAt = Param.instant(step.wakeAt());
        return new ArrayList<>(List.of(
                park,
                run,
                shard,
                Param.of(step.consumed().size()),
                Param.of(step.fences().next()),
                Param.of(step.events().size()),
                park,
                Param.of(step.movesNothing()),
                park,
                wakeAt,
                wakeAt,
                run,
                shard,
                Param.of(step.fences().held()),
                Param.of(step.nextEventId())));
    }

    private List<Param> settle(Transition.Settled job) {
        return List.of(
                Param.of(step.run().runId()),
                Param.of((short) step.run().shard()),
                Param.of(job.seq()),
                Param.of(job.lease()));
    }
}
