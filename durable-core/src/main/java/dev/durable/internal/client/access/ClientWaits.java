package dev.durable.internal.client.access;

import dev.durable.StoreUnavailableException;
import dev.durable.WaitTimedOutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Lets a client's thread wait for a future, with a time limit and clear exceptions. */
public final class ClientWaits {
    private ClientWaits() {}

    /**
     * Waits for the answer to something that was sent to the store. While the database is away it is sent again and
     * again; the caller does not wait for that beyond the time of its call.
     *
     * @throws StoreUnavailableException when there is no answer in time; the sent item may still be written
     */
    public static <T extends @Nullable Object> T forAnswer(
            Dispatch dispatch, CompletableFuture<T> future, String what) {
        CallDeadline deadline = dispatch.deadline();
        try {
            return dispatch.await(future, deadline.left());
        } catch (TimeoutException e) {
            // An item that is not in a batch yet is withdrawn.
            future.cancel(false);
            throw new StoreUnavailableException(what + ": the database has not answered for "
                    + deadline.whole().toSeconds()
                    + " s. What was sent already goes on being tried in this process, so it may still happen. Usually the database is away,"
                    + " can't be written (a standby, a frozen one) or is overloaded, which the log says, or a transaction"
                    + " keeps the workflow id locked. Doing it again under the same workflow id"
                    + " (a start) is safe, and so is an update with an id of yours; a signal sent again is a second signal,"
                    + " and an update without an id of yours a second update.");
        }
    }

    public static <T extends @Nullable Object> T forEver(Dispatch dispatch, CompletableFuture<T> future) {
        try {
            return dispatch.await(future, null);
        } catch (TimeoutException e) {
            throw new AssertionError("a wait without a timeout timed out", e);
        }
    }

    public static <T extends @Nullable Object> T atMost(
            Dispatch dispatch, CompletableFuture<T> future, Duration timeout, String what) {
        return atMost(dispatch, future, timeout, timeout, what);
    }

    /**
     * Waits for the rest of a timeout.
     *
     * @param timeout the whole timeout, for the error
     */
    public static <T extends @Nullable Object> T atMost(
            Dispatch dispatch, CompletableFuture<T> future, Duration left, Duration timeout, String what) {
        try {
            return dispatch.await(future, left);
        } catch (TimeoutException e) {
            future.cancel(false);
            throw new WaitTimedOutException(what + " did not come within " + timeout);
        }
    }

    /**
     * Waits at most that long.
     *
     * @param why tells why nothing came, read when the time is over
     */
    public static <T extends @Nullable Object> T atMost(
            Dispatch dispatch, CompletableFuture<T> future, Duration timeout, String what, Supplier<String> why) {
        try {
            return dispatch.await(future, timeout);
        } catch (TimeoutException e) {
            future.cancel(false);
            throw new WaitTimedOutException(what + " did not come within " + timeout + why.get());
        }
    }

    /** Returns a derived future whose cancellation cancels its source, too. */
    public static <T extends @Nullable Object> CompletableFuture<T> cancelling(
            CompletableFuture<?> source, CompletableFuture<T> derived) {
        var unused = derived.whenComplete((result, error) -> {
            if (derived.isCancelled()) {
                source.cancel(false);
            }
        });
        return derived;
    }
}
