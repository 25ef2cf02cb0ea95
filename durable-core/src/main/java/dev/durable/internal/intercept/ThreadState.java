package dev.durable.internal.intercept;

import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * The settings of a thread that code of the application may change while it runs on a thread of the engine or of a
 * caller; they are restored afterwards. Thread-locals of the application and of its libraries can't be listed, and stay
 * changed.
 *
 * @param mdc the logging context; null where it was empty
 */
public record ThreadState(
        Thread thread,
        String name,
        int priority,
        @Nullable ClassLoader contextClassLoader,
        Thread.@Nullable UncaughtExceptionHandler onUncaught,
        @Nullable Map<String, String> mdc) {

    /** Returns the settings of the calling thread. */
    public static ThreadState ofCurrent() {
        Thread current = Thread.currentThread();
        return new ThreadState(
                current,
                current.getName(),
                current.getPriority(),
                current.getContextClassLoader(),
                current.getUncaughtExceptionHandler(),
                MDC.getCopyOfContextMap());
    }

    /** Runs code of the application and restores the thread's settings afterwards. */
    public static void keeping(Runnable code) {
        ThreadState before = ofCurrent();
        try {
            code.run();
        } finally {
            before.restore();
        }
    }

    /** Restores the settings; called on the thread from which they were read. */
    @SuppressWarnings("ThreadPriorityCheck") // it is given back what it had
    public void restore() {
        if (!thread.getName().equals(name)) {
            thread.setName(name);
        }
        if (thread.getPriority() != priority) {
            thread.setPriority(priority);
        }
        if (!Objects.equals(thread.getContextClassLoader(), contextClassLoader)) {
            thread.setContextClassLoader(contextClassLoader);
        }
        if (!Objects.equals(thread.getUncaughtExceptionHandler(), onUncaught)) {
            thread.setUncaughtExceptionHandler(onUncaught);
        }
        if (mdc == null || mdc.isEmpty()) {
            MDC.clear();
        } else if (!mdc.equals(MDC.getCopyOfContextMap())) {
            MDC.setContextMap(mdc);
        }
    }
}
