package dev.durable.internal.engine;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import java.util.stream.Collectors;
import org.slf4j.LoggerFactory;

/** Collects the warnings and errors that a class logs until this is closed. */
public final class LogCapture implements AutoCloseable {
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final Logger logger;

    private LogCapture(String of) {
        logger = (Logger) LoggerFactory.getLogger(of);
        lines.start();
        logger.addAppender(lines);
    }

    public static LogCapture of(Class<?> type) {
        return new LogCapture(type.getName());
    }

    /** Captures the logger with this name. */
    public static LogCapture named(String logger) {
        return new LogCapture(logger);
    }

    public List<String> messages() {
        return lines.list.stream()
                .filter(line -> line.getLevel().isGreaterOrEqual(Level.WARN))
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    /** All of it, with the exceptions. */
    public String text() {
        List<ILoggingEvent> logged;
        // As the appender itself does when it adds one.
        synchronized (lines) {
            logged = List.copyOf(lines.list);
        }
        return logged.stream()
                .map(line -> line.getFormattedMessage() + "\n" + ThrowableProxyUtil.asString(line.getThrowableProxy()))
                .collect(Collectors.joining());
    }

    /** Until another thread has logged it. */
    public void await(String part) {
        while (!text().contains(part)) {
            Thread.onSpinWait();
        }
    }

    @Override
    public void close() {
        logger.detachAppender(lines);
    }
}
