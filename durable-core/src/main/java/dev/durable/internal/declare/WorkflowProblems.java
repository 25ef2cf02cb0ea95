package dev.durable.internal.declare;

import dev.durable.Workflow;
import dev.durable.internal.declare.Handlers.Handler;
import dev.durable.internal.declare.type.MethodSpec;
import dev.durable.internal.declare.type.MethodTable;
import dev.durable.internal.declare.type.Problem;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The error texts about workflow classes, their constructors and handlers. */
final class WorkflowProblems {
    /** Classes that applications inject into services, with what a workflow uses in their place. */
    private static final Map<String, String> INSTEAD = Map.ofEntries(
            Map.entry("java.time.Clock", "Ask Durable.now(), which is the same on replay"),
            Map.entry("java.util.Random", "Ask Durable.random(), which is the same on replay"),
            Map.entry("java.util.random.RandomGenerator", "Ask Durable.random(), which is the same on replay"),
            Map.entry("org.slf4j.Logger", "Use Durable.logger(…), which is silent on replay; a static field is fine"),
            Map.entry("java.util.concurrent.Executor", "Use Durable.async(…)"),
            Map.entry("java.util.concurrent.ExecutorService", "Use Durable.async(…)"),
            Map.entry("dev.durable.client.DurableClient", "Call it in an activity"));

    /** The packages of classes that reach a database or a network; matched by name, as the core knows none of them. */
    private static final Pattern DATABASE = Pattern.compile(
            "javax\\.sql\\.|java\\.sql\\.|jakarta\\.persistence\\.|org\\.jooq\\.|org\\.hibernate\\.|org\\.springframework\\.(jdbc|data)\\.");

    private WorkflowProblems() {}

    static Problem notAnnotated(Class<?> type) {
        if (ActivityDeclaration.isDeclaredBy(type)) {
            return Problem.of(
                    type,
                    "is an @Activity type and is used as a workflow class",
                    "Call it from a workflow that takes it in its constructor, or run it alone: client.enqueue("
                            + type.getSimpleName() + ".class, a -> …)");
        }
        Class<?> parent = type.getSuperclass();
        boolean inherited = parent != null && parent.isAnnotationPresent(Workflow.class);
        return Problem.of(
                type,
                inherited
                        ? "is no workflow itself, only its superclass " + parent.getTypeName() + " is"
                        : "is used as a workflow class and is none",
                inherited
                        ? "Annotate it with @Workflow and remove the annotation from the superclass"
                        : "Annotate it, or an interface that it implements, with @Workflow; activities are registered as"
                                + " instances");
    }

    static Problem instanceInsteadOfClass(Class<?> type) {
        return Problem.of(
                type,
                "is a workflow registered as an instance, and every run needs one of its own",
                "Register the class: register(" + type.getSimpleName() + ".class)");
    }

    static Problem annotatedTwice(Class<?> type, Class<?> declared) {
        return Problem.of(
                type,
                "is annotated @Workflow, and so is its interface " + declared.getTypeName(),
                "Keep the annotation on the interface, which clients use, and remove it from the class");
    }

    static Problem severalInterfaces(Class<?> type, List<Class<?>> interfaces) {
        String names = interfaces.stream().map(Class::getTypeName).sorted().collect(Collectors.joining(" and "));
        return Problem.of(type, "implements several workflows: " + names, "Write one class per @Workflow interface");
    }

    static Problem handlerOnImplementation(Handler handler, Class<?> type) {
        return Problem.of(
                handler.method(),
                "has a handler annotation, and so the class says what the @Workflow interface of "
                        + type.getSimpleName() + " has to say",
                "Annotate the method of the interface and remove the annotation from the class");
    }

    static Problem interfaceRegistered(Class<?> type) {
        return Problem.of(
                type, "is a @Workflow interface, which has no code to run", "Register the class that implements it");
    }

    static Problem abstractClass(Class<?> type) {
        return Problem.of(
                type, "is abstract, so no run can have an instance of it", "Register a class that can be made");
    }

    static Problem inner(Class<?> type) {
        String kind = type.isMemberClass()
                ? "an inner class, which belongs to an instance of "
                        + type.getDeclaringClass().getSimpleName()
                : "a local class that needs its surroundings";
        return Problem.of(type, "is " + kind, "Make it a static nested or a top-level class");
    }

    static Problem severalConstructors(Class<?> type, int count) {
        return Problem.of(
                type,
                "has " + count + " constructors, and a run is made by the only one",
                "Keep one, whose parameters are the @Activity types that the workflow calls");
    }

    static Problem noActivityParameter(Class<?> type, Parameter parameter) {
        Class<?> given = parameter.getType();
        return Problem.of(
                type,
                "has the constructor parameter " + given.getTypeName() + " " + parameter.getName()
                        + ", which is no @Activity type; a run is replayed and may only reach outside by activities",
                insteadOf(given));
    }

    private static String insteadOf(Class<?> given) {
        String known = INSTEAD.get(given.getName());
        if (known != null) {
            return known;
        }
        if (DATABASE.matcher(given.getName()).lookingAt()) {
            return "Only activities reach a database: declare an @Activity type with the method that does the work, give the "
                    + given.getSimpleName() + " to its implementation, and take the @Activity type here";
        }
        if (given.isPrimitive()
                || given.isArray()
                || given.isEnum()
                || given.getName().startsWith("java.")) {
            return "Pass data as an argument of @Run, which is recorded with the start; what an activity needs (an address, a"
                    + " key, a limit), give to the activity's implementation; what never changes, write as a constant";
        }
        return MethodTable.lineage(given).stream()
                .filter(t -> t != given && ActivityDeclaration.isDeclaredBy(t))
                .findFirst()
                .map(t -> "Take its @Activity type " + t.getSimpleName() + " instead")
                .orElse("Annotate " + given.getSimpleName()
                        + " with @Activity if its methods do the work of activities,"
                        + " give it to an activity's implementation if that is what needs it, or pass data as an"
                        + " argument of @Run");
    }

