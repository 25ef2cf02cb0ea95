package dev.durable.client;

import dev.durable.ActivityFailedException;
import dev.durable.ActivityInfo;
import dev.durable.PayloadException;
import org.jspecify.annotations.Nullable;

/**
 * One incident or dead letter, with the operations by which an operator resolves it. Every call throws {@link
 * IncidentNotFoundException} when it is none, or no longer, and tells why: nothing was written then. Thread-safe.
 */
public interface IncidentControl {

    /** Names the operator who resolves it, for events and audit; the identity of this process by default. */
    IncidentControl by(String actor);

    /** Why, in events and audit. */
    IncidentControl because(String reason);

    /** All there is to know of it, with its arguments. */
    Incident describe();

    /**
     * It is tried again: as many attempts as its policy gave it before, with the delays of the first ones, and a new
     * schedule-to-close from now. Attempts go on counting; a crash budget is given again, too. One that is {@code
     * atMostOnce} gets one attempt more: the operator knows that the earlier ones did nothing.
     */
    void retry();

    /**
     * It is tried again as by {@link #retry()}, with at most that many attempts.
     *
     * @param attempts at least 1
     */
    void retry(int attempts);

    /**
     * As {@link #retry()}, with these arguments. The history keeps what the workflow's code gave, which is what a replay
     * compares, and records the new ones in {@code IncidentResolved}. {@link ActivityInfo#idempotencyKey()} stays: a
     * service that remembers the earlier call under it may answer with that call's result.
     *
     * @throws PayloadException when they are not those of the activity, can't be written, or are too large
     */
    void retryWith(@Nullable Object... arguments);

    /**
     * It ends with this value.
     *
     * @throws PayloadException when it is nothing that the activity returns, can't be written, or is too large
     */
    void complete(@Nullable Object value);

    /** It ends with a failure of these words: the workflow's code gets {@link ActivityFailedException}. */
    void fail(String why);

    /** It ends with this failure; a type that its signature names comes back as itself. */
    void fail(Throwable failure);

    /**
     * It ends as if it had returned null.
     *
     * @throws PayloadException when it returns a primitive
     */
    void discard();
}
