package dev.durable.internal.payload;

import static java.util.stream.Collectors.joining;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Converts stack traces to text, one frame a line as Java prints it, and back. Only frames that help a reader stay: the
 * frames of reflection, of generated stubs and of this engine are removed, and so is the thread pool at the bottom.
 * Frames below the call of an activity's body are removed, too: interceptors, tracing and the test kit are equal for
 * every body.
 */
final class StackText {
    private static final int MAX_FRAMES = 50;
    private static final List<String> PLUMBING = List.of(
            "java.lang.reflect.",
            "java.lang.invoke.",
            "jdk.internal.",
            "sun.reflect.",
            "dev.durable.client.",
            "dev.durable.internal.");
    /** The class that calls the body of an activity. */
    private static final String CALLER = "dev.durable.internal.attempt.ActivityInvocation";

    private static final List<String> BOTTOM =
            List.of("java.lang.Thread.", "java.lang.VirtualThread.", "java.util.concurrent.");

    private StackText() {}

    static String of(StackTraceElement[] stack) {
        List<String> frames = Arrays.stream(stack)
                .takeWhile(frame -> !frame.getClassName().startsWith(CALLER))
                .map(StackText::frame)
                .filter(frame -> !startsWith(frame, PLUMBING))
                .toList();
        int end = frames.size();
        while (end > 1 && startsWith(frames.get(end - 1), BOTTOM)) {
            end--;
        }
        if (end == 0) {
            return stack.length == 0 ? "" : frame(stack[0]);
        }
        String more = end > MAX_FRAMES ? "\n... " + (end - MAX_FRAMES) + " more" : "";
        return frames.stream().limit(Math.min(end, MAX_FRAMES)).collect(joining("\n")) + more;
    }

    private static boolean startsWith(String frame, List<String> prefixes) {
        return prefixes.stream().anyMatch(frame::startsWith);
    }

    /** Returns a frame without module and class loader, which say where it ran and not what ran. */
    private static String frame(StackTraceElement e) {
        String file = e.getFileName();
        String line = e.isNativeMethod()
                ? "Native Method"
                : file == null ? "Unknown Source" : e.getLineNumber() < 0 ? file : file + ":" + e.getLineNumber();
        return e.getClassName() + "." + e.getMethodName() + "(" + line + ")";
    }

    static StackTraceElement[] parse(String stack) {
        return stack.lines().map(StackText::parseFrame).filter(Objects::nonNull).toArray(StackTraceElement[]::new);
    }

    private static @Nullable StackTraceElement parseFrame(String frame) {
        int open = frame.indexOf('(');
        int dot = frame.lastIndexOf('.', open);
        if (open < 0 || dot < 0 || !frame.endsWith(")")) {
            return null;
        }
        String where = frame.substring(open + 1, frame.length() - 1);
        int colon = where.lastIndexOf(':');
        String file = colon < 0 ? where : where.substring(0, colon);
        return new StackTraceElement(
                frame.substring(0, dot),
                frame.substring(dot + 1, open),
                where.equals("Unknown Source") || where.equals("Native Method") ? null : file,
                where.equals("Native Method") ? -2 : colon < 0 ? -1 : number(where.substring(colon + 1)));
    }

    private static int number(String line) {
        return line.matches("\\d{1,9}") ? Integer.parseInt(line) : -1;
    }
}
