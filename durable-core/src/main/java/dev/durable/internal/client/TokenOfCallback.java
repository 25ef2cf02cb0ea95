package dev.durable.internal.client;

import dev.durable.CallbackEndedException;
import dev.durable.CallbackEndedException.How;
import dev.durable.CallbackFailedException;
import dev.durable.RefusedInputException;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.CallbackHandle;
import dev.durable.history.CallbackCancelled;
import dev.durable.history.CallbackCompleted;
import dev.durable.history.CallbackExtended;
import dev.durable.history.CallbackFailed;
import dev.durable.history.CallbackTimedOut;
import dev.durable.history.Failure;
import dev.durable.history.HistoryEvent;
import dev.durable.internal.client.access.ClientCode;
import dev.durable.internal.client.access.Dispatch;
import dev.durable.internal.client.access.Messages;
import dev.durable.internal.client.access.WorkflowCode;
import dev.durable.store.CallbackState;
import dev.durable.store.CallbackToken;
import dev.durable.store.Delivery;
import dev.durable.store.Joined;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Implements {@link CallbackHandle}. The inbox takes in the first outcome, as all outcomes of a callback have one message
 * id; so the state is read before a message is sent, for callbacks that ended long ago, and again behind it, to see whose
 * outcome the inbox has taken in.
 */
final class TokenOfCallback implements CallbackHandle {
    /** The most tries; another one is due only where a timeout was in the inbox and more time was given before it. */
    private static final int TRIES = 20;

    private final Dispatch dispatch;
    private final ClientCode code;
    private final Messages messages;
    private final CallbackToken token;

    /**
     * The last event of the history that was read, as long as none up to there ended the callback: histories are
     * append-only, so the next read begins behind it.
     */
    private volatile long readTo;

    TokenOfCallback(Dispatch dispatch, ClientCode code, Messages messages, CallbackToken token) {
        this.dispatch = dispatch;
        this.code = code;
        this.messages = messages;
        this.token = token;
    }

    @Override
    public void complete(@Nullable Object value) {
        end(new CallbackCompleted(
                1,
                Instant.EPOCH,
                token.callback(),
                code.payloads().encodeUndeclared(value, "the result of a callback")));
    }

    @Override
    @SuppressWarnings("ConstantValue") // callers without null checks may pass null
    public void fail(Throwable failure) {
        if (failure == null) {
            throw new RefusedInputException(
                    "CallbackHandle.fail was given null, and needs the exception that the workflow"
                            + " gets. Use complete(null) for a result that is null.");
        }
        end(failed(code.failures().encode(failure, List.of())));
    }

    @Override
    public void fail(String message) {
        end(failed(Failure.of(CallbackFailedException.class.getName(), code.reason("fail", message))));
    }

    private CallbackFailed failed(Failure failure) {
        return new CallbackFailed(1, Instant.EPOCH, token.callback(), failure);
    }

    @Override
    @SuppressWarnings("ConstantValue") // callers without null checks may pass null
    public void extend(Duration time) {
        if (time == null || time.isZero() || time.isNegative()) {
            throw new RefusedInputException("CallbackHandle.extend was given " + time
                    + ", and needs a time above zero, which counts from now.");
        }
        send(new CallbackExtended(1, Instant.EPOCH, code.random().get(), token.callback(), time), state -> {
            HistoryEvent end = state.end();
            if (end != null || !state.open()) {
                throw ended(end);
            }
            return false;
        });
    }

    private void end(HistoryEvent.CallbackEnded mine) {
        send(mine, state -> {
            HistoryEvent end = state.end();
            if (end == null ? !state.open() : !isSame(end, mine)) {
                throw ended(end);
            }
            return end != null;
        });
    }

    /** @param isDone returns whether the callback has what is to be sent; throws where it has ended otherwise */
    private void send(HistoryEvent.OfCallback news, Predicate<CallbackState> isDone) {
        WorkflowCode.mayNot("client.callback(…)", "end or extend the callback again");
        boolean isEnd = news instanceof HistoryEvent.CallbackEnded;
        Delivery delivery = new Delivery(token.run().workflowId(), token.run().runId(), CallbackState.message(news));
        for (int attempt = 1; attempt <= TRIES && !isDone.test(state()); attempt++) {
            if (!messages.ofCallback(delivery) || (!isEnd && !isDone.test(state()))) {
                return;
            }
        }
    }

    private CallbackState state() {
        // In a caller's transaction it takes no second connection, for which all its callers could wait.
        Optional<Joined> transaction = dispatch.transaction();
        long read = readTo;
        CallbackState state = (transaction.isPresent()
                        ? transaction.get().callback(token, read)
                        : dispatch.store().callback(token, read))
                .orElseThrow(() ->
                        new WorkflowNotFoundException("the run " + token.run().shown()
                                + " whose callback this token names is not there: retention has removed it, or the token is of"
                                + " another database. Nothing was written."));
        if (read == 0 && !state.isKnown()) {
            throw new RefusedInputException(
                    "the token names no callback that " + token.run().shown()
                            + " has opened. Usual cause: a token that was put together by hand, or one that was read before the"
                            + " transaction that records it had committed. Nothing was written.");
        }
        if (!state.isEndRecorded()) {
            readTo = state.lastEvent();
        }
        return state;
    }

    /**
     * Returns whether the end is what a repetition of the call leaves: the value to the byte, which the run may have been
     * unable to read, or type and message of the failure.
     */
    private static boolean isSame(HistoryEvent end, HistoryEvent.CallbackEnded mine) {
        return switch (mine) {
            case CallbackCompleted m ->
                end instanceof CallbackCompleted e && e.result().equals(m.result())
                        || end instanceof CallbackFailed f && m.result().equals(f.value());
            case CallbackFailed m ->
                end instanceof CallbackFailed e
                        && e.value() == null
                        && e.failure().type().equals(m.failure().type())
                        && Objects.equals(e.failure().message(), m.failure().message());
            case CallbackTimedOut ignored -> false;
        };
    }

    private CallbackEndedException ended(@Nullable HistoryEvent end) {
        How how =
                switch (end) {
                    case CallbackCompleted ignored -> How.COMPLETED;
                    case CallbackFailed ignored -> How.FAILED;
                    case CallbackTimedOut ignored -> How.TIMED_OUT;
                    case CallbackCancelled ignored -> How.CANCELLED;
                    case null, default -> How.RUN_CLOSED;
                };
        String what =
                switch (how) {
                    case RUN_CLOSED -> "the run has closed and waits for it no longer";
                    case COMPLETED, FAILED, TIMED_OUT, CANCELLED ->
                        "it was " + how.name().toLowerCase(Locale.ROOT).replace('_', ' ') + " before";
                };
        return new CallbackEndedException(
                "the callback of workflow " + token.run().shown() + " takes no other outcome and no more time: " + what
                        + ". Nothing was written.",
                how);
    }
}
