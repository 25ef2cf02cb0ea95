package dev.durable.internal.observe;

import dev.durable.history.Failure;
import dev.durable.internal.text.Bounds;
import dev.durable.internal.text.Thrown;
import dev.durable.store.RunKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.slf4j.event.Level;

/**
 * Logs failed attempts, activities that failed for good, incidents, failed and stalled runs, each kind under a logger
 * name of its own, with schema and ids in the MDC. Of failures with the same fingerprint it writes {@value #MOST} lines
 * a minute, the first with the stack; the next line after that minute counts the others. Thread-safe.
 *
 * <p>It is called only after a failure, so it costs nothing otherwise; under its lock it only counts.
 */
public final class FailureLog {
    static final int MOST = 5;
    /** How many fingerprints are counted apart; all others share one count. */
    static final int MOST_FINGERPRINTS = 200;

    private static final String OTHERS = "others";
    private static final int MOST_CHARS = 1_000;
    private static final long WINDOW_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** The kind of a failure, with its logger name and its level; a line of level INFO has no stack. */
    public enum Kind {
        /** An attempt failed, and another follows. */
        ATTEMPT("Attempt", Level.INFO),
        /** An activity ended without the result that its code would have given. */
        ACTIVITY("Activity", Level.WARN),
        /** An activity ended by a failure that its code declares, which is an outcome of the business. */
        DECLARED_ACTIVITY("Activity", Level.INFO),
        /** An activity waits for an operator, as an incident or a dead letter. */
        INCIDENT("Incident", Level.ERROR),
        /** A run failed or timed out. */
        RUN("Run", Level.WARN),
        /** A run failed by a failure that its code declares. */
        DECLARED_RUN("Run", Level.INFO),
        /** A run can't go on with this code, and is tried again. */
        STALL("Stall", Level.ERROR),
        /** A caller terminated a run. */
        TERMINATION("Run", Level.INFO);

        private final String logger;
        private final Level level;

        Kind(String name, Level level) {
            this.logger = "dev.durable.failed." + name;
            this.level = level;
        }

        private Logger log() {
            return LoggerFactory.getLogger(logger);
        }
    }

    /**
     * The failed run or attempt, as the MDC shows it.
     *
     * @param activity the activity; null where the run failed
     * @param attempt the attempt, from 1
     * @param traceId the id of the trace that it belongs to; null where none is known
     */
    public record Subject(
            RunKey run,
            @Nullable String activity,
            int attempt,
            @Nullable String traceId) {

        public static Subject of(RunKey run) {
            return new Subject(run, null, 0, null);
        }
    }

    private record Alike(Kind kind, String fingerprint) {}

    private static final class Window {
        private final long begun;
        private int failures;

        Window(long now) {
            begun = now;
        }
    }

    private final String schema;
    private final LongSupplier nanoTime;
    private final Function<Failure, ? extends @Nullable Throwable> loggable;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Alike, Window> windows = new HashMap<>();

    /**
     * @param schema of the engine's tables, which distinguishes its lines from those of another in this process; empty
     *     has none
     * @param nanoTime a monotonic clock
     * @param loggable makes the exception that is logged for a failure, with its stack; null where it has none
     */
    public FailureLog(String schema, LongSupplier nanoTime, Function<Failure, ? extends @Nullable Throwable> loggable) {
        this.schema = schema;
        this.nanoTime = nanoTime;
        this.loggable = loggable;
    }

    /** Returns whether a failure of that kind is logged at all: only then need its fingerprint be made. */
    public boolean logs(Kind kind) {
        return kind.log().isEnabledForLevel(kind.level);
    }

    /**
     * Logs a failure. An exception of the application's filters and appenders is swallowed, as the attempt or run must
     * go on.
     *
     * @param fingerprint equal for failures that are counted together
     * @param what a sentence that names the failed part and what follows, without the failure's own text
     * @param why the failure, with messages that may be recorded; null where there is none
     */
    public void failed(Kind kind, Subject subject, String fingerprint, String what, @Nullable Failure why) {
        write(
                kind,
                subject,
                fingerprint,
                () -> why == null ? what : what + ": " + shown(why),
                () -> why == null || kind.level == Level.INFO ? null : loggable.apply(why));
    }

