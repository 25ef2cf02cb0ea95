package dev.durable.internal.client.access;

import dev.durable.DurableException;
import dev.durable.WorkflowNotFoundException;
import dev.durable.history.EventJson;
import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.history.Payload;
import dev.durable.history.UpdateAccepted;
import dev.durable.history.WorkflowCancelRequested;
import dev.durable.internal.declare.WorkflowType;
import dev.durable.internal.replay.call.SignalArguments;
import dev.durable.internal.text.Bounds;
import dev.durable.store.Delivery;
import dev.durable.store.InboxLimit;
import dev.durable.store.Joined;
import dev.durable.store.RunKey;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Sends signals and requests to cancel: durable when a call returns, or when the transaction that it takes part in
 * commits.
 */
public final class Messages {
    public static final int TRIES_WHILE_CLOSING = 1_000;

    private final Dispatch dispatch;
    private final ClientCode code;

    public Messages(Dispatch dispatch, ClientCode code) {
        this.dispatch = dispatch;
        this.code = code;
    }

    /** Encodes the arguments of a signal, checked where the workflow's type is known. */
    public static Payload arguments(
            ClientCode code, @Nullable WorkflowType workflow, String signal, @Nullable Object[] arguments) {
        return SignalArguments.encode(code.payloads(), workflow, signal, arguments);
    }

    public void signal(String workflowId, @Nullable UUID runId, String name, Payload input) {
        UUID id = code.random().get();
        send(new Delivery(workflowId, runId, new InboxMessage(id, MessageKind.SIGNAL, name, input.json(), null, null)));
    }

    /**
     * Asks a run to cancel.
     *
     * @param actor the operator in history and audit; null is this process, which gets no row in the audit
     */
    public void cancel(String workflowId, @Nullable UUID runId, String reason, @Nullable String actor) {
        send(new Delivery(workflowId, runId, cancellation(reason, actor), actor));
    }

    /** Asks a run to cancel, without waiting for the answer. */
    CompletableFuture<Delivery.Outcome> cancelAsync(RunKey run, String reason) {
        InboxMessage message = cancellation(reason, null);
        mayBeSent(run.workflowId(), message);
        Delivery delivery = new Delivery(run.workflowId(), run.runId(), message);
        Optional<Joined> transaction = dispatch.transaction();
        if (transaction.isPresent()) {
            transaction.get().deliver(delivery);
            return CompletableFuture.completedFuture(Delivery.Outcome.ACCEPTED);
        }
        return dispatch.deliver(delivery);
    }

    /**
     * Asks runs to cancel, together, so that the messages share commits. Returns how many runs accepted it; runs that
     * have ended do not.
     */
    public long cancelAll(List<RunKey> runs, String reason) {
        Map<RunKey, CompletableFuture<Delivery.Outcome>> sent = new LinkedHashMap<>();
        runs.forEach(run -> sent.put(run, cancelAsync(run, reason)));
        return sent.entrySet().stream()
                .filter(one -> hears(one.getKey(), one.getValue(), reason))
                .count();
    }

    private boolean hears(RunKey run, CompletableFuture<Delivery.Outcome> sent, String reason) {
        Delivery.Outcome outcome = ClientWaits.forAnswer(dispatch, sent, "cancelling " + run.shown());
        switch (outcome) {
            case ACCEPTED -> {
                return true;
            }
            case NOT_FOUND -> {
                return false;
            }
            case CLOSING, INBOX_FULL, INBOX_TOO_LARGE, LOCKED -> {}
        }
        try {
            cancel(run.workflowId(), run.runId(), reason, null);
            return true;
        } catch (WorkflowNotFoundException e) {
            return false;
        }
    }

    private InboxMessage cancellation(String reason, @Nullable String actor) {
        UUID id = code.random().get();
        String why = code.reason("cancel", reason);
        return cancellation(
                new WorkflowCancelRequested(1, Instant.EPOCH, id, why, actor == null ? code.identity() : actor));
    }

    public static InboxMessage cancellation(WorkflowCancelRequested request) {
        return new InboxMessage(
                request.messageId(), MessageKind.CANCEL, request.type(), EventJson.attributes(request), null, null);
    }

    /**
     * Refuses a message that the code of a workflow sends.
     *
     * @param signal the signal's name; null for a request to cancel
     */
    public static void mayBeSent(String workflowId, @Nullable String signal) {
        WorkflowCode.mayNot(
                signal == null ? "handle.cancel(…)" : "handle.signal(…)",
                (signal == null ? "cancel " : "send signal " + signal + " to ") + Bounds.shown(workflowId) + " again");
    }

    private static void mayBeSent(String workflowId, InboxMessage message) {
        mayBeSent(workflowId, isSignal(message) ? message.name() : null);
    }

    /**
     * Sends an update to a run, by a connection of the engine: its answer can't come before the caller's transaction
     * commits.
     *
     * @throws WorkflowNotFoundException where the run has closed
     */
    public void update(RunKey run, UpdateAccepted update) {
        deliver(new Delivery(run.workflowId(), run.runId(), update(update)));
    }

