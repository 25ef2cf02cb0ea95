package dev.durable.client;

import dev.durable.WaitTimedOutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Waits of a client's thread. */
final class Waiting {
    private Waiting() {}

    static <T extends @Nullable Object> T forEver(Dispatch dispatch, CompletableFuture<T> future) {
        try {
            return dispatch.await(future, null);
        } catch (TimeoutException e) {
            throw new AssertionError("a wait without a timeout timed out", e);
        }
    }

    static <T extends @Nullable Object> T atMost(
            Dispatch dispatch, CompletableFuture<T> future, Duration timeout, String what) {
        try {
            return dispatch.await(future, timeout);
        } catch (TimeoutException e) {
            throw new WaitTimedOutException(what + " did not come within " + timeout);
        }
    }
}
