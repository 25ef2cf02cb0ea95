package dev.durable.internal.attempt;

import dev.durable.RetryIf;
import dev.durable.RetryPolicy;
import dev.durable.internal.payload.NamedClass;
import dev.durable.internal.text.Bounds;
import dev.durable.internal.text.Thrown;
import java.lang.reflect.Constructor;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds and calls the {@link RetryIf} class that a retry policy names, in the class loader of the activity. The name
 * stands in a row, so only a class that implements RetryIf is ever initialised. A class that a deployment renamed, or
 * that throws, must not decide by accident: then only the policy's other limits hold, and the log says so.
 *
 * @param loggable removes what must not be logged from an exception of the class
 */
public record NamedRetryIf(String name, ClassLoader loader, UnaryOperator<Throwable> loggable) implements RetryIf {
    private static final Logger log = LoggerFactory.getLogger(NamedRetryIf.class);

    /**
     * @param loader the class loader of the activity's class; null where the activity is not registered, then that of
     *     the thread is used
     */
    static RetryIf of(RetryPolicy policy, @Nullable ClassLoader loader, UnaryOperator<Throwable> loggable) {
        String name = policy.retryIf();
        return name == null
                ? (failure, attempt) -> true
                : new NamedRetryIf(
                        name, loader == null ? Thread.currentThread().getContextClassLoader() : loader, loggable);
    }

    @Override
    public boolean retry(Throwable failure, int attempt) {
        try {
            Class<?> found = NamedClass.find(name, loader, RetryIf.class::isAssignableFrom);
            if (found == null) {
                log.warn(
                        "retryIf {} is no class that implements RetryIf here, the retry policy decides without it. Usually"
                                + " it was renamed, or is not deployed with this worker.",
                        Bounds.shown(Bounds.cut(name, Bounds.NAME)));
                return true;
            }
            Constructor<? extends RetryIf> made =
                    found.asSubclass(RetryIf.class).getDeclaredConstructor();
            made.setAccessible(true);
            return made.newInstance().retry(failure, attempt);
        } catch (Throwable e) {
            Thrown.quietly(() -> log.warn(
                    "retryIf {} can't be asked, the retry policy decides without it", name, loggable.apply(e)));
            return true;
        }
    }
}