    static Problem noRun(Class<?> type) {
        String candidates = Stream.of(type.getDeclaredMethods())
                .filter(m ->
                        !m.isSynthetic() && Modifier.isPublic(m.getModifiers()) && !Modifier.isStatic(m.getModifiers()))
                .map(Problem::shortName)
                .sorted()
                .collect(Collectors.joining(", "));
        return Problem.of(
                type,
                "has no @Run method",
                "Annotate the method that is the workflow with @Run"
                        + (candidates.isEmpty() ? "" : "; its public methods are " + candidates));
    }

    static Problem severalRuns(Class<?> type, List<Handler> runs) {
        String names = runs.stream().map(run -> Problem.shortName(run.method())).collect(Collectors.joining(" and "));
        return Problem.of(type, "has " + runs.size() + " @Run methods, " + names, "Keep one: it is what a start calls");
    }

    static Problem unreachable(Handler handler) {
        int modifiers = handler.method().getModifiers();
        String reason = Modifier.isStatic(modifiers)
                ? "static"
                : Modifier.isPrivate(modifiers) ? "private" : "package-private in another package";
        return Problem.of(
                handler.method(),
                "is " + handler.kind().noun() + " and " + reason + ", so no call can reach it",
                "Make it an instance method, at least package-private; public where clients live in other packages");
    }

    static Problem finalHandler(Handler handler) {
        return Problem.of(
                handler.method(),
                "is " + handler.kind().noun()
                        + " and final, so calls of it can't be recorded and would run in the client",
                "Make it non-final (Kotlin: open), or put @Workflow on an interface that the class implements");
    }

    static Problem stallsOnDeclared(Method run, Class<?> both) {
        return Problem.of(
                run,
                "declares " + both.getSimpleName()
                        + " as one of its outcomes, and @Workflow(stallOn) says that it stalls",
                "Take it out of stallOn if it may end the run, or out of the throws clause if it is a mistake of the code");
    }

    static Problem severalKinds(Method method) {
        return Problem.of(
                method,
                "has several of @Run, @Signal, @Query and @Update",
                "Keep one, and write a second method for the other");
    }

    static Problem overloaded(Handler handler, Handler other) {
        String name = handler.name();
        String annotation = handler.kind().annotation();
        return Problem.of(
                handler.method(),
                "is overloaded: " + Problem.shortName(other.method()) + " is the " + annotation + " \"" + name
                        + "\" too, and messages know handlers by name",
                "Rename one, or give it a name of its own: " + annotation + "(name = \"" + name + "2\")");
    }

    static Problem notOfAnyName(Handler handler) {
        return Problem.of(
                handler.method(),
                "is " + handler.kind().annotation()
                        + "(any = true) and does not take a name and the values that were sent",
                "Write its parameters as (String name, EncodedValues arguments)");
    }

    static Problem notOfAnyType(Method run) {
        return Problem.of(
                run,
                "is the @Run method of @Workflow(any = true) and does not take the values that were sent",
                "Write Object run(EncodedValues arguments)");
    }

    static Problem namedOfAnyType(Class<?> type) {
        return Problem.of(
                type,
                "is @Workflow(any = true), which takes all types that no other class has, and has a name or alias",
                "Remove name and aliases, or any");
    }

    static Problem severalOfAnyType(Class<?> type, Class<?> other) {
        return Problem.of(
                type,
                "is @Workflow(any = true), and so is " + other.getTypeName()
                        + "; a run of a type that no other class has goes to one class",
                "Register one, and let it tell the types apart");
    }

    static Problem namedOfAnyName(Handler handler) {
        String annotation = handler.kind().annotation();
        return Problem.of(
                handler.method(),
                "has the name \"" + handler.name() + "\" and takes any name",
                "Keep one: " + annotation + "(name = \"" + handler.name() + "\"), or " + annotation + "(any = true)");
    }

    static Problem severalOfAnyName(Handler handler, Handler other) {
        return Problem.of(
                handler.method(),
                "is " + handler.kind().annotation() + "(any = true), and so is " + Problem.shortName(other.method())
                        + "; a message that no other handler takes goes to one method",
                "Keep one, and let it tell the names apart");
    }

    static Problem validatorOfNothing(Handlers.Validator validator, Collection<String> updates) {
        return Problem.of(
                validator.method(),
                "is the validator of the update \"" + validator.update() + "\", and there is no @Update of that name",
                updates.isEmpty()
                        ? "Annotate the update's handler with @Update"
                        : "Name the update that it judges, @Update.Validator(\"…\"): "
                                + updates.stream().sorted().toList());
    }

    static Problem validatorOfOthers(Handlers.Validator validator, MethodSpec update) {
        return Problem.of(
                validator.method(),
                "is the validator of " + Problem.shortName(update.method()) + " and has other parameters",
                "Give it the parameters of the update: it judges the same arguments");
    }

    static Problem severalValidators(Handlers.Validator validator) {
        return Problem.of(
                validator.method(),
                "is a second validator of the update \"" + validator.update() + "\"",
                "Keep one @Update.Validator for each update");
    }

    static Problem queryOfNothing(Method method) {
        return Problem.of(
                method,
                "is a @Query method that returns nothing",
                "Return the state that is asked for; to change state, make it a @Signal");
    }
}
