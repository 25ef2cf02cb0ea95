package dev.durable.internal.replay.call;

import dev.durable.CallbackFailedException;
import dev.durable.PayloadException;
import dev.durable.WaitTimedOutException;
import dev.durable.history.CallbackCompleted;
import dev.durable.history.CallbackExtended;
import dev.durable.history.CallbackFailed;
import dev.durable.history.CallbackTimedOut;
import dev.durable.history.Failure;
import dev.durable.history.HistoryEvent;
import dev.durable.internal.payload.FailureCodec;
import dev.durable.internal.replay.coroutine.Coroutine;
import dev.durable.internal.replay.coroutine.HistoryDecoder;
import dev.durable.internal.replay.coroutine.PromiseOutcome;
import dev.durable.internal.text.Bounds;
import dev.durable.internal.text.Thrown;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The callbacks that a run has opened and that have no outcome, by their ids. */
public final class OpenCallbacks {
    private static final int ONE_BYTES = 512;

    private final OpenWork work;
    private final HistoryDecoder decoder;
    private final FailureCodec failures;
    private final ClassLoader loader;
    private final Map<UUID, OpenCallback> open = new LinkedHashMap<>(0);

    OpenCallbacks(OpenWork work, HistoryDecoder decoder, FailureCodec failures, ClassLoader loader) {
        this.work = work;
        this.decoder = decoder;
        this.failures = failures;
        this.loader = loader;
    }

    OpenWork work() {
        return work;
    }

    void add(OpenCallback callback) {
        open.put(callback.id, callback);
    }

    void remove(OpenCallback callback) {
        open.remove(callback.id);
    }

    /** Returns the callbacks that this coroutine has opened, or all of them without one. */
    List<OpenCallback> of(@Nullable Coroutine coroutine) {
        return open.values().stream()
                .filter(callback -> coroutine == null || callback.isOf(coroutine))
                .toList();
    }

    /** Returns the id of the callback that times out with this timer; null where the timer is another one. */
    public @Nullable UUID timedBy(int timer) {
        OpenTimer due = work.timer(timer);
        return due == null || due.callback == null ? null : due.callback.id;
    }

    /** Returns whether the callback may be given more time once more. */
    public boolean mayBeExtended(UUID callback) {
        OpenCallback extended = open.get(callback);
        return extended != null && extended.extensions() < Bounds.EXTENSIONS;
    }

    /** Returns whether the news can be fed: a timeout that was sent before the time was extended can't. */
    boolean accepts(HistoryEvent.OfCallback event) {
        OpenCallback callback = open.get(event.callback());
        return callback != null && (!(event instanceof CallbackTimedOut) || callback.isOverdue());
    }

    void apply(HistoryEvent.OfCallback event) {
        OpenCallback callback = Objects.requireNonNull(open.get(event.callback()), "no such callback is open");
        switch (event) {
            case CallbackExtended e -> callback.extend(e.time());
            case CallbackCompleted e ->
                callback.ended(PromiseOutcome.succeededWith(() -> e.readable()
                        ? decoder.decode(e.result(), callback.type, resultOf(callback))
                        : valueOfOlderHistory(callback, e)));
            case CallbackFailed e -> callback.ended(failed(callback, e));
            case CallbackTimedOut ignored -> callback.ended(timedOut(callback));
        }
    }

    /**
     * Reads the value with which a callback is completed, and returns the event that says whether that was possible. The
     * holder of the token has chosen the value, so one that is not of the type fails the promise: a run that stalled by
     * it could take no other outcome. Replay reads the decision in the history, whatever the type has become.
     */
    public HistoryEvent.CallbackEnded judge(CallbackCompleted sent) {
        OpenCallback callback = Objects.requireNonNull(open.get(sent.callback()), "no such callback is open");
        try {
            decoder.decodeGiven(sent.result(), callback.type, resultOf(callback));
            return new CallbackCompleted(sent.id(), sent.at(), sent.callback(), sent.result(), true);
        } catch (OutOfMemoryError | LinkageError e) {
            throw e; // says something about this process, and nothing about the value
        } catch (Throwable e) {
            // An Error of the type's own code, too.
            Failure failure = Failure.of(
                    PayloadException.class.getName(),
                    failures.recordable("the value that completed it is no " + callback.type.getTypeName() + ": "
                            + Thrown.of(e).words()));
            return new CallbackFailed(sent.id(), sent.at(), sent.callback(), failure, sent.result());
        }
    }

    /** Reads a value of a history that does not say whether it could be read: if it can't be, the promise fails. */
    private @Nullable Object valueOfOlderHistory(OpenCallback callback, CallbackCompleted event) {
        try {
            return decoder.decodeGiven(event.result(), callback.type, resultOf(callback));
        } catch (PayloadException e) {
            String what = callback + " was completed with a value that is no " + callback.type.getTypeName() + ": "
                    + e.getMessage();
            throw new CallbackFailedException(what, Failure.of(PayloadException.class.getName(), e.getMessage()), e);
        }
    }

    private static String resultOf(OpenCallback callback) {
        return "the result of " + callback;
    }

    private PromiseOutcome<@Nullable Object> failed(OpenCallback callback, CallbackFailed event) {
        return PromiseOutcome.failedWith(() -> {
            throw new CallbackFailedException(
                    callback + " failed: " + event.failure().typeAndMessage(),
                    event.failure(),
                    failures.decode(event.failure(), List.of(), loader));
        });
    }

    private static PromiseOutcome<@Nullable Object> timedOut(OpenCallback callback) {
        String message = callback + " was not completed within " + callback.time();
        return PromiseOutcome.failedWith(() -> {
            throw new WaitTimedOutException(message);
        });
    }

    long weight() {
        return (long) ONE_BYTES * open.size();
    }
}
