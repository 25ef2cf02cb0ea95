package dev.durable.internal.replay.match;

import java.lang.StackWalker.StackFrame;
import java.util.Iterator;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the line of user code in a stack trace: of the workflow's own source file if there is one, else the first that
 * is not the library's.
 */
public final class UserLines {
    private static final Pattern LAMBDA = Pattern.compile("^lambda\\$(.+)\\$\\d+");

    private final String workflow;

    public UserLines(Class<?> workflow) {
        this.workflow = outermost(workflow.getName());
    }

    /** Returns the line as {@code OrderWorkflow.run(OrderWorkflow.java:42)}; null without one. */
    @Nullable
    public String of(StackTraceElement[] stack) {
        int index = indexIn(stack);
        return index < 0 ? null : text(stack[index]);
    }

    /** Returns the line of the calling thread, which takes a microsecond or two. */
    @Nullable
    public String here() {
        StackFrame user = StackWalker.getInstance().walk(this::userFrame);
        return user == null ? null : text(user.toStackTraceElement());
    }

    /** Returns the index of the user's line in the stack, below the frames that this line calls; -1 without one. */
    public int called(StackTraceElement[] stack) {
        return indexIn(stack);
    }

    /** Returns the method that the user's line has called, {@code Thread.sleep}; null where it calls none. */
    @Nullable
    public String calledIn(StackTraceElement[] stack) {
        int index = indexIn(stack);
        return index < 1 ? null : simple(stack[index - 1].getClassName()) + "." + stack[index - 1].getMethodName();
    }

    private @Nullable StackFrame userFrame(Stream<StackFrame> frames) {
        StackFrame first = null;
        for (Iterator<StackFrame> stack = frames.iterator(); stack.hasNext(); ) {
            StackFrame frame = stack.next();
            if (isWorkflows(frame.getClassName())) {
                return frame;
            }
            first = first == null && isUsers(frame.getClassName(), frame.getFileName()) ? frame : first;
        }
        return first;
    }

    private int indexIn(StackTraceElement[] stack) {
        return IntStream.range(0, stack.length)
                .filter(i -> isWorkflows(stack[i].getClassName()))
                .findFirst()
                .orElseGet(() -> IntStream.range(0, stack.length)
                        .filter(i -> isUsers(stack[i].getClassName(), stack[i].getFileName()))
                        .findFirst()
                        .orElse(-1));
    }

    private boolean isWorkflows(String className) {
        return className.startsWith(workflow)
                && (className.length() == workflow.length() || className.charAt(workflow.length()) == '$');
    }

    /** Returns whether the class is the user's. A stub is generated into the user's package and has no source file. */
    private static boolean isUsers(String className, @Nullable String fileName) {
        int dot = className.lastIndexOf('.');
        return fileName != null
                && !className.startsWith("java.")
                && !className.startsWith("jdk.")
                && !isOurs(dot < 0 ? "" : className.substring(0, dot));
    }

    private static boolean isOurs(String packageName) {
        return packageName.equals("dev.durable")
                || packageName.equals("dev.durable.client")
                || packageName.equals("dev.durable.intercept")
                || packageName.startsWith("dev.durable.internal.");
    }

    /** Returns one frame in the form that a reader would search for. */
    public static String text(StackTraceElement frame) {
        String method = LAMBDA.matcher(frame.getMethodName()).replaceFirst("$1");
        String place = frame.getFileName() + ":" + frame.getLineNumber();
        return simple(frame.getClassName()) + "." + method + "(" + place + ")";
    }

    private static String simple(String className) {
        return className.substring(className.lastIndexOf('.') + 1).replace('$', '.');
    }

    private static String outermost(String className) {
        int nested = className.indexOf('$');
        return nested < 0 ? className : className.substring(0, nested);
    }
}
