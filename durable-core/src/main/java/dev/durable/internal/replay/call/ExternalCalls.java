package dev.durable.internal.replay.call;

import dev.durable.CancelledException;
import dev.durable.ExternalWorkflow;
import dev.durable.PayloadException;
import dev.durable.RefusedInputException;
import dev.durable.RegistrationException;
import dev.durable.UsageException;
import dev.durable.VoidCall;
import dev.durable.history.ExternalCancelRequested;
import dev.durable.history.ExternalSignalRequested;
import dev.durable.history.Payload;
import dev.durable.internal.declare.Recorded;
import dev.durable.internal.declare.Recorder;
import dev.durable.internal.declare.WorkflowType;
import dev.durable.internal.replay.match.ReplaySetup;
import dev.durable.internal.text.Bounds;
import dev.durable.internal.text.Thrown;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Implements the messages that workflow code sends to other workflows. Each is a command with a number that counts the
 * messages of the chain; the transition that records it also writes the message.
 */
final class ExternalCalls {
    private static final String NO_REASON = "no reason given";

    private final DurableCalls run;
    private final WaitCalls waiting;
    private final CurrentTurn journal;
    private final ReplaySetup setup;
    private final SentMessages sent;

    ExternalCalls(DurableCalls run, WaitCalls waiting, CurrentTurn journal, SentMessages sent, ReplaySetup setup) {
        this.run = run;
        this.waiting = waiting;
        this.journal = journal;
        this.sent = sent;
        this.setup = setup;
    }

    @SuppressWarnings("ConstantValue") // callers without null checks may pass null
    <W> ExternalWorkflow<W> workflow(Class<W> type, String workflowId) {
        if (workflowId == null || workflowId.isBlank()) {
            throw new UsageException("Durable.external(" + type.getSimpleName() + ".class, …) was given "
                    + (workflowId == null ? "null" : "a blank text") + " as the workflow id. Give the id by which the"
                    + " other workflow was started; usual cause: a field of an argument that was not set.");
        }
        try {
            return new Handle<>(setup.registry().workflowOf(type), type, workflowId);
        } catch (RegistrationException e) {
            throw new UsageException("Durable.external(" + type.getSimpleName() + ".class, …): " + e.getMessage(), e);
        }
    }

    private void signal(WorkflowType type, String workflowId, String signal, @Nullable Object[] arguments) {
        Payload recorded = journal.expected() instanceof ExternalSignalRequested next
                        && next.number() == sent.upcoming()
                        && next.workflowId().equals(workflowId)
                        && next.signal().equals(signal)
                ? next.input()
                : null;
        Payload input = checked(
                "ExternalWorkflow.signal",
                () -> {
                    Bounds.known("workflow id", workflowId);
                    return SignalArguments.encode(setup.codec(), type, signal, arguments);
                },
                recorded,
                () -> setup.codec().asRecorded().encodeArguments(signal, arguments));
        long number = sent.next();
        journal.put((id, at) -> new ExternalSignalRequested(id, at, number, workflowId, signal, input));
    }

    private void cancel(String workflowId, String reason) {
        String recorded = journal.expected() instanceof ExternalCancelRequested next
                        && next.number() == sent.upcoming()
                        && next.workflowId().equals(workflowId)
                ? next.reason()
                : null;
        String why = checked(
                "ExternalWorkflow.cancel",
                () -> {
                    Bounds.known("workflow id", workflowId);
                    return setup.failures().recordable(Bounds.reason("cancel", reason));
                },
                recorded,
                () -> setup.failures().recordable(reason));
        long number = sent.next();
        journal.put((id, at) -> new ExternalCancelRequested(id, at, number, workflowId, why));
    }

    /**
     * Returns the value of a call, if the checks accept it. One that the history has of the call is accepted, whatever
     * the checks of its release were; any other is refused again, as it was when the turn was made.
     *
     * @param call the call, for the error
     * @param value checks the value of the call
     * @param recorded the value that the history has next; null where it has no such call next
     * @param unchecked gives the value by the rules of any release
     */
    static <T> T checked(String call, Supplier<T> value, @Nullable T recorded, Supplier<T> unchecked) {
        try {
            return value.get();
        } catch (RefusedInputException | PayloadException e) {
            if (recorded != null && recorded.equals(unchecked.get())) {
                return recorded;
            }
            throw new UsageException(call + " sent nothing. " + Thrown.of(e).words(), e);
        }
    }

    /** A workflow by its id, for the code of this run. */
    private final class Handle<W> implements ExternalWorkflow<W> {
        private final WorkflowType type;
        private final Class<W> declared;
        private final String workflowId;

        Handle(WorkflowType type, Class<W> declared, String workflowId) {
            this.type = type;
            this.declared = declared;
            this.workflowId = workflowId;
        }

        @Override
        public String workflowId() {
            return workflowId;
        }

        @Override
        public void signal(VoidCall<W> call) {
            mayCall("ExternalWorkflow.signal");
            Recorded recorded;
            try {
                recorded = Recorder.signal(declared, call);
            } catch (IllegalArgumentException e) {
                throw new UsageException("ExternalWorkflow.signal sent nothing. " + e.getMessage(), e);
            }
            ExternalCalls.this.signal(type, workflowId, recorded.name(), recorded.arguments());
        }

        @Override
        public void signal(String name, @Nullable Object... arguments) {
            mayCall("ExternalWorkflow.signal");
            ExternalCalls.this.signal(type, workflowId, name, arguments);
        }

        @Override
        public void cancel() {
            cancel(NO_REASON);
        }

        @Override
        public void cancel(String reason) {
            mayCall("ExternalWorkflow.cancel");
            ExternalCalls.this.cancel(workflowId, reason);
        }

        /**
         * Checks that the call comes from the code of this run, at a place where it may send.
         *
         * @throws CancelledException where the coroutine is cancelled
         */
        private void mayCall(String call) {
            if (DurableCalls.current(call) != run) {
                throw new UsageException(call + " was called on a handle of another run. Get it by Durable.external(…)"
                        + " where it is used, never from a static field.");
            }
            waiting.mayCommand(call);
        }

        @Override
        public String toString() {
            return "ExternalWorkflow[" + Bounds.shown(workflowId) + "]";
        }
    }
}
