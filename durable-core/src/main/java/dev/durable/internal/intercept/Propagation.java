package dev.durable.internal.intercept;

import dev.durable.intercept.ContextPropagator;
import dev.durable.intercept.ContextPropagator.Scope;
import dev.durable.internal.text.Thrown;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes the context of a caller's thread into headers, and binds it to the threads of the code that runs for the caller. */
public final class Propagation {
    public static final Propagation NONE = new Propagation(List.of());

    private static final Logger log = LoggerFactory.getLogger(Propagation.class);
    private static final Scope NOTHING = () -> {};

    private final List<ContextPropagator> propagators;

    private Propagation(List<ContextPropagator> propagators) {
        this.propagators = List.copyOf(propagators);
        Map<String, ContextPropagator> byName = new HashMap<>();
        for (ContextPropagator one : this.propagators) {
            String name = one.name();
            if (!name.matches("[A-Za-z0-9_-]{1,60}")) {
                throw new IllegalArgumentException("context propagator " + one + " is called \"" + name
                        + "\": its name is the beginning of its headers, and has 1 to 60 letters, digits, - and _.");
            }
            ContextPropagator other = byName.putIfAbsent(name, one);
            if (other != null) {
                throw new IllegalArgumentException(
                        "two context propagators are called " + name + ": " + other + " and " + one
                                + ", so one would get what the other captured. Give them different names; keys of the MDC go into one"
                                + " propagator, mdc(\"tenant\", \"user\").");
            }
        }
    }

    Propagation with(List<ContextPropagator> more) {
        return new Propagation(
                Stream.concat(propagators.stream(), more.stream()).toList());
    }

    boolean isEmpty() {
        return propagators.isEmpty();
    }

    /** Returns the calling thread's context as headers. */
    Map<String, String> capture() {
        Map<String, String> headers = new LinkedHashMap<>();
        for (ContextPropagator one : propagators) {
            one.capture().forEach((key, value) -> headers.put(one.name() + "." + key, value));
        }
        return headers;
    }

    /** Binds the context in these headers to the calling thread. */
    public Scope restore(Map<String, String> headers) {
        if (propagators.isEmpty()) {
            return NOTHING;
        }
        Deque<Bound> bound = new ArrayDeque<>(propagators.size());
        try {
            for (ContextPropagator one : propagators) {
                bound.push(new Bound(one, one.restore(contextOf(one, headers))));
            }
        } catch (RuntimeException | Error e) {
            close(bound);
            throw e;
        }
        return () -> close(bound);
    }

    /** Returns the text for a run that stalls because its context can't be bound to a thread. */
    public static String notRestored(String run, Throwable thrown) {
        return "the context of " + run + " can't be bound to a thread: a context propagator threw "
                + Thrown.of(thrown).text()
                + " in restore(…). Nothing is written, and it is tried again. Usual cause: it can't read what an older or newer"
                + " version of it captured. Deploy one that reads both.";
    }

    private static Map<String, String> contextOf(ContextPropagator propagator, Map<String, String> headers) {
        String prefix = propagator.name() + ".";
        Map<String, String> context = new LinkedHashMap<>();
        headers.forEach((name, value) -> {
            if (name.startsWith(prefix)) {
                context.put(name.substring(prefix.length()), value);
            }
        });
        return context;
    }

    private record Bound(ContextPropagator propagator, Scope scope) {}

    /** Closes the bound contexts. The code inside has its outcome already: an exception here does not change it. */
    private static void close(Deque<Bound> bound) {
        for (Bound one : bound) {
            try {
                one.scope().close();
            } catch (Throwable e) {
                log.warn(
                        "context propagator {} did not bring back the context that thread {} had before: {}. What runs on this"
                                + " thread next may see the context of another run.",
                        one.propagator(),
                        Thread.currentThread().getName(),
                        e.getClass().getName());
            }
        }
    }
}
