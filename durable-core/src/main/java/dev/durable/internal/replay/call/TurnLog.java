package dev.durable.internal.replay.call;

import dev.durable.internal.text.Thrown;
import dev.durable.store.RunKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
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
    private List<Line> lines = new ArrayList<>(0);

    /**
     * A line that is kept.
     *
     * @param context the MDC at the call; null where it was empty
     */
    private record Line(Runnable writing, @Nullable Map<String, String> context) {}

    TurnLog(RunKey run, CurrentTurn journal, UnaryOperator<Throwable> loggable) {
        this.loggable = loggable;
        this.run = run;
        this.journal = journal;
    }

    /** Keeps a line of a live turn; a turn that is made again has logged it before. */
    void add(Runnable line) {
        if (journal.isLive()) {
            lines.add(new Line(line, MDC.getCopyOfContextMap()));
        }
    }

    /**
     * Takes the lines out, to be written with the run's ids in the MDC, and with the MDC of this thread, which makes
     * the turn (its trace, for example), and of the code's own thread.
     */
    public Runnable drain() {
        List<Line> drained = lines;
        lines = new ArrayList<>(0);
        if (drained.isEmpty()) {
            return TurnLog::nothing;
        }
        Map<String, String> ofTurn = MDC.getCopyOfContextMap();
        return () -> write(drained, ofTurn);
    }

    private static void nothing() {}

    private void write(List<Line> drained, @Nullable Map<String, String> ofTurn) {
        Map<String, String> before = MDC.getCopyOfContextMap();
        try {
            drained.forEach(line -> write(line, ofTurn));
        } finally {
            MDC.setContextMap(before == null ? Map.of() : before);
        }
    }

    /**
     * Writes a line. One that can't be written, for example of an exception whose getMessage() throws, must not fail
     * the turn.
     */
    private void write(Line line, @Nullable Map<String, String> ofTurn) {
        Map<String, String> context = new HashMap<>();
        for (Map<String, String> known : Arrays.asList(ofTurn, line.context())) {
            if (known != null) {
                context.putAll(known);
            }
        }
        context.put("workflowId", run.shown());
        context.put("runId", run.runId().toString());
        try {
            MDC.setContextMap(context);
            line.writing().run();
        } catch (Throwable e) {
            Thrown.quietly(() -> log.warn("a line that workflow code logged can't be written", loggable.apply(e)));
        }
    }
}
