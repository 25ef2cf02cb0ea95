package dev.durable.internal.run;

import dev.durable.store.RunKey;
import dev.durable.store.Transition;
import org.jspecify.annotations.Nullable;

/**
 * The report of a stall to log, observers, meters and status, made once the stall stands in the run's row. The row is
 * written under the fence of the claim: where a run only seemed to stall, because another process had claimed it and
 * gone on with it, the store refuses the row, and no operator is alarmed.
 *
 * @param logged the reason, fit for the log
 * @param stack the exception, fit for the log; null where the reason says all
 */
record StallReport(
        Transition.Stall stall, String logged, @Nullable Throwable stack) {

    void tell(RunKey run, String type, RunServices.Outside outside) {
        outside.telemetry().failures().stalled(run, run.shown() + " stalls: " + logged, stack);
        outside.telemetry().stalled(run, type, stall.reason());
        outside.stalled(run, stall.reason());
    }
}
