package dev.durable.internal.run;

import dev.durable.DurableException;
import dev.durable.internal.payload.FailureCodec;
import dev.durable.internal.replay.match.StalledException;
import dev.durable.internal.text.Bounds;
import dev.durable.internal.text.Thrown;
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

    /**
     * Creates the report of a run that can't go on for this reason.
     *
     * @param before how often in a row the run has stalled before
     */
    static StallReport of(String reason, int before, FailureCodec failures) {
        return of(reason, reason, null, before, failures);
    }

    /** Creates the report of an exception whose message already says what can't be read, or how code and history differ. */
    static StallReport of(DurableException why, int before, FailureCodec failures) {
        String reason = String.valueOf(why.getMessage());
        String logged = why instanceof StalledException stalled ? stalled.toBeLogged() : reason;
        return of(reason, logged, null, before, failures);
    }

    /** Creates the report of an error that the engine did not expect; the log gets its stack. */
    static StallReport unexpected(Throwable why, int before, FailureCodec failures) {
        String reason = "unexpected: " + Thrown.of(why).text();
        return of(reason, reason, failures.loggable(why), before, failures);
    }

    private static StallReport of(
            String reason, String logged, @Nullable Throwable stack, int before, FailureCodec failures) {
        return new StallReport(
                RunClosings.stall(failures.recordable(reason), before),
                Bounds.lines(failures.recordable(logged)),
                stack);
    }

    void tell(RunKey run, String type, RunServices.Outside outside) {
        outside.telemetry().failures().stalled(run, run.shown() + " stalls: " + logged, stack);
        outside.telemetry().stalled(run, type, stall.reason());
        outside.stalled(run, stall);
    }
}
