package dev.durable.internal.replay.call;

import dev.durable.ActivityOptions;
import dev.durable.PayloadException;
import dev.durable.UsageException;
import dev.durable.history.ActivityScheduled;
import dev.durable.history.Payload;
import dev.durable.internal.declare.ActivityMethod;
import dev.durable.internal.declare.ActivityType;
import dev.durable.internal.declare.ArgumentsByName;
import dev.durable.internal.declare.Registry;
import dev.durable.internal.declare.StubCall;
import dev.durable.internal.declare.Stubs;
import dev.durable.internal.payload.PayloadCodec;
import dev.durable.internal.payload.Unchecked;
import dev.durable.internal.replay.coroutine.CheckedTask;
import dev.durable.internal.replay.coroutine.Coroutine;
import dev.durable.internal.replay.coroutine.DurablePromise;
import dev.durable.internal.replay.coroutine.Eviction;
import dev.durable.internal.replay.coroutine.Restriction;
import dev.durable.internal.replay.coroutine.Restrictions;
import dev.durable.internal.replay.match.ReplaySetup;
import dev.durable.internal.text.Bounds;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Implements the activity calls of workflow code: through stubs, by name, and in flight ({@code Durable.async}). */
public final class ActivityCalls {
    private final DurableCalls run;
    private final WaitCalls waiting;
    private final Restrictions restrictions;
    private final OpenWork work;
    private final PayloadCodec codec;
    private final Registry registry;
    private @Nullable Capture capture;

    ActivityCalls(DurableCalls run, WaitCalls waiting, Restrictions restrictions, OpenWork work, ReplaySetup setup) {
        this.run = run;
        this.waiting = waiting;
        this.restrictions = restrictions;
        this.work = work;
        this.codec = setup.codec();
        this.registry = setup.registry();
    }

    /** Returns a stub of this run, with the options that its call site changes. */
    Object stub(ActivityType type, UnaryOperator<ActivityOptions> options) {
        StubCall call = (activity, arguments) -> call(activity, options(activity, options), arguments);
        return Stubs.create(type, call);
    }

    private ActivityOptions options(ActivityMethod activity, UnaryOperator<ActivityOptions> changes) {
        try {
            ActivityOptions changed = activity.checked(changes.apply(activity.options()));
            checkHeaders(activity.name(), changed, run.expectedOptions());
            if (changed.heartbeatTimeout() != null) {
                ActivityMethod.checkHeartbeat(activity.name(), changed, run.expectedOptions());
            }
            return changed;
        } catch (IllegalArgumentException e) {
            throw doNotFit(activity.name(), e);
        }
    }

    /**
     * Checks the headers of a new call; those that the history has of the call are accepted, whatever the bounds were
     * then.
     */
    private static void checkHeaders(String activity, ActivityOptions options, @Nullable ActivityOptions recorded) {
        if (recorded == null && !options.headers().isEmpty()) {
            Bounds.notes(activity, options.headers(), Map.of());
        }
    }

    private static UsageException doNotFit(String activity, IllegalArgumentException why) {
        return new UsageException(activity + " was called with options that do not fit. " + why.getMessage(), why);
    }

    private @Nullable Object call(ActivityMethod activity, ActivityOptions options, @Nullable Object[] arguments)
            throws Throwable {
        if (DurableCalls.current(activity.name()) != run) {
            throw new UsageException(activity.name() + " was called through a stub of another run. Keep stubs in fields"
                    + " of the workflow object, never in static ones.");
        }
        Capture capturing = capture;
        if (capturing != null) {
            capturing.check(activity);
            capturing.take(restrictions.without(() -> schedule(activity, options, arguments)));
            return null;
        }
        return schedule(activity, options, arguments).promise.join();
    }

    private OpenActivity schedule(ActivityMethod activity, ActivityOptions options, @Nullable Object[] arguments) {
        Coroutine by = waiting.mayCommand(activity.name());
        Payload input = input(activity, options.local(), arguments);
        return work.schedule(by, ActivityCall.of(activity, options, input), queue(options));
    }