    /**
     * Logs that a run stalled.
     *
     * @param what a sentence that names the run and the reason, fit for the log; for runs that stall for one reason it
     *     differs in digits and the workflow id only
     * @param stack the stack, fit for the log; null without
     */
    public void stalled(RunKey run, String what, @Nullable Throwable stack) {
        String alike = what.replace(run.shown(), "…").replaceAll("[0-9]+", "#");
        write(Kind.STALL, Subject.of(run), Bounds.cut(alike, MOST_CHARS), () -> what, () -> stack);
    }

    private void write(
            Kind kind,
            Subject subject,
            String fingerprint,
            Supplier<String> text,
            Supplier<? extends @Nullable Throwable> stack) {
        Thrown.quietly(() -> writeUnlessMany(kind, subject, fingerprint, text, stack));
    }

    private void writeUnlessMany(
            Kind kind,
            Subject subject,
            String fingerprint,
            Supplier<String> text,
            Supplier<? extends @Nullable Throwable> stack) {
        if (!logs(kind)) {
            return;
        }
        List<Runnable> countsOfEarlier = new ArrayList<>();
        int place = place(new Alike(kind, fingerprint), countsOfEarlier);
        countsOfEarlier.forEach(count -> withMdc(null, count));
        if (place > MOST) {
            return;
        }
        String line = text.get();
        Throwable cause = place > 1 ? null : stack.get();
        withMdc(subject, () -> kind.log().atLevel(kind.level).setCause(cause).log(line));
    }

    /**
     * Returns which failure of its minute this is; adds a line for each minute that is over and had more failures than
     * were logged.
     */
    private int place(Alike alike, List<Runnable> countsOfEarlier) {
        long now = nanoTime.getAsLong();
        lock.lock();
        try {
            Window own = windows.get(alike);
            if (own == null || now - own.begun >= WINDOW_NANOS) {
                dropOver(now, countsOfEarlier);
                Alike counted = windows.size() < MOST_FINGERPRINTS ? alike : new Alike(alike.kind(), OTHERS);
                own = windows.computeIfAbsent(counted, each -> new Window(now));
            }
            return ++own.failures;
        } finally {
            lock.unlock();
        }
    }

    private void dropOver(long now, List<Runnable> countsOfEarlier) {
        windows.entrySet().removeIf(each -> {
            Window window = each.getValue();
            boolean over = now - window.begun >= WINDOW_NANOS;
            if (over && window.failures > MOST) {
                Alike alike = each.getKey();
                long ago = TimeUnit.NANOSECONDS.toSeconds(now - window.begun);
                countsOfEarlier.add(() -> alike.kind()
                        .log()
                        .atLevel(alike.kind().level)
                        .log(
                                "{} more failed alike within the minute that began {} s ago, and were not logged one by one: {}",
                                window.failures - MOST,
                                ago,
                                Bounds.shown(alike.fingerprint())));
            }
            return over;
        });
    }

    private static String shown(Failure why) {
        String message = why.message();
        // A RemoteException has the type of the original exception.
        String type = Bounds.shown(why.type());
        String text = message == null ? type : type + ": " + Bounds.lines(message);
        return text.length() <= MOST_CHARS ? text : Bounds.cut(text, MOST_CHARS) + "…";
    }

    private void withMdc(@Nullable Subject subject, Runnable line) {
        Map<String, String> before = MDC.getCopyOfContextMap();
        try {
            if (!schema.isEmpty()) {
                MDC.put("durableSchema", schema);
            }
            if (subject != null) {
                put(subject);
            }
            line.run();
        } finally {
            MDC.setContextMap(before == null ? Map.of() : before);
        }
    }

    private static void put(Subject subject) {
        MDC.put("workflowId", subject.run().shown());
        MDC.put("runId", subject.run().runId().toString());
        if (subject.activity() != null) {
            MDC.put("activity", Bounds.shown(subject.activity()));
            MDC.put("attempt", Integer.toString(subject.attempt()));
        }
        if (subject.traceId() != null) {
            MDC.put("traceId", subject.traceId());
        }
    }
}