    /** Returns the message that brings an update. */
    public static InboxMessage update(UpdateAccepted update) {
        return new InboxMessage(
                update.messageId(), MessageKind.UPDATE, update.name(), EventJson.attributes(update), null, null);
    }

    /**
     * Sends news of a callback: with the commit of the caller's transaction, or at once.
     *
     * @return whether it was sent at once, or the run has closed, so that the state of the callback tells what has become
     *     of it
     */
    public boolean ofCallback(Delivery delivery) {
        Optional<Joined> transaction = dispatch.transaction();
        if (transaction.isPresent()) {
            transaction.get().deliver(delivery);
            return false;
        }
        try {
            deliver(delivery);
        } catch (WorkflowNotFoundException e) {
            // The callback's state says which run this is, and why it takes nothing.
        }
        return true;
    }

    private void send(Delivery delivery) {
        mayBeSent(delivery.workflowId(), delivery.message());
        Optional<Joined> transaction = dispatch.transaction();
        if (transaction.isPresent()) {
            transaction.get().deliver(delivery);
        } else {
            deliver(delivery);
        }
    }

    private void deliver(Delivery delivery) {
        String workflowId = delivery.workflowId();
        UUID runId = delivery.runId();
        InboxMessage message = delivery.message();
        Dispatch call = dispatch.begun();
        for (int attempt = 1; attempt <= TRIES_WHILE_CLOSING; attempt++) {
            Delivery.Outcome outcome =
                    ClientWaits.forAnswer(call, call.deliver(delivery), "message to " + Bounds.shown(workflowId));
            switch (outcome) {
                case ACCEPTED -> {
                    return;
                }
                case NOT_FOUND ->
                    throw new WorkflowNotFoundException(
                            "there is no open run of workflow id " + Bounds.shown(workflowId)
                                    + (runId == null ? "" : " with run id " + runId) + ", so " + unsent(message)
                                    + ". Usually it has closed already, or was started in a transaction that is still open, or the id"
                                    + " is another one: client.handle(id).describe() tells.");
                case INBOX_FULL, INBOX_TOO_LARGE -> throw inboxFull(workflowId, message, outcome);
                case CLOSING, LOCKED -> call.breathe();
            }
        }
        throw closing(workflowId, message);
    }

    public static DurableException inboxFull(String workflowId, InboxMessage message, Delivery.Outcome outcome) {
        boolean many = outcome == Delivery.Outcome.INBOX_FULL;
        return new DurableException(String.format(
                Locale.ROOT,
                "the inbox of %s is full and takes no %s: as many %s wait for this run as may (%s of the store, %,d unless it was"
                        + " built with another). Its worker is down, or messages come faster than the run handles them; send"
                        + " again later.",
                Bounds.shown(workflowId),
                what(message),
                many ? "messages" : "bytes of messages",
                many ? "inboxLimit" : "inboxBytes",
                many ? InboxLimit.DEFAULT.messages() : InboxLimit.DEFAULT.bytes()));
    }

    public static DurableException closing(String workflowId, InboxMessage message) {
        return new DurableException(workflowId + " has been about to close for seconds and takes no " + what(message)
                + ". Send again later.");
    }

    private static String unsent(InboxMessage message) {
        return switch (message.kind()) {
            case SIGNAL, UPDATE, CALLBACK -> what(message) + " was not sent";
            case CANCEL -> "there is nothing to cancel";
            case ACTIVITY_OUTCOME, CHILD_OUTCOME, CHILD_START, CHILD_WATCH, CHILD_TERMINATE, PARENT_CLOSED, UNKNOWN ->
                throw notOfClient(message);
        };
    }

    /** Returns a message of a client in words: {@code signal approve}. */
    public static String what(InboxMessage message) {
        return switch (message.kind()) {
            case SIGNAL -> "signal " + message.name();
            case UPDATE -> "update " + message.name();
            case CANCEL -> "cancel";
            case CALLBACK -> "news of a callback";
            case ACTIVITY_OUTCOME, CHILD_OUTCOME, CHILD_START, CHILD_WATCH, CHILD_TERMINATE, PARENT_CLOSED, UNKNOWN ->
                throw notOfClient(message);
        };
    }

    private static boolean isSignal(InboxMessage message) {
        return switch (message.kind()) {
            case SIGNAL -> true;
            case CANCEL, UPDATE, CALLBACK -> false;
            case ACTIVITY_OUTCOME, CHILD_OUTCOME, CHILD_START, CHILD_WATCH, CHILD_TERMINATE, PARENT_CLOSED, UNKNOWN ->
                throw notOfClient(message);
        };
    }

    private static IllegalArgumentException notOfClient(InboxMessage message) {
        return new IllegalArgumentException("a client sends no message of kind " + message.kind());
    }
}
