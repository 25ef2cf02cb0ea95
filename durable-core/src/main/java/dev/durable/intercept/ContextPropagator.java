package dev.durable.intercept;

import java.util.Map;
import org.slf4j.MDC;

/**
 * Carries context that is bound to a thread (a tenant, a user, keys of the MDC) from the caller of a start to the code that
 * runs for it, in whatever process and however much later.
 *
 * <p>The map that {@link #capture()} gives on the caller's thread becomes headers of the run, each under {@code
 * name.key}. They are written once, with the start, and never change: {@link #restore} gets the same on every thread of
 * the workflow's code, live and on replay, and around the body of each of its activities. So workflow code may rely on
 * it. Where an activity starts further runs, they get the context of that activity.
 *
 * <p>A header that the start's options have under the same name wins over what is captured: {@code
 * StartOptions.id("order-42").header("mdc.tenant", "acme")} starts in another context than the caller's. The {@linkplain
 * dev.durable.client.StartOptions bounds of headers} hold for all together. Headers are stored as plain text, and all
 * readers of the history see them: carry names, no secrets.
 */
public interface ContextPropagator {

    /**
     * The prefix of its headers: letters, digits, {@code -} and {@code _}; {@code mdc}. Recorded, so it must stay the
     * same for as long as there are runs.
     */
    String name();

    /** The context of the calling thread, by keys of its own; empty where there is none. Called for each start. */
    Map<String, String> capture();

    /**
     * Binds a context to the calling thread until the scope is closed on it, which brings back what was bound before. Called
     * also with a context that is empty, where nothing was captured: then nothing must be bound. On a thread of workflow
     * code once, when the thread begins, for all the turns that it takes part in.
     *
     * @throws RuntimeException stalls the run, or fails the attempt of the activity
     */
    Scope restore(Map<String, String> context);

    /** A context that is bound to a thread. */
    @FunctionalInterface
    interface Scope extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * Carries these keys of SLF4J's {@link MDC}, as headers {@code mdc.tenant} and so on. The engine itself puts {@code
     * workflowId}, {@code runId}, {@code activity} and {@code attempt} there. What is restored can forge no line of the log:
     * it is cut behind 1,000 characters, and control characters and invisible ones stand there escaped, {@code \u005cu000a}.
     *
     * @throws IllegalArgumentException where a key can't be part of a header's name, or is one of the engine's own
     */
    static ContextPropagator mdc(String... keys) {
        return new MdcPropagator(keys);
    }
}
