package dev.durable.internal.run;

import dev.durable.store.RunKey;
import dev.durable.store.Transition;
import org.jspecify.annotations.Nullable;

/**
 * A stall that is told to people (log, events, meters, status) once it stands in the run's row. It is written under the
 * fence of the claim: what only seemed to stall, because another process had claimed the run and gone on with it, is
 * refused there, and nobody is called for it.
 *
 * @param logged the reason as it is logged
 * @param stack what broke, as it may be logged; null where the reason says it all
 */
record StallReport(
        Transition.Stall stall, String logged, @Nullable Throwable stack) {

    void tell(RunKey run, String type, RunServices.Outside outside) {
        outside.telemetry().failures().stalled(run, run.shown() + " stalls: " + logged, stack);
        outside.telemetry().stalled(run, type, stall.reason());
        outside.stalled(run, stall.reason());
    }
}
