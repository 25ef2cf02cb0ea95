package dev.durable.internal.replay.call;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.AbstractLogger;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * The logger that {@code Durable.logger} returns: silent on replay; a line is formatted at the call and written when
 * the turn is committed. Outside a workflow it behaves as the logger that it wraps.
 */
final class WorkflowLogger extends AbstractLogger {
    private static final long serialVersionUID = 1L;

    private final transient Logger target;

    WorkflowLogger(Logger target) {
        this.target = target;
        this.name = target.getName();
    }

    @Override
    protected String getFullyQualifiedCallerName() {
        return WorkflowLogger.class.getName();
    }

    @Override
    protected void handleNormalizedLoggingCall(
            Level level,
            @Nullable Marker marker,
            String pattern,
            @Nullable Object @Nullable [] arguments,
            @Nullable Throwable thrown) {
        String message = MessageFormatter.basicArrayFormat(pattern, arguments);
        DurableCalls run = DurableCalls.currentOrNull();
        Runnable line = () -> write(level, marker, message, thrown);
        if (run == null) {
            line.run();
        } else {
            run.log(line);
        }
    }

    private void write(Level level, @Nullable Marker marker, String message, @Nullable Throwable thrown) {
        LoggingEventBuilder event = target.makeLoggingEventBuilder(level).setCause(thrown);
        (marker == null ? event : event.addMarker(marker)).log(message);
    }

    private static boolean speaks() {
        DurableCalls run = DurableCalls.currentOrNull();
        return run == null || run.logs();
    }

    @Override
    public boolean isTraceEnabled() {
        return target.isTraceEnabled() && speaks();
    }

    @Override
    public boolean isTraceEnabled(Marker marker) {
        return target.isTraceEnabled(marker) && speaks();
    }

    @Override
    public boolean isDebugEnabled() {
        return target.isDebugEnabled() && speaks();
    }

    @Override
    public boolean isDebugEnabled(Marker marker) {
        return target.isDebugEnabled(marker) && speaks();
    }

    @Override
    public boolean isInfoEnabled() {
        return target.isInfoEnabled() && speaks();
    }

    @Override
    public boolean isInfoEnabled(Marker marker) {
        return target.isInfoEnabled(marker) && speaks();
    }

    @Override
    public boolean isWarnEnabled() {
        return target.isWarnEnabled() && speaks();
    }

    @Override
    public boolean isWarnEnabled(Marker marker) {
        return target.isWarnEnabled(marker) && speaks();
    }

    @Override
    public boolean isErrorEnabled() {
        return target.isErrorEnabled() && speaks();
    }

    @Override
    public boolean isErrorEnabled(Marker marker) {
        return target.isErrorEnabled(marker) && speaks();
    }
}
