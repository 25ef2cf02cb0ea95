package dev.durable.client;

import dev.durable.DurableException;
import dev.durable.WorkflowFailedException;
import dev.durable.WorkflowStatus;
import dev.durable.declare.WorkflowType;
import dev.durable.history.Failure;
import dev.durable.history.Payload;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Turns the end of a run into what the caller gets: a value, or the exception that says why there is none. */
final class Results {
    private final ClientCode code;
    private final @Nullable WorkflowType workflow;

    Results(ClientCode code, @Nullable WorkflowType workflow) {
        this.code = code;
        this.workflow = workflow;
    }

    <T extends @Nullable Object> T of(String workflowId, RunResult end, Type type) {
        return switch (end.status()) {
            case COMPLETED -> {
                Payload result = end.result() == null ? Payload.NULL : new Payload(end.result());
                yield cast(code.payloads().decode(result, type, "the result of " + workflowId));
            }
            case FAILED, TIMED_OUT, CANCELLED, TERMINATED -> throw failed(workflowId, end);
            case RUNNING, CONTINUED_AS_NEW ->
                throw new DurableException("run of " + workflowId + " is " + end.status() + " and has no result");
        };
    }

    private WorkflowFailedException failed(String workflowId, RunResult end) {
        Failure failure = end.failure() == null ? null : code.failures().fromJson(end.failure());
        String how = end.status().name().toLowerCase(Locale.ROOT).replace('_', ' ');
        String why = failure == null ? null : failure.message();
        String message = "workflow " + workflowId
                + (why == null
                        ? " " + how
                        : end.status() == WorkflowStatus.CANCELLED ? " was " + why : " " + how + ": " + why);
        return new WorkflowFailedException(message, workflowId, end.status(), failure, cause(end, failure));
    }

    private @Nullable Throwable cause(RunResult end, @Nullable Failure failure) {
        if (failure == null || end.status() != WorkflowStatus.FAILED) {
            return null;
        }
        if (workflow == null) {
            return code.failures().decode(failure, List.of(), Results.class.getClassLoader());
        }
        ClassLoader loader = workflow.declared().getClassLoader();
        return code.failures().decode(failure, workflow.run().named(), loader);
    }

    /** What a future failed with, as itself and with the stack of the caller who waited. */
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
