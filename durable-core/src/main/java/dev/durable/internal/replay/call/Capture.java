package dev.durable.internal.replay.call;

import dev.durable.Durable;
import dev.durable.UsageException;
import dev.durable.internal.declare.ActivityMethod;
import dev.durable.internal.declare.type.Kotlin;
import dev.durable.internal.replay.match.UserLines;
import java.lang.StackWalker.StackFrame;
import java.lang.reflect.Method;
import java.util.Iterator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Turns {@code Durable.async(payments::charge, id)} into a promise: the method reference is called once, and the stub
 * leaves the scheduled activity here instead of waiting for it. Only a bare method reference of a stub can be captured
 * so: in a lambda or a helper the code after the call would run with a result that does not exist. Such code is
 * recognised by its frame between stub and {@code Durable}.
 */
final class Capture {
    private static final StackWalker STACK = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

    /**
     * A walker that reads classes without methods and lines, which is much cheaper, where the JDK has it (22 and
     * newer).
     */
    private static final StackWalker CLASSES = StackWalker.getInstance(Stream.of(StackWalker.Option.values())
            .filter(option -> option == StackWalker.Option.RETAIN_CLASS_REFERENCE
                    || option.name().equals("DROP_METHOD_INFO"))
            .collect(Collectors.toSet()));

    private @Nullable OpenActivity taken;

    /** Refuses a call that does not come from {@code Durable.async} itself, or is not the only one. */
    void check(ActivityMethod activity) {
        if (taken != null) {
            throw refused("it called " + taken.call.name() + " and then " + activity.name());
        }
        Method method = activity.spec().method();
        Class<?> stub = method.getDeclaringClass();
        if (CLASSES.walk(frames -> callerOf(stub, frames)).getDeclaringClass() != Durable.class) {
            StackFrame between =
                    STACK.walk(frames -> callerOf(stub, frames.filter(frame -> !isKotlinsReference(method, frame))));
            if (between.getDeclaringClass() != Durable.class) {
                throw refused(UserLines.text(between.toStackTraceElement()) + " stands between");
            }
        }
    }

    /**
     * Returns whether the frame is the method to which Kotlin compiles a method reference, which only makes the call.
     */
    private static boolean isKotlinsReference(Method method, StackFrame frame) {
        return Kotlin.isReferenceTo(method, frame.getDeclaringClass(), frame.getMethodName());
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

    /** Returns the first frame outside of the stub, which is of this type. */
    private static StackFrame callerOf(Class<?> type, Stream<StackFrame> frames) {
        Iterator<StackFrame> stack = frames.iterator();
        StackFrame frame = stack.next();
        while (stack.hasNext() && !type.isAssignableFrom(frame.getDeclaringClass())) {
            frame = stack.next();
        }
        Class<?> stub = frame.getDeclaringClass();
        while (stack.hasNext() && frame.getDeclaringClass() == stub) {
            frame = stack.next();
        }
        return frame;
    }

    private static UsageException refused(String what) {
        return new UsageException("Durable.async(method, arguments…) takes a method of an activity stub, as in"
                + " Durable.async(payments::charge, id), and nothing else: " + what
                + ". Write Durable.async(() -> …), which runs its body as a coroutine.");
    }
}
