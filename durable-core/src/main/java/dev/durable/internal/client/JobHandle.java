package dev.durable.internal.client;

import dev.durable.ActivityFailedException;
import dev.durable.TypeRef;
import dev.durable.WorkflowFailedException;
import dev.durable.client.ActivityControl;
import dev.durable.client.ActivityHandle;
import dev.durable.client.WorkflowDescription;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.ActivityFailed;
import dev.durable.history.History;
import dev.durable.history.Payload;
import dev.durable.internal.client.access.ClientCode;
import dev.durable.internal.declare.ActivityMethod;
import dev.durable.internal.text.Thrown;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Implements {@link ActivityHandle}, the handle of a background job, on top of the handle of its run. */
final class JobHandle implements ActivityHandle {
    private final WorkflowHandle<?, ?> run;
    private final ClientCode code;
    private final Of activity;
    private final UUID runId;
    private final ActivityControl control;
    private final Supplier<ActivityHandle> again;

    /**
     * The activity of the job.
     *
     * @param name the activity's name when the job was enqueued
     * @param method the method that declares it; null where this process does not have it
     */
    record Of(String name, @Nullable ActivityMethod method) {
        private Collection<Class<? extends Throwable>> exceptions() {
            return method == null ? List.of() : method.spec().named();
        }

        private ClassLoader classes() {
            return method == null
                    ? JobHandle.class.getClassLoader()
                    : method.spec().method().getDeclaringClass().getClassLoader();
        }

        private String advice() {
            return method == null
                    ? "Usually another type was asked for than the activity's method returns: ask for that one."
                    : "Usually another type was asked for than "
                            + method.spec().returnType().getTypeName()
                            + ", which the activity's method returns: ask for that one.";
        }
    }

    /**
     * @param again enqueues the job again
     */
    JobHandle(
            WorkflowHandle<?, ?> run,
            ClientCode code,
            Of activity,
            UUID runId,
            ActivityControl control,
            Supplier<ActivityHandle> again) {
        this.again = again;
        this.run = run;
        this.code = code;
        this.activity = activity;
        this.runId = runId;
        this.control = control;
    }

    @Override
    public String activity() {
        return activity.name();
    }

    @Override
    public ActivityControl control() {
        return control;
    }

    @Override
    public String id() {
        return run.workflowId();
    }

    @Override
    public UUID runId() {
        return runId;
    }

    @Override
    public <T> @Nullable T resultAs(Class<T> type) {
        return read(type, () -> run.resultAs(Payload.class));
    }

    @Override
    public <T> @Nullable T resultAs(TypeRef<T> type) {
        return read(type.type(), () -> run.resultAs(Payload.class));
    }

    @Override
    public <T> @Nullable T resultAs(Class<T> type, Duration timeout) {
        return read(type, () -> Results.<Payload>cast(run.result(timeout)));
    }

    @Override
    public <T> @Nullable T resultAs(TypeRef<T> type, Duration timeout) {
        return read(type.type(), () -> run.resultAs(Payload.class, timeout));
    }

    @Override
    public <T> CompletableFuture<@Nullable T> resultAsync(Class<T> type) {
        CompletableFuture<Object> end = Results.cast(run.resultAsync());
        return end.handle((result, error) -> this.<T>read(type, () -> {
            if (error != null) {
                throw error instanceof CompletionException wrapped && wrapped.getCause() instanceof RuntimeException own
                        ? own
                        : new CompletionException(Thrown.of(error).text(), error);
            }
            return Results.<Payload>cast(result);
        }));
    }

    private <T> @Nullable T read(Type type, Supplier<@Nullable Payload> end) {
        Payload result;
        try {
            result = end.get();
        } catch (WorkflowFailedException e) {
            throw e.status() == WorkflowStatus.FAILED ? failure(e) : e;
        }
        return result == null
                ? null
                : Results.cast(
                        code.payloads().decodeFor(result, type, "the result of " + activity.name(), activity::advice));
    }

    /** Returns the activity's failure as its caller in a workflow would see it. */
    private RuntimeException failure(WorkflowFailedException end) {
        return run.history().stream()
                .filter(ActivityFailed.class::isInstance)
                .map(ActivityFailed.class::cast)
                .findFirst()
                .map(this::failure)
                .orElse(end);
    }

    private RuntimeException failure(ActivityFailed event) {
        Throwable original = code.failures().decode(event.failure(), activity.exceptions(), activity.classes());
        ActivityFailedException details = new ActivityFailedException(
                activity.name() + " (job " + id() + ") failed in attempt " + event.attempt() + ": "
                        + event.failure().type()
                        + (event.failure().message() == null
                                ? ""
                                : ": " + event.failure().message()),
                activity.name(),
                event.seq(),
                event.attempt(),
                event.failure(),
                original);
        return original instanceof RuntimeException unchecked
                        && activity.exceptions().stream().anyMatch(type -> type.isInstance(original))
                ? unchecked
                : details;
    }

    @Override
    public void cancel(String reason) {
        run.cancel(reason);
    }

    @Override
    public ActivityHandle enqueueAgain() {
        return again.get();
    }

    @Override
    public void terminate(String reason) {
        run.terminate(reason);
    }

    @Override
    public WorkflowDescription describe() {
        return run.describe();
    }

    @Override
    public History history() {
        return run.history();
    }
}
