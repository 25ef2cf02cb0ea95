package dev.durable.logs;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.core.AppenderBase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/**
 * Fails a test that logs what stands in payloads. It is registered for all tests (META-INF/services), so whatever the
 * marker is put into, by fixtures that most tests use, is looked for in every line of every test.
 *
 * <p>A line is held against the test that ends next. Where tests run side by side, or threads outlive them, that may be
 * another than the one that logged it; its thread is told with it.
 */
public final class MarkedLines implements BeforeAllCallback, AfterEachCallback, AfterAllCallback {
    /** Stands in arguments, results, messages, headers and memos of tests, and in no line of a log. */
    public static final String MARKER = "p4yl0ad-5500";

    private static final ConcurrentLinkedQueue<String> FOUND = new ConcurrentLinkedQueue<>();
    private static final AppenderBase<ILoggingEvent> LOOKING = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent line) {
            if (line.getFormattedMessage().contains(MARKER) || isMarked(line.getThrowableProxy(), 0)) {
                FOUND.add(line.getLoggerName() + " on " + line.getThreadName() + ": " + line.getFormattedMessage()
                        + (line.getThrowableProxy() == null ? "" : " (" + line.getThrowableProxy() + ")"));
            }
        }
    };
    private static final int DEEP = 20;

    private static boolean isMarked(IThrowableProxy thrown, int depth) {
        if (thrown == null || depth > DEEP) {
            return false;
        }
        String message = thrown.getMessage();
        if (message != null && message.contains(MARKER) || isMarked(thrown.getCause(), depth + 1)) {
            return true;
        }
        for (IThrowableProxy suppressed : thrown.getSuppressed()) {
            if (isMarked(suppressed, depth + 1)) {
                return true;
            }
        }
        return false;
    }

    /** Again for each class: some tests change what the root logger has. */
    @Override
    public void beforeAll(ExtensionContext context) {
        listen();
    }

    static void listen() {
        // While another thread's first logger starts Logback, others get loggers that stand for those to come.
        while (!(LoggerFactory.getILoggerFactory() instanceof LoggerContext)) {
            Thread.onSpinWait();
        }
        Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        LOOKING.setContext(root.getLoggerContext());
        LOOKING.start();
        if (!root.isAttached(LOOKING)) {
            root.addAppender(LOOKING);
        }
    }

    @Override
    public void afterEach(ExtensionContext context) {
        check(context.getUniqueId());
    }

    @Override
    public void afterAll(ExtensionContext context) {
        check(context.getUniqueId());
    }

    /** Throws what was found since the last time. */
    static void check(String until) {
        List<String> lines = new ArrayList<>();
        for (String line = FOUND.poll(); line != null; line = FOUND.poll()) {
            lines.add(line);
        }
        if (!lines.isEmpty()) {
            throw new AssertionError("until the end of " + until + " these lines of the log show a payload: "
                    + String.join("\n", lines));
        }
    }
}