    /**
     * Encodes the arguments. New ones must come back equal; those that the history has of the call are accepted, by the
     * rules of its release. The arguments of a local activity stand with its outcome, which comes later.
     */
    private Payload input(ActivityMethod activity, boolean local, @Nullable Object[] arguments) {
        try {
            return codec.encodeArguments(activity.spec(), arguments);
        } catch (PayloadException refused) {
            ActivityScheduled recorded = work.recordedNext(activity.names());
            if (recorded == null && !(local && work.journal().isMadeAgainToItsEnd())) {
                throw refused;
            }
            Payload input = codec.asRecorded().encodeArguments(activity.spec(), arguments);
            if (recorded != null && !recorded.input().equals(input)) {
                throw refused;
            }
            return input;
        }
    }

    /**
     * Calls an activity by name, and waits for it. The recorded options and arguments of the call hold, also where
     * another worker recorded them that knew the activity's declaration better or not at all, or a release that checked
     * neither; options that the call itself sets are compared as for any call.
     */
    @Nullable
    Object call(String name, UnaryOperator<ActivityOptions> changes, Type resultType, @Nullable Object[] arguments)
            throws Throwable {
        Coroutine by = waiting.mayCommand(name);
        ActivityMethod known = registry.activityMethod(name).orElse(null);
        List<String> names = known == null ? List.of(name) : known.names();
        ActivityScheduled recorded = work.recordedNext(names);
        if (recorded == null) {
            checkName(name);
        }
        ActivityOptions options = changes.apply(
                recorded != null ? recorded.options() : known != null ? known.options() : ActivityOptions.DEFAULT);
        try {
            if (known != null && recorded == null) {
                known.checked(options);
            }
            checkHeaders(name, options, recorded == null ? null : recorded.options());
            ActivityMethod.checkHeartbeat(name, options, recorded == null ? null : recorded.options());
        } catch (IllegalArgumentException e) {
            throw doNotFit(name, e);
        }
        Payload input = input(name, known, recorded != null, arguments);
        ActivityCall call = new ActivityCall(name, names, input, resultType, List.of(), options);
        return work.schedule(by, call, queue(options)).promise.join();
    }

    private static void checkName(String name) {
        try {
            Bounds.name("Durable.activity(…): the activity", name);
        } catch (IllegalArgumentException e) {
            throw new UsageException(String.valueOf(e.getMessage()), e);
        }
    }

    private Payload input(
            String name, @Nullable ActivityMethod known, boolean isRecorded, @Nullable Object[] arguments) {
        if (known == null) {
            return codec.encodeArguments(name, arguments);
        }
        @Nullable Object[] fitting;
        try {
            fitting = ArgumentsByName.fit(known.spec(), arguments);
        } catch (IllegalArgumentException e) {
            if (isRecorded) {
                return codec.encodeArguments(name, arguments);
            }
            run.dispatcher().die(run.dispatcher().threads().wrongArguments(name, e));
            throw Eviction.INSTANCE;
        }
        return input(known, known.options().local(), fitting);
    }

    /** Calls the activity of a background job, whose task queue is that of its run; returns its result as JSON. */
    @Nullable
    public Object call(String name, Payload input, ActivityOptions options) throws Throwable {
        Coroutine by = waiting.mayCommand(name);
        return work.schedule(
                        by,
                        ActivityCall.untyped(name, Payload.class, options, input),
                        run.started().taskQueue())
                .promise
                .join();
    }

    /** Puts the stub call that the body makes in flight. */
    DurablePromise<@Nullable Object> capture(CheckedTask<?> stubCall) {
        waiting.mayCommand("Durable.async");
        Capture capturing = new Capture();
        capture = capturing;
        try {
            restrictions.call(Restriction.CAPTURE, stubCall);
        } catch (Throwable e) {
            throw Unchecked.<RuntimeException>raise(e);
        } finally {
            capture = null;
        }
        return capturing.taken().promise;
    }

    private String queue(ActivityOptions options) {
        String queue = options.taskQueue();
        return queue == null ? run.started().taskQueue() : queue;
    }
}
