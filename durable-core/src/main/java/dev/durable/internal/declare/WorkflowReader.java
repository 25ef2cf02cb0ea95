package dev.durable.internal.declare;

import dev.durable.HandlerUnfinishedPolicy;
import dev.durable.Signal;
import dev.durable.Update;
import dev.durable.Workflow;
import dev.durable.internal.declare.Handlers.Handler;
import dev.durable.internal.declare.object.CallKind;
import dev.durable.internal.declare.object.EmptyObjects;
import dev.durable.internal.declare.type.Kotlin;
import dev.durable.internal.declare.type.MethodSpec;
import dev.durable.internal.declare.type.MethodTable;
import dev.durable.internal.declare.type.NameRules;
import dev.durable.internal.declare.type.Problem;
import dev.durable.internal.declare.type.Problems;
import dev.durable.internal.declare.type.SignatureReader;
import java.lang.reflect.Modifier;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads the declaration of a workflow: its name and queue, its run method and handlers. It reads the annotated class or
 * interface only.
 */
final class WorkflowReader {
    private static final String DEFAULT_QUEUE = "default";

    private final Class<?> declared;
    private final Workflow annotation;
    private final Problems problems;
    private final SignatureReader signatures;

    private WorkflowReader(Class<?> declared, Problems problems) {
        this.declared = declared;
        this.annotation = Objects.requireNonNull(declared.getDeclaredAnnotation(Workflow.class));
        this.problems = problems;
        this.signatures = new SignatureReader(declared, problems);
    }

    /** Reads the workflow that a class or interface declares; returns empty when that has errors. */
    static Optional<WorkflowType> read(Class<?> declared, Problems problems) {
        WorkflowReader reader = new WorkflowReader(declared, problems);
        reader.checkShape();
        return reader.workflow();
    }

    private void checkShape() {
        EmptyObjects.prepare(declared).ifPresent(problems::add);
        Stream.concat(Stream.of(name()), Stream.of(annotation.aliases()))
                .filter(name -> !NameRules.isName(name))
                .forEach(name -> problems.add(NameProblems.badName(declared.getTypeName(), name)));
        if (annotation.any() && (!annotation.name().isEmpty() || annotation.aliases().length > 0)) {
            problems.add(WorkflowProblems.namedOfAnyType(declared));
        }
        if (!NameRules.isName(taskQueue())) {
            problems.add(NameProblems.badName(declared.getTypeName() + "'s task queue", taskQueue()));
        }
        Handlers.unreachableOf(declared).forEach(handler -> problems.add(WorkflowProblems.unreachable(handler)));
    }

    private Optional<WorkflowType> workflow() {
        List<Handler> handlers = Handlers.of(declared);
        checkEach(handlers);
        Map<String, MethodSpec> signals = named(handlers, CallKind.SIGNAL);
        Map<String, MethodSpec> queries = named(handlers, CallKind.QUERY);
        WorkflowType.OfAnyName ofAnyName = ofAnyName(handlers);
        Map<String, MethodSpec> updates = named(handlers, CallKind.UPDATE);
        Map<String, MethodSpec> validators = validators(updates);
        MethodSpec run = run(ofKind(handlers, CallKind.RUN));
        return Optional.ofNullable(run)
                .map(r -> new WorkflowType(
                        name(),
                        List.of(annotation.aliases()),
                        taskQueue(),
                        declared,
                        declared,
                        WorkflowType.Making.UNKNOWN,
                        stallOn(r),
                        WorkflowRetry.declared(annotation.retry(), declared.getTypeName(), problems),
                        annotation.versioning(),
                        new WorkflowType.Methods(
                                r, signals, queries, updates, validators, unfinishedPolicies(handlers), ofAnyName)));
    }

    private static Map<String, HandlerUnfinishedPolicy> unfinishedPolicies(List<Handler> handlers) {
        Map<String, HandlerUnfinishedPolicy> policies = new HashMap<>();
        for (Handler handler : handlers) {
            if (handler.any()) {
                continue;
            }
            String name = WorkflowType.handler(handler.kind(), handler.name());
            Signal signal = handler.entry().annotation(Signal.class);
            Update update = handler.entry().annotation(Update.class);
            switch (handler.kind()) {
                case SIGNAL -> policies.put(name, Objects.requireNonNull(signal).unfinishedPolicy());
                case UPDATE -> policies.put(name, Objects.requireNonNull(update).unfinishedPolicy());
                case RUN, QUERY, ACTIVITY -> {}
            }
        }
        policies.values().removeIf(HandlerUnfinishedPolicy.WARN_AND_ABANDON::equals);
        return policies;
    }

    private static HandlerUnfinishedPolicy unfinishedPolicy(@Nullable Handler handler) {
        if (handler == null) {
            return HandlerUnfinishedPolicy.WARN_AND_ABANDON;
        }
        Signal signal = handler.entry().annotation(Signal.class);
        return signal != null
                ? signal.unfinishedPolicy()
                : Objects.requireNonNull(handler.entry().annotation(Update.class))
                        .unfinishedPolicy();
    }

    private WorkflowType.OfAnyName ofAnyName(List<Handler> handlers) {
        Handler signal = ofAnyName(handlers, CallKind.SIGNAL);
        Handler update = ofAnyName(handlers, CallKind.UPDATE);
        return new WorkflowType.OfAnyName(
                specOfAnyName(signal),
                unfinishedPolicy(signal),
                specOfAnyName(ofAnyName(handlers, CallKind.QUERY)),
                specOfAnyName(update),
                unfinishedPolicy(update));
    }

