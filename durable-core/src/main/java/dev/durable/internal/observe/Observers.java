package dev.durable.internal.observe;

import dev.durable.client.DurableEngine;
import dev.durable.internal.text.Thrown;
import dev.durable.observe.EngineObserver;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls several observers, and keeps the exceptions of one of them from the engine and from the others, errors and
 * undeclared checked ones included: they would otherwise fail the batch, the claim or the attempt that is reported.
 *
 * <p>It is a proxy, so that an event that is added to the interface is passed on without a line here. Compared to the
 * commit, the claim or the body that an event reports, a reflective call costs nothing.
 */
public final class Observers implements InvocationHandler {
    private static final Logger log = LoggerFactory.getLogger(EngineObserver.class);
    private static final long QUIET_NANOS = Duration.ofMinutes(1).toNanos();

    private volatile EngineObserver[] all;
    private final LongSupplier nanoTime;
    private final UnaryOperator<Throwable> loggable;
    private final Tries tries;
    /** The time from when on an exception of an observer may be logged again. */
    private final AtomicLong logFrom;

    private volatile boolean begun;

    private Observers(List<EngineObserver> all, LongSupplier nanoTime, UnaryOperator<Throwable> loggable, Tries tries) {
        this.loggable = loggable;
        this.tries = tries;
        this.all = all.toArray(EngineObserver[]::new);
        this.nanoTime = nanoTime;
        this.logFrom = new AtomicLong(nanoTime.getAsLong());
    }

    /**
     * Returns an observer that calls all of them; {@link EngineObserver#NONE} where there are none.
     *
     * @param loggable removes what must not be logged from an exception
     * @param tries remembers which observers throw each time
     */
    public static EngineObserver of(
            List<EngineObserver> all, LongSupplier nanoTime, UnaryOperator<Throwable> loggable, Tries tries) {
        return all.isEmpty()
                ? EngineObserver.NONE
                : (EngineObserver) Proxy.newProxyInstance(
                        Observers.class.getClassLoader(),
                        new Class<?>[] {EngineObserver.class},
                        new Observers(all, nanoTime, loggable, tries));
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // the proxy's own equals
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        if (method.getDeclaringClass() == Object.class) {
            return method.getName().equals("equals")
                    ? proxy == Objects.requireNonNull(arguments)[0]
                    : method.invoke(this, arguments);
        }
        if (method.getReturnType() == boolean.class) {
            return anySays(method, arguments);
        }
        switch (method.getName()) {
            case "engineStarted" -> started((DurableEngine) Objects.requireNonNull(arguments)[0]);
            case "engineClosed" -> {
                // An observer of several engines would take the end of an engine that never began for that of another.
                if (begun) {
                    tell(method, arguments);
                }
            }
            default -> tell(method, arguments);
        }
        return null;
    }

    private void tell(Method event, @Nullable Object @Nullable [] what) {
        for (EngineObserver observer : all) {
            try {
                call(observer, event, what);
                if (tries.any()) {
                    tries.worked(shown(observer));
                }
            } catch (Throwable e) {
                threw(observer, e);
            }
        }
    }

    private boolean anySays(Method question, @Nullable Object @Nullable [] what) {
        for (EngineObserver observer : all) {
            try {
                if (Boolean.TRUE.equals(call(observer, question, what))) {
                    return true;
                }
            } catch (Throwable e) {
                threw(observer, e);
            }
        }
        return false;
    }

    private static @Nullable Object call(
            EngineObserver observer, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(observer, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static String shown(EngineObserver observer) {
        return "observer " + observer.getClass().getName();
    }

    private void threw(EngineObserver observer, Throwable thrown) {
        tries.failed(shown(observer), thrown);
        long now = nanoTime.getAsLong();
        long from = logFrom.get();
        if (now - from >= 0 && logFrom.compareAndSet(from, now + QUIET_NANOS)) {
            Thrown.quietly(() -> log.warn(
                    "observer {} threw, and what it was told is lost to it; the engine goes on. Usual cause: a mistake in its"
                            + " code, or libraries that do not fit together. This is logged once a minute.",
                    observer.getClass().getName(),
                    loggable.apply(thrown)));
        }
    }

    private void started(DurableEngine engine) {
        begun = true;
        List<EngineObserver> taking = new ArrayList<>();
        for (EngineObserver observer : all) {
            try {
                if (observer.takes(engine)) {
                    observer.engineStarted(engine);
                    taking.add(observer);
                } else {
                    log.debug(
                            "observer {} belongs to another engine",
                            observer.getClass().getName());
                }
            } catch (Throwable e) {
                Throwable shown = loggable.apply(e);
                Thrown.quietly(() -> log.warn(
                        "observer {} hears nothing of this engine",
                        observer.getClass().getName(),
                        shown));
            }
        }
        all = taking.toArray(EngineObserver[]::new);
    }
}
