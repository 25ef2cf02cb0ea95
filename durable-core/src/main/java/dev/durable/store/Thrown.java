package dev.durable.store;

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
 * Reads an exception that the application, or a library of its own, has thrown. Its methods are code of the application,
 * which may throw anything, an {@code Error} too, or give null, as those of a mock do; and it is asked for them while an end
 * is written down, which must not fail by that. So nothing here throws: what can't be read is left out and named. The engine
 * and its stores ask such exceptions nowhere else ({@code ForeignThrowablesTest}).
 */
public final class Thrown {
    /** More causes than anybody reads, and fewer than an exception gives that makes a new one each time. */
    private static final int MAX_CAUSES = 100;

    private final Throwable thrown;
    private final List<String> unread = new ArrayList<>(0);

    private Thrown(Throwable thrown) {
        this.thrown = thrown;
    }

    /** A reader of this exception. */
    public static Thrown of(Throwable thrown) {
        return new Thrown(thrown);
    }

    /** Its message; null where it has none, and where it can't be read. */
    @Nullable
    public String message() {
        return read("getMessage", thrown::getMessage, null);
    }

    /** Its message, or what stands for it. */
    public String words() {
        String message = message();
        return unread.isEmpty() ? String.valueOf(message) : "(" + unread() + ")";
    }

    /** Type and message, as {@code toString} gives them; the type alone where that can't be asked. */
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

    /** Its cause; null where it has none, and where it can't be read. */
    @Nullable
    public Throwable cause() {
        return read("getCause", thrown::getCause, null);
    }

    /** What it has suppressed. */
    public List<Throwable> suppressed() {
        return read("getSuppressed", () -> List.of(required(thrown.getSuppressed())), List.of());
    }

    /** Itself and its causes, the outermost first, each of them once. */
    public Stream<Throwable> chain() {
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        return Stream.<Throwable>iterate(thrown, Objects::nonNull, each -> of(each).cause())
                .takeWhile(seen::add)
                .limit(MAX_CAUSES);
    }

    /**
     * Reads something else of it.
     *
     * @param method what is called, for {@link #unread}
     * @param getter gives it
     * @param otherwise what stands for it where that fails
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
     * Does what nothing depends on, as a line of the log does, and loses what an appender or a filter of the application, or a
     * setter of its exception, throws: what would be logged of it would meet the same appender.
     */
    @SuppressWarnings("EmptyCatch")
    public static void quietly(Runnable telling) {
        try {
            telling.run();
        } catch (Throwable e) {
            // as said
        }
    }

    /** Which of its methods that were asked so far have failed, and how: {@code getStackTrace() gave null}; empty is none. */
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
