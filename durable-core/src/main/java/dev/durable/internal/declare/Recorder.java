package dev.durable.internal.declare;

import dev.durable.Call;
import dev.durable.UsageException;
import dev.durable.VoidCall;
import dev.durable.internal.declare.object.CallKind;
import dev.durable.internal.declare.object.EmptyObjects;
import dev.durable.internal.declare.object.SentinelValues;
import org.jspecify.annotations.Nullable;

/**
 * Finds out which method a lambda such as {@code w -> w.run(order)} calls, and with which arguments, by running the
 * lambda on an empty object {@code w}; the called method itself never runs. It must be exactly one call, of the right
 * kind, its result returned untouched.
 */
public final class Recorder {
    private Recorder() {}

    /**
     * Records a call whose result is asked for. The lambda runs twice where the result is a number, character or
     * boolean. An exception of the lambda before its call passes through.
     *
     * @throws IllegalArgumentException when it makes no call, several, one of another kind, or touches the result
     */
    public static <T, R extends @Nullable Object> Recorded record(Class<T> type, Call<T, R> call, CallKind kind) {
        CallTable table = CallTable.of(type);
        Recording recording = run(table, type, call, kind, SentinelValues.FIRST);
        if (SentinelValues.needsBoth(recording.result())) {
            run(table, type, call, kind, SentinelValues.SECOND);
        }
        return recording.recorded();
    }

    /**
     * Records a call whose result is not asked for.
     *
     * @throws IllegalArgumentException when it makes no call, several, or one of another kind
     */
    public static <T> Recorded record(Class<T> type, VoidCall<T> call, CallKind kind) {
        CallTable table = CallTable.of(type);
        Recording recording = new Recording(table, SentinelValues.FIRST);
        run(recording, EmptyObjects.create(type, recording), target -> {
            call.on(target);
            return null;
        });
        return recording.check(kind).recorded();
    }

    /**
     * Records a call of a workflow's run method, whose result is not asked for.
     *
     * @throws IllegalArgumentException when it makes no call, several, or one of another kind
     */
    public static <T> Recorded run(Class<T> type, VoidCall<T> call) {
        return record(type, call, CallKind.RUN);
    }

    /**
     * Records a call of a signal.
     *
     * @throws IllegalArgumentException when it makes no call, several, or one of another kind
     */
    public static <T> Recorded signal(Class<T> type, VoidCall<T> call) {
        return record(type, call, CallKind.SIGNAL);
    }

    /**
     * Records the call of a run method that starts a child.
     *
     * @throws UsageException when it makes no call, several, or one of another kind
     */
    public static <T, R extends @Nullable Object> Recorded childRun(Class<T> type, Call<T, R> call) {
        try {
            return record(type, call, CallKind.RUN);
        } catch (IllegalArgumentException e) {
            throw notStarted(type, e);
        }
    }

    /** Records the call of a run method without a result that starts a child. */
    public static <T> Recorded childRun(Class<T> type, VoidCall<T> call) {
        try {
            return record(type, call, CallKind.RUN);
        } catch (IllegalArgumentException e) {
            throw notStarted(type, e);
        }
    }

    private static UsageException notStarted(Class<?> type, IllegalArgumentException why) {
        return new UsageException(
                "Durable.startChild(" + type.getSimpleName() + ".class, …) started nothing. " + why.getMessage(), why);
    }

    private static <T, R extends @Nullable Object> Recording run(
            CallTable table, Class<T> type, Call<T, R> call, CallKind kind, SentinelValues sentinels) {
        Recording recording = new Recording(table, sentinels);
        R returned = run(recording, EmptyObjects.create(type, recording), call);
        return recording.check(kind).checkUntouched(returned);
    }

    private static <T, R extends @Nullable Object> R run(Recording recording, T empty, Call<T, R> call) {
        try {
            return call.on(empty);
        } catch (Exception e) {
            throw recording.isEmpty() ? unchanged(e) : recording.failed(e);
        } finally {
            recording.end();
        }
    }

    /**
     * Returns the exception with which the computation of an argument failed: it is the caller's own, checked or not.
     */
    @SuppressWarnings("unchecked")
    private static <X extends Exception> RuntimeException unchanged(Exception e) throws X {
        throw (X) e;
    }
}
