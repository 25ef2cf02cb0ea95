package dev.durable.replay;

import dev.durable.ActivityOptions;
import dev.durable.declare.ActivityMethod;
import dev.durable.declare.ActivityType;
import dev.durable.declare.StubCall;
import dev.durable.declare.Stubs;
import dev.durable.history.Payload;
import dev.durable.payload.PayloadCodec;
import java.lang.reflect.Type;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Calls of activities: through stubs, by name, in flight. */
final class Activities {
    private final DurableCalls run;
    private final Waiting waiting;
    private final Restrictions restrictions;
    private final OpenWork work;
    private final PayloadCodec codec;
    private @Nullable Capture capture;

    Activities(DurableCalls run, Waiting waiting, Restrictions restrictions, OpenWork work, PayloadCodec codec) {
        this.run = run;
        this.waiting = waiting;
        this.restrictions = restrictions;
        this.work = work;
        this.codec = codec;
    }

    /** A stub of this run, with options changed where it is called. */
    Object stub(ActivityType type, UnaryOperator<ActivityOptions> options) {
        StubCall call =
                (activity, arguments) -> call(activity, activity.checked(options.apply(activity.options())), arguments);
        return Stubs.create(type, call);
    }

    private @Nullable Object call(ActivityMethod activity, ActivityOptions options, @Nullable Object[] arguments)
            throws Throwable {
        if (DurableCalls.current(activity.name()) != run) {
            throw new IllegalStateException(
                    activity.name() + " was called through a stub of another run. Keep stubs in fields"
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
        Payload input = codec.encodeArguments(activity.spec(), arguments);
        return work.schedule(by, ActivityCall.of(activity, options, input), queue(options));
    }

    /** Calls one that this code knows by name only, and waits for it. */
    @Nullable
    Object call(String name, Type resultType, List<ActivityType> known, @Nullable Object[] arguments) throws Throwable {
        Coroutine by = waiting.mayCommand(name);
        Payload input = codec.encode(arguments, Object[].class, "the arguments of " + name);
        ActivityOptions options = known.stream()
                .flatMap(type -> type.methods().stream())
                .filter(activity -> activity.name().equals(name))
                .map(ActivityMethod::options)
                .findFirst()
                .orElse(ActivityOptions.DEFAULT);
        return work.schedule(by, ActivityCall.untyped(name, resultType, options, input), queue(options))
                .promise
                .join();
    }

    /** Calls one with arguments that are JSON already; gives its result as JSON. */
    @Nullable
    Object call(String name, Payload input, ActivityOptions options) throws Throwable {
        Coroutine by = waiting.mayCommand(name);
        return work.schedule(by, ActivityCall.untyped(name, Payload.class, options, input), queue(options))
                .promise
                .join();
    }

    /** Puts the stub call that the body makes in flight. */
    DurablePromise<@Nullable Object> capture(Task<?> stubCall) {
        waiting.mayCommand("Durable.async");
        Capture capturing = new Capture();
        capture = capturing;
        try {
            restrictions.call(Restriction.CAPTURE, stubCall);
        } catch (Throwable e) {
            throw Sneaky.<RuntimeException>raise(e);
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
