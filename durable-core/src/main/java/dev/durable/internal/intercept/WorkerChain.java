package dev.durable.internal.intercept;

import dev.durable.DurableException;
import dev.durable.intercept.ActivityCall;
import dev.durable.intercept.ChildStartCall;
import dev.durable.intercept.Interceptor;
import dev.durable.intercept.ReplayCall;
import dev.durable.intercept.ScheduleCall;
import dev.durable.intercept.TurnCall;
import dev.durable.intercept.WorkEnd;
import dev.durable.intercept.WorkerInterceptor;
import dev.durable.internal.payload.Unchecked;
import dev.durable.internal.text.Bounds;
import dev.durable.internal.text.Thrown;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Passes turns, replays and attempts of a worker through the interceptors that are registered with its engine. */
public final class WorkerChain {
    public static final WorkerChain NONE = new WorkerChain(List.of());

    private final Chain<WorkerInterceptor> chain;
    /** The interceptors that see the turns of replays. */
    private final Chain<WorkerInterceptor> replayed;

    WorkerChain(List<WorkerInterceptor> interceptors) {
        this.chain = new Chain<>(interceptors);
        this.replayed = new Chain<>(interceptors.stream()
                .filter(WorkerInterceptor::seesReplayedTurns)
                .toList());
    }

    WorkerChain with(List<WorkerInterceptor> more) {
        return new WorkerChain(chain.with(more));
    }

    WorkerChain in(UnaryOperator<Interceptor> engine) {
        return new WorkerChain(chain.interceptors().stream()
                .map(one -> Interception.sameKind(WorkerInterceptor.class, one, engine.apply(one)))
                .toList());
    }

    boolean isEmpty() {
        return chain.isEmpty();
    }

    /** Returns whether the turns of replays are to be passed through it, one by one. */
    public boolean seesReplayedTurns() {
        return !replayed.isEmpty();
    }

    @FunctionalInterface
    public interface Body {
        void run() throws Throwable;
    }

    /**
     * Runs the body of an activity.
     *
     * @param end returns how the attempt ended, where that differs from the body's outcome; null where it does not
     * @throws Throwable the exception of the body or of an interceptor
     */
    public void activity(ActivityCall call, Body body, Supplier<@Nullable WorkEnd> end) throws Throwable {
        Chain.Passed<@Nullable Void> passed = chain.pass(
                "activity",
                (interceptor, next) -> interceptor.activity(call, next),
                () -> {
                    run(body);
                    return null;
                },
                end);
        Throwable thrown = passed.outer() == null ? passed.inner() : passed.outer();
        if (thrown != null) {
            throw thrown;
        }
    }

    private static void run(Body body) {
        try {
            body.run();
        } catch (Throwable e) {
            throw Unchecked.<RuntimeException>raise(e);
        }
    }

    /**
     * Makes a turn of a run.
     *
     * @param end returns how the run ended, where the turn was its last; null where it goes on
     */
    public <T extends @Nullable Object> T turn(TurnCall call, Supplier<T> turn, Supplier<@Nullable WorkEnd> end) {
        return pass(
                call.replaying() ? replayed : chain,
                "turn",
                () -> (call.replaying() ? "the replayed" : "the") + " turn of event " + call.eventId() + " "
                        + call.event() + " of " + call.type() + " " + Bounds.shown(call.workflowId()),
                (interceptor, next) -> interceptor.turn(call, next),
                turn::get,
                end);
    }

    public <T extends @Nullable Object> T replay(ReplayCall call, Supplier<T> replay) {
        return pass(
                chain,
                "replay",
                () -> "the replay of " + call.type() + " " + Bounds.shown(call.workflowId()),
                (interceptor, next) -> interceptor.replay(call, next),
                replay::get,
                () -> null);
    }

    /**
     * Returns the headers of an activity that is being scheduled.
     *
     * @param before the headers of its run and its options, which are within their bounds
     */
    public Map<String, String> schedule(ScheduleCall call, Map<String, String> before) {
        String shown = call.activity() + ", activity " + call.seq() + " of " + Bounds.shown(call.workflowId());
        pass(
                chain,
                "schedule",
                () -> "the scheduling of " + shown,
                (interceptor, next) -> interceptor.schedule(call, next),
                () -> null,
                () -> null);
        return changed(shown, before, call.headers());
    }

    /**
     * Returns the headers of a child that is being started.
     *
     * @param before the headers of its parent's run and its options, which are within their bounds
     */
    public Map<String, String> startChild(ChildStartCall call, Map<String, String> before) {
        String shown = call.childType() + ", child " + call.number() + " of " + Bounds.shown(call.workflowId());
        pass(
                chain,
                "startChild",
                () -> "the start of " + shown,
                (interceptor, next) -> interceptor.startChild(call, next),
                () -> null,
                () -> null);
        return changed(shown, before, call.headers());
    }

    /** Returns the headers that interceptors have left, of which the added ones are within their bounds, too. */
    private static Map<String, String> changed(String whose, Map<String, String> before, Map<String, String> headers) {
        if (headers.equals(before)) {
            return before;
        }
        Map<String, String> added = new HashMap<>(headers);
        before.forEach(added::remove);
        try {
            Bounds.notes("interceptors changed the headers of " + whose, added, Map.of());
        } catch (IllegalArgumentException e) {
            throw new DurableException(String.valueOf(e.getMessage()), e);
        }
        return new LinkedHashMap<>(headers);
    }

    /**
     * Makes a call whose outcome stands: an exception of an interceptor is reported as one of its own, so that
     * divergences, stalls and outages inside keep their meaning.
     */
    @SuppressWarnings("NullAway") // the result of a T that may be null
    private static <T extends @Nullable Object> T pass(
            Chain<WorkerInterceptor> chain,
            String method,
            Supplier<String> what,
            Chain.Layer<WorkerInterceptor> layer,
            Callable<T> work,
            Supplier<@Nullable WorkEnd> end) {
        Chain.Passed<T> passed = chain.pass(method, layer, work, end);
        if (passed.inner() != null) {
            throw Unchecked.<RuntimeException>raise(passed.inner());
        }
        Throwable outer = passed.outer();
        if (outer instanceof Error error) {
            throw error;
        }
        if (outer != null) {
            throw new DurableException(
                    what.get() + " was refused by an interceptor, " + (passed.reached() ? "behind" : "in front of")
                            + " the work itself: " + Thrown.of(outer).text()
                            + ". Nothing of it is written, and it is tried again. Usual cause: a mistake in "
                            + thrower(chain, outer)
                            + ". Deploy an interceptor that does not throw, or leave it out: builder.intercept(…).",
                    outer);
        }
        return passed.result();
    }

    private static String thrower(Chain<WorkerInterceptor> chain, Throwable thrown) {
        for (StackTraceElement frame : Thrown.of(thrown).stack()) {
            for (WorkerInterceptor one : chain.interceptors()) {
                if (frame.getClassName().equals(one.getClass().getName())) {
                    return frame.toString();
                }
            }
        }
        return chain.interceptors().stream()
                .map(one -> one.getClass().getName())
                .toList()
                .toString();
    }
}
