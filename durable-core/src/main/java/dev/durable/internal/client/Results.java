package dev.durable.internal.client;

import dev.durable.DurableException;
import dev.durable.WorkflowFailedException;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.Failure;
import dev.durable.history.Payload;
import dev.durable.internal.client.access.ClientCode;
import dev.durable.internal.declare.WorkflowType;
import dev.durable.internal.replay.BackgroundJob;
import dev.durable.internal.text.Bounds;
import dev.durable.store.RunResult;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Converts the end of a run to what {@code result()} returns or throws. */
final class Results {
    private final ClientCode code;
    private final @Nullable WorkflowType workflow;

    Results(ClientCode code, @Nullable WorkflowType workflow) {
        this.code = code;
        this.workflow = workflow;
    }

    /**
     * @param runType the run's workflow type; null where it was not read
     */
    <T extends @Nullable Object> T of(String workflowId, @Nullable String runType, RunResult end, Type type) {
        return switch (end.status()) {
            case COMPLETED -> {
                Payload result = end.result() == null ? Payload.NULL : new Payload(end.result());
                yield cast(code.payloads()
                        .decodeFor(
                                result,
                                type,
                                "the result of " + Bounds.shown(workflowId),
                                () -> wayOut(workflowId, runType, "result")));
            }
            case FAILED, TIMED_OUT, CANCELLED, TERMINATED -> throw failed(workflowId, end);
            case CONTINUED_AS_NEW -> throw failed(workflowId, end);
            case RUNNING ->
                throw new DurableException(
                        "run of " + Bounds.shown(workflowId) + " is " + end.status() + " and has no result");
        };
    }

    /** Returns the exception of callers who wait for the result; null where the run completed. */
    @Nullable
    WorkflowFailedException failureOrNull(String workflowId, RunResult end) {
        return switch (end.status()) {
            case FAILED, TIMED_OUT, CANCELLED, TERMINATED, CONTINUED_AS_NEW -> failed(workflowId, end);
            case RUNNING, COMPLETED -> null;
        };
    }

    /** Returns the advice for an answer that can't be read as the caller's type: usually that is the wrong one. */
    String wayOut(String workflowId, @Nullable String runType, String what) {
        String otherType = otherType(workflowId, runType);
        return otherType != null
                ? otherType
                : "Usually another type was asked for than the workflow's method returns: ask for that one, or for its "
                        + what + " through a handle of the workflow's own class, client.handle(Type.class, \""
                        + Bounds.shown(workflowId)
                        + "\"). If the type has changed since this was written, let the new one read the old data"
                        + " (@JsonAlias for another name, @JsonCreator for another shape).";
    }

    /**
     * Returns the text that the run is of another workflow type than the handle; null where it is not, or where the
     * type was not read.
     */
    @Nullable
    String otherType(String workflowId, @Nullable String runType) {
        return workflow == null
                        || runType == null
                        || workflow.isOfAnyType()
                        || workflow.names().contains(runType)
                ? null
                : workflowId + " is a run of workflow type " + runType + ", and this handle is of "
                        + workflow.declared().getTypeName() + ", which is workflow type " + workflow.name()
                        + ". Make the handle with the class of " + runType + ", client.handle(Type.class, \""
                        + Bounds.shown(workflowId)
                        + "\"), or ask without a class: client.handle(\"" + Bounds.shown(workflowId) + "\").";
    }

    private WorkflowFailedException failed(String workflowId, RunResult end) {
        Failure failure = end.failure() == null ? null : code.failures().fromJson(end.failure());
        String how = end.status().name().toLowerCase(Locale.ROOT).replace('_', ' ');
        String message = (isJob() ? "job " : "workflow ")
                + Bounds.shown(workflowId)
                + (end.status() == WorkflowStatus.CANCELLED && failure != null && failure.message() != null
                        ? " was " + failure.message()
                        : " " + how + why(end.status(), failure))
                + (end.status() == WorkflowStatus.FAILED && end.next() != null
                        ? ". Another attempt of it follows, for which a handle without a run id waits"
                        : "");
        return new WorkflowFailedException(message, workflowId, end.status(), failure, cause(end, failure));
    }

    private boolean isJob() {
        return workflow != null && workflow.name().equals(BackgroundJob.TYPE);
    }

    private static String why(WorkflowStatus status, @Nullable Failure failure) {
        if (status == WorkflowStatus.CONTINUED_AS_NEW) {
            return ": the result is that of the last run of its chain, which a handle without a run id waits for";
        }
        if (failure == null) {
            return status == WorkflowStatus.TIMED_OUT
                    ? ": it was still open when the run timeout (or execution timeout) of its start was over"
                    : "";
        }
        String message = failure.message();
        if (status != WorkflowStatus.FAILED) {
            return message == null ? "" : ": " + message;
        }
        return (failure.handler() == null ? "" : " in " + failure.handler()) + ": " + failure.type()
                + (message == null ? "" : ": " + message);
    }

    private @Nullable Throwable cause(RunResult end, @Nullable Failure failure) {
        if (failure == null || end.status() != WorkflowStatus.FAILED) {
            return null;
        }
        if (workflow == null) {
            return code.failures().decode(failure, List.of(), Results.class.getClassLoader());
        }
        ClassLoader loader = workflow.declared().getClassLoader();
        return code.failures().decode(failure, workflow.methods().run().named(), loader);
    }

    /** Returns the future's result, or throws the exception with which it failed, without a wrapper. */
    static <T extends @Nullable Object> T unwrap(Supplier<T> waiting) {
        try {
            return waiting.get();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }

    @SuppressWarnings({"unchecked", "NullAway"})
    static <T extends @Nullable Object> T cast(@Nullable Object value) {
        return (T) value;
    }
}
