package dev.durable.internal.replay.call;

import dev.durable.store.RunKey;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/**
 * Keeps the log lines that workflow code writes in a turn until the turn is committed; a turn that is not committed
 * logs nothing.
 */
public final class TurnLog {
    private static final Logger log = LoggerFactory.getLogger(TurnLog.class);

    private final RunKey run;
    private final CurrentTurn journal;
    private final UnaryOperator<Throwable> loggable;
    private List<Runnable> lines = new ArrayList<>(0);

    TurnLog(RunKey run, CurrentTurn journal, UnaryOperator<Throwable> loggable) {
        this.loggable = loggable;
        this.run = run;
        this.journal = journal;
    }

    /** Keeps a line of a live turn; a turn that is made again has logged it before. */
    void add(Runnable line) {
        if (journal.isLive()) {
            lines.add(line);
        }
    }

    /** Takes the lines out, to be written with the run's ids in the MDC. */
    public Runnable drain() {
        List<Runnable> drained = lines;
        lines = new ArrayList<>(0);
        return drained.isEmpty() ? TurnLog::nothing : () -> write(drained);
    }

    private static void nothing() {}

    private void write(List<Runnable> drained) {
        try (MDC.MDCCloseable workflow = MDC.putCloseable("workflowId", run.shown());
                MDC.MDCCloseable runId = MDC.putCloseable("runId", run.runId().toString())) {
            drained.forEach(this::write);
        }
    }

    /** A line that can't be written, say of an exception whose getMessage() throws, is no reason to lose the step. */
    private void write(Runnable line) {
        try {
            line.run();
        } catch (RuntimeException e) {
            log.warn("a line that workflow code logged can't be written", loggable.apply(e));
        }
    }
}
