package dev.durable.internal.text;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads an exception that the application, or a library of its own, has thrown. Its methods are code of the
 * application, which may throw anything, an {@code Error} too, or return null, as those of a mock do; and they are
 * called while the end of an attempt or a run is written, which must not fail by that. So no method here throws: a
 * value that can't be read is left out and named. The engine and its stores call methods of such exceptions nowhere
 * else ({@code ForeignThrowablesTest}).
 */
public final class Thrown {
    /**
     * The greatest number of causes that are read: more than a reader needs. An exception whose {@code getCause} makes
     * a new exception each time would else give them without end.
     */
    private static final int MAX_CAUSES = 100;

    private final Throwable thrown;
    private final List<String> unread = new ArrayList<>(0);

    private Thrown(Throwable thrown) {
        this.thrown = thrown;
    }

    public static Thrown of(Throwable thrown) {
        return new Thrown(thrown);
    }

    /** Its message; null if it has none or it can't be read. */
    @Nullable
    public String message() {
        return read("getMessage", thrown::getMessage, null);
    }

    /** Its message, or the text that stands for a missing one. */
    public String words() {
        String message = message();
        return unread.isEmpty() ? String.valueOf(message) : "(" + unread() + ")";
    }

    /** Type and message, as {@code toString} gives them; the type alone if {@code toString} fails. */
    public String text() {
        String type = thrown.getClass().getName();
        String text = read("toString", thrown::toString, null);
        return text != null ? text : unread.isEmpty() ? type : type + " (" + unread() + ")";
    }

    /** Its frames, none of them null. */
    public StackTraceElement[] stack() {
        return read(
                "getStackTrace",
                () -> Arrays.stream(required(thrown.getStackTrace()))
                        .filter(Objects::nonNull)
                        .toArray(StackTraceElement[]::new),
                new StackTraceElement[0]);
    }

    /** Its cause; null if it has none or it can't be read. */
    @Nullable
    public Throwable cause() {
        return read("getCause", thrown::getCause, null);
    }

    /** The exceptions that it has suppressed. */
    public List<Throwable> suppressed() {
        return read("getSuppressed", () -> List.of(required(thrown.getSuppressed())), List.of());
    }

    /** The exception and its causes, the outermost first, each of them once. */
    public Stream<Throwable> chain() {
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        return Stream.<Throwable>iterate(thrown, Objects::nonNull, each -> of(each).cause())
                .takeWhile(seen::add)
                .limit(MAX_CAUSES);
    }

    /**
     * Reads another value of the exception.
     *
     * @param method the name of the method that is called, for {@link #unread}
     * @param getter the call
     * @param otherwise the value to return if the call fails
     */
    public <T extends @Nullable Object> T read(String method, Supplier<T> getter, T otherwise) {
        try {
            return getter.get();
        } catch (Missing e) {
            unread.add(method + "() gave null");
        } catch (Throwable e) {
            unread.add(method + "() threw " + e.getClass().getName());
        }
        return otherwise;
    }

    /**
     * Does something on which nothing else depends, such as to write a line of the log, and drops whatever an appender
     * or a filter of the application, or a setter of its exception, throws. It can't be logged, as that would meet the
     * same appender.
     */
    @SuppressWarnings("EmptyCatch")
    public static void quietly(Runnable telling) {
        try {
            telling.run();
        } catch (Throwable e) {
            // as said
        }
    }

    /** The methods called so far that have failed, and how: {@code getStackTrace() gave null}; empty if none has. */
    public String unread() {
        return String.join(", ", unread);
    }

    private static <T> T[] required(T @Nullable [] given) {
        if (given == null) {
            throw new Missing();
        }
        return given;
    }

    private static final class Missing extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }
}
