package dev.durable.internal.attempt;

import dev.durable.history.Payload;
import dev.durable.intercept.ActivityCall;
import dev.durable.intercept.ContextPropagator;
import dev.durable.internal.declare.ActivityBinding;
import dev.durable.internal.declare.type.MethodSpec;
import dev.durable.internal.intercept.Interception;
import dev.durable.internal.payload.PayloadCodec;
import dev.durable.internal.text.Bounds;
import dev.durable.store.ClaimedJob;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * Calls the method that implements an activity: decodes its arguments from JSON, runs the body, and encodes its result
 * as JSON.
 *
 * <p>Every {@code Throwable} of the body is a failure of the attempt, an {@code Error} too: whether an {@code
 * OutOfMemoryError} or a {@code NoClassDefFoundError} is the body's fault or the process's can't be known here, and the
 * policy, which brings the next attempt perhaps to another process, is the best answer to both. That holds also for an
 * {@code Error} of code that writes the result: a class that can't be initialised here may be elsewhere. Where code
 * that reads arguments throws an {@code Error}, the body has not begun, and the job is left to other workers.
 */
final class ActivityInvocation {
    private ActivityInvocation() {}

    /** The end of a call of the body. */
    sealed interface Ended {}

    /** The body returned, and this is its result. */
    record Returned(Payload result) implements Ended {}

    record Threw(Throwable thrown) implements Ended {}

    /** The arguments can't be read here, so the body has not run. */
    record NotRead(Throwable why) implements Ended {}

    /** The result can't be written as JSON; the next attempt would meet this obstacle again. */
    record CanNotCross(Throwable why) implements Ended {}

    /**
     * Runs the body on this thread, with the attempt's context and with the ids of run and attempt in the fields of its
     * log lines.
     *
     * @param wasRead called before the body begins, once its arguments have been read
     */
    static Ended run(
            ActivityBinding binding,
            ClaimedJob job,
            AttemptContext context,
            AttemptServices.Code code,
            Runnable wasRead) {
        CurrentActivity.set(context);
        MDC.put("workflowId", job.key().run().shown());
        MDC.put("runId", job.key().run().runId().toString());
        MDC.put("activity", Bounds.shown(job.activity()));
        MDC.put("attempt", Integer.toString(job.attempt()));
        try {
            Interception interception = code.interception();
            Payload input = new Payload(job.content().input());
            return interception.isOfWorkers() && !binding.isOfEngine()
                    ? intercepted(interception, context, () -> call(binding, input, code, wasRead))
                    : call(binding, input, code, wasRead);
        } finally {
            List.of("workflowId", "runId", "activity", "attempt").forEach(MDC::remove);
            CurrentActivity.set(null);
        }
    }

    /**
     * Runs the body in the context of its run, inside all interceptors: an exception of an interceptor counts as thrown
     * by the body. Arguments that can't be read and a result that can't be written keep their own kind of end.
     */
    private static Ended intercepted(Interception interception, AttemptContext context, Supplier<Ended> body) {
        AtomicReference<@Nullable Ended> ended = new AtomicReference<>();
        try {
            ActivityCall call = context.call();
            try (ContextPropagator.Scope restored = interception.context().restore(call.headers())) {
                interception
                        .worker()
                        .activity(
                                call,
                                () -> {
                                    Ended how = body.get();
                                    ended.set(how);
                                    mayThrow(how);
                                },
                                context::staleEnd);
            }
        } catch (Throwable e) {
            return switch (ended.get()) {
                case NotRead unread -> unread;
                case CanNotCross ignored -> new CanNotCross(e);
                case Returned ignored -> new Threw(e);
                case Threw ignored -> new Threw(e);
                case null -> new Threw(e);
            };
        }
        return Objects.requireNonNull(ended.get());
    }

    private static void mayThrow(Ended how) throws Throwable {
        switch (how) {
            case Returned returned -> {}
            case Threw threw -> throw threw.thrown();
            case NotRead unread -> throw unread.why();
            case CanNotCross refused -> throw refused.why();
        }
    }

    private static Ended call(ActivityBinding binding, Payload input, AttemptServices.Code code, Runnable wasRead) {
        PayloadCodec payloads = code.payloads();
        MethodSpec method = binding.activity().spec();
        @Nullable Object[] arguments;
        try {
            arguments = code.exactArguments()
                    ? payloads.decodeExactly(method, input)
                    : payloads.decodeArguments(method, input);
        } catch (RuntimeException | StackOverflowError | LinkageError e) {
            return new NotRead(e);
        } catch (Error e) {
            return new Threw(e);
        }
        wasRead.run();
        @Nullable Object result;
        try {
            result = binding.invoke(arguments);
        } catch (Throwable e) {
            return new Threw(e);
        }
        try {
            return new Returned(
                    method.returnType() == void.class
                            ? Payload.NULL
                            : payloads.encode(result, method.returnType(), "the result of " + method.name()));
        } catch (RuntimeException | StackOverflowError e) {
            return new CanNotCross(e);
        } catch (Error e) {
            return new Threw(e);
        }
    }
}
