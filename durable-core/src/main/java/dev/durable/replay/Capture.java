package dev.durable.replay;

import dev.durable.Durable;
import dev.durable.declare.ActivityMethod;
import java.lang.StackWalker.StackFrame;
import java.util.Iterator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One {@code async(payments::charge, id)}: the reference is called, and the stub leaves its command here instead of
 * waiting for the outcome. Only a bare method reference of a stub can be taken so: in a lambda or a helper the code after
 * the call would run with a result that is not there. Its frame between stub and {@code Durable} gives it away.
 */
final class Capture {
    private static final StackWalker STACK = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

    private @Nullable OpenActivity taken;

    /** Refuses a call that does not come from {@code Durable.async} itself, or is not the only one. */
    void check(ActivityMethod activity) {
        if (taken != null) {
            throw refused("it called " + taken.call.name() + " and then " + activity.name());
        }
        String between = STACK.walk(frames -> callerOfStub(frames, activity));
        if (between != null) {
            throw refused(between + " stands between");
        }
    }

    void take(OpenActivity scheduled) {
        taken = scheduled;
    }

    OpenActivity taken() {
        if (taken == null) {
            throw refused("it called no activity of a stub");
        }
        return taken;
    }

    /** Who called the stub; null where it was {@code Durable}. */
    private static @Nullable String callerOfStub(Stream<StackFrame> frames, ActivityMethod activity) {
        Iterator<StackFrame> stack = frames.iterator();
        Class<?> type = activity.spec().method().getDeclaringClass();
        StackFrame frame = stack.next();
        while (stack.hasNext() && !type.isAssignableFrom(frame.getDeclaringClass())) {
            frame = stack.next();
        }
        Class<?> stub = frame.getDeclaringClass();
        while (stack.hasNext() && frame.getDeclaringClass() == stub) {
            frame = stack.next();
        }
        return frame.getDeclaringClass() == Durable.class ? null : Lines.text(frame.toStackTraceElement());
    }

    private static IllegalArgumentException refused(String what) {
        return new IllegalArgumentException(
                "Durable.async(method, arguments…) takes a method of an activity stub, as in"
                        + " Durable.async(payments::charge, id), and nothing else: " + what
                        + ". Write Durable.async(() -> …), which runs its body as a coroutine.");
    }
}