    /** Returns the handler of any name, where there is one and it has the parameters of one. */
    private @Nullable Handler ofAnyName(List<Handler> handlers, CallKind kind) {
        List<Handler> all = ofKind(handlers, kind).stream().filter(Handler::any).toList();
        all.stream().skip(1).forEach(other -> problems.add(WorkflowProblems.severalOfAnyName(other, all.getFirst())));
        all.stream()
                .filter(handler -> !handler.isUnnamed())
                .forEach(handler -> problems.add(WorkflowProblems.namedOfAnyName(handler)));
        List<Handler> unfit = all.stream()
                .filter(handler -> !SignatureReader.isOfAnyName(handler.method()))
                .toList();
        unfit.forEach(handler -> problems.add(WorkflowProblems.notOfAnyName(handler)));
        return all.isEmpty() || !unfit.isEmpty() ? null : all.getFirst();
    }

    private @Nullable MethodSpec specOfAnyName(@Nullable Handler handler) {
        return handler == null
                ? null
                : signatures.readOfAnyName(name() + "." + handler.method().getName(), handler.method());
    }

    private Map<String, MethodSpec> validators(Map<String, MethodSpec> updates) {
        Map<String, MethodSpec> validators = new LinkedHashMap<>();
        for (Handlers.Validator validator : Handlers.validatorsOf(declared)) {
            MethodSpec update = updates.get(validator.update());
            MethodSpec spec =
                    signatures.read(name() + "." + validator.method().getName(), validator.method(), List.of());
            if (update == null) {
                problems.add(WorkflowProblems.validatorOfNothing(validator, updates.keySet()));
            } else if (!update.parameterTypes().equals(spec.parameterTypes())) {
                problems.add(WorkflowProblems.validatorOfOthers(validator, update));
            } else if (validators.putIfAbsent(validator.update(), spec) != null) {
                problems.add(WorkflowProblems.severalValidators(validator));
            }
        }
        return validators;
    }

    private Set<Class<? extends Throwable>> stallOn(MethodSpec run) {
        Set<Class<? extends Throwable>> types = new LinkedHashSet<>(List.of(annotation.stallOn()));
        types.stream()
                .filter(run.named()::contains)
                .forEach(both -> problems.add(WorkflowProblems.stallsOnDeclared(run.method(), both)));
        return types;
    }

    private void checkEach(List<Handler> handlers) {
        Set<MethodTable.Entry> seen = new HashSet<>();
        for (Handler handler : handlers) {
            if (!seen.add(handler.entry())) {
                problems.add(WorkflowProblems.severalKinds(handler.method()));
            }
            if (Modifier.isFinal(handler.method().getModifiers())) {
                problems.add(WorkflowProblems.finalHandler(handler));
            }
            if (handler.kind() == CallKind.QUERY && handler.method().getReturnType() == void.class) {
                problems.add(WorkflowProblems.queryOfNothing(handler.method()));
            }
            if (!NameRules.isName(handler.name())) {
                problems.add(NameProblems.badName(Problem.name(handler.method()), handler.name()));
            }
            if (handler.isUnnamed() && !handler.any() && Kotlin.isMangled(handler.method())) {
                problems.add(
                        NameProblems.mangled(handler.method(), handler.kind().annotation()));
            }
        }
    }

    private @Nullable MethodSpec run(List<Handler> runs) {
        if (runs.isEmpty()) {
            if (Handlers.unreachableOf(declared).stream().noneMatch(h -> h.kind() == CallKind.RUN)) {
                problems.add(WorkflowProblems.noRun(declared));
            }
            return null;
        }
        if (runs.size() > 1) {
            problems.add(WorkflowProblems.severalRuns(declared, runs));
        }
        return runs.stream().map(this::runSpec).toList().getFirst();
    }

    private MethodSpec runSpec(Handler run) {
        if (!annotation.any()) {
            return spec(run);
        }
        if (!run.any()) {
            problems.add(WorkflowProblems.notOfAnyType(run.method()));
        }
        return signatures.readOfAnyType(name() + "." + run.name(), run.method());
    }

    private Map<String, MethodSpec> named(List<Handler> handlers, CallKind kind) {
        Map<String, Handler> byName = new LinkedHashMap<>();
        for (Handler handler : ofKind(handlers, kind)) {
            if (handler.any()) {
                continue;
            }
            Handler other = byName.putIfAbsent(handler.name(), handler);
            if (other != null) {
                problems.add(WorkflowProblems.overloaded(handler, other));
            }
        }
        Map<String, MethodSpec> specs = new LinkedHashMap<>();
        byName.forEach((name, handler) -> specs.put(name, spec(handler)));
        return specs;
    }

    private MethodSpec spec(Handler handler) {
        return signatures.read(name() + "." + handler.name(), handler.method(), List.of());
    }

    private static List<Handler> ofKind(List<Handler> handlers, CallKind kind) {
        return handlers.stream().filter(handler -> handler.kind() == kind).toList();
    }

    private String name() {
        return annotation.name().isEmpty() ? declared.getSimpleName() : annotation.name();
    }

    private String taskQueue() {
        return annotation.taskQueue().isEmpty() ? DEFAULT_QUEUE : annotation.taskQueue();
    }
}
