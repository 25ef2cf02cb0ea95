package dev.durable.internal.declare.type;

import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.EncodedValues;
import dev.durable.Promise;
import dev.durable.Workflow;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.client.WorkflowHandle;
import java.lang.reflect.Member;
import java.lang.reflect.Type;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.locks.Lock;
import java.util.stream.BaseStream;
import java.util.stream.Stream;

/**
 * Recognises types that can never be written as JSON, such as streams, threads and connections. {@code Object} and
 * wildcards pass (they come back as JSON has them: maps, lists, text, numbers); the payload codec decides about all
 * others at run time.
 */
public final class Unserialisable {
    private static final String SEND_DATA = "Pass the data itself";

    /**
     * The way out for a type whose value comes later, as a future; {@link SignatureProblems} has its own text where a
     * method returns it.
     */
    static final String LATER = "Pass the value itself, when it is there";

    private static final Map<Class<?>, String> LIVING = Map.ofEntries(
            Map.entry(java.io.InputStream.class, "Pass the bytes, or where they are stored"),
            Map.entry(java.io.OutputStream.class, "Return the bytes, or where they are stored"),
            Map.entry(java.io.Reader.class, "Pass the text, or where it is stored"),
            Map.entry(java.io.Writer.class, "Return the text, or where it is stored"),
            Map.entry(java.nio.channels.Channel.class, "Pass the bytes, or where they are stored"),
            Map.entry(BaseStream.class, "Pass a List"),
            Map.entry(Thread.class, SEND_DATA),
            Map.entry(ThreadLocal.class, SEND_DATA),
            Map.entry(ClassLoader.class, SEND_DATA),
            Map.entry(Lock.class, SEND_DATA),
            Map.entry(Executor.class, SEND_DATA),
            Map.entry(Future.class, LATER),
            Map.entry(CompletionStage.class, LATER),
            Map.entry(Promise.class, LATER),
            Map.entry(Callable.class, SEND_DATA),
            Map.entry(Member.class, SEND_DATA),
            Map.entry(ActivityContext.class, "Ask for it where it is needed: ActivityContext.current()"),
            Map.entry(DurableClient.class, "Give it to the activity's implementation by its constructor"),
            Map.entry(DurableEngine.class, "Give it to the activity's implementation by its constructor"),
            Map.entry(WorkflowHandle.class, "Pass the workflow id"),
            Map.entry(
                    EncodedValues.class,
                    "Declare the types; only a handler of any name takes it, as @Signal(any = true) void other(String"
                            + " name, EncodedValues arguments), and @Run of @Workflow(any = true)"));

    /** Types of live objects, by name: the core knows no {@code java.sql}, and no Kotlin. */
    private static final Map<String, String> LIVING_BY_NAME = Map.of(
            "org.reactivestreams.Publisher", LATER,
            "java.sql.Wrapper", "Give the DataSource to the activity's implementation by its constructor",
            "kotlin.coroutines.Continuation",
                    "The state of Kotlin's suspend functions can't be recorded: make it a plain function, which may wait");

    private Unserialisable() {}

    /** Returns why a parameter or result can't have this type; the text is a problem's predicate and way out. */
    public static Optional<Reason> reason(Type type) {
        Optional<Reason> own = ofClass(GenericTypes.erase(type));
        return own.isPresent()
                ? own
                : GenericTypes.parts(type)
                        .map(Unserialisable::reason)
                        .flatMap(Optional::stream)
                        .findFirst();
    }

    private static Optional<Reason> ofClass(Class<?> type) {
        if (type.isAnnotationPresent(Activity.class) || type.isAnnotationPresent(Workflow.class)) {
            return Optional.of(new Reason(type, "Take it as a constructor parameter, where it is injected as a stub"));
        }
        if (type.isAnnotationPresent(FunctionalInterface.class)) {
            return Optional.of(new Reason(type, "Code can't be stored. " + SEND_DATA));
        }
        return MethodTable.lineage(type).stream()
                .flatMap(Unserialisable::wayOut)
                .map(wayOut -> new Reason(type, wayOut))
                .findFirst();
    }

    private static Stream<String> wayOut(Class<?> ancestor) {
        return Stream.of(LIVING.get(ancestor), LIVING_BY_NAME.get(ancestor.getName()))
                .flatMap(Stream::ofNullable);
    }

    /**
     * The reason why a type can't be written as JSON.
     *
     * @param type the culprit, which may stand within a generic type
     * @param wayOut the type to use instead
     */
    record Reason(Class<?> type, String wayOut) {}
}
