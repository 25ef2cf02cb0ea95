package dev.durable.internal.declare;

import dev.durable.Activity;
import dev.durable.internal.declare.object.EmptyObjects;
import dev.durable.internal.declare.option.OptionLevel;
import dev.durable.internal.declare.type.Kotlin;
import dev.durable.internal.declare.type.MethodTable;
import dev.durable.internal.declare.type.NameRules;
import dev.durable.internal.declare.type.Problem;
import dev.durable.internal.declare.type.Problems;
import dev.durable.internal.declare.type.SignatureReader;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/** Reads an activity type by reflection: its name, its activities, and the options that its annotations set. */
final class ActivityReader {
    private final Class<?> type;
    private final Activity annotation;
    private final Problems problems;
    private final OptionLevel typeLevel;
    private final SignatureReader signatures;

    private ActivityReader(Class<?> type, Problems problems) {
        this.type = type;
        this.annotation = Objects.requireNonNull(type.getDeclaredAnnotation(Activity.class));
        this.problems = problems;
        this.typeLevel = OptionReader.read(annotation, type.getTypeName(), problems);
        this.signatures = new SignatureReader(type, problems);
    }

    /** Reads an annotated type. */
    static ActivityDeclaration read(Class<?> type, Problems problems) {
        ActivityReader reader = new ActivityReader(type, problems);
        reader.checkShape();
        return new ActivityDeclaration(type, reader.typeName(), reader.activities());
    }

    private String typeName() {
        return annotation.name().isEmpty() ? type.getSimpleName() : annotation.name();
    }

    private void checkShape() {
        EmptyObjects.prepare(type).ifPresent(problems::add);
        Stream.concat(Stream.of(typeName()), Stream.of(annotation.aliases()))
                .filter(name -> !NameRules.isName(name))
                .forEach(name -> problems.add(NameProblems.badName(type.getTypeName(), name)));
        MethodTable.of(type).unreachable().stream()
                .filter(method -> method.isAnnotationPresent(Activity.class))
                .forEach(method -> problems.add(ActivityProblems.noActivity(method)));
    }

    private List<ActivityDeclaration.Declared> activities() {
        Map<String, Method> byName = new HashMap<>();
        List<ActivityDeclaration.Declared> found = new ArrayList<>();
        for (MethodTable.Entry entry : MethodTable.of(type).entries()) {
            if (!isActivity(entry.method())) {
                checkPlain(entry);
                continue;
            }
            ActivityDeclaration.Declared activity = activity(entry);
            Method other = byName.putIfAbsent(activity.shortName(), entry.method());
            if (other != null) {
                problems.add(ActivityProblems.overloaded(entry.method(), other, activity.shortName()));
            }
            found.add(activity);
        }
        if (found.isEmpty()) {
            problems.add(ActivityProblems.empty(type));
        }
        return found;
    }

    /**
     * Returns whether the method is an activity: public and, in an interface, without a body of its own; default
     * methods run in the workflow.
     */
    private static boolean isActivity(Method method) {
        return Modifier.isPublic(method.getModifiers()) && !method.isDefault();
    }

    private void checkPlain(MethodTable.Entry entry) {
        if (entry.annotation(Activity.class) != null) {
            problems.add(ActivityProblems.noActivity(entry.method()));
        }
    }

    private ActivityDeclaration.Declared activity(MethodTable.Entry entry) {
        Method method = entry.method();
        if (Modifier.isFinal(method.getModifiers())) {
            problems.add(ActivityProblems.finalMethod(method));
        }
        Activity own = entry.annotation(Activity.class);
        OptionLevel level = own == null
                ? typeLevel
                : OptionReader.read(own, Problem.name(method), problems).addedTo(typeLevel);
        List<Class<? extends Throwable>> named = new ArrayList<>(OptionReader.doNotRetry(annotation));
        named.addAll(own == null ? List.of() : OptionReader.doNotRetry(own));

        String shortName = own == null || own.name().isEmpty() ? method.getName() : own.name();
        if ((own == null || own.name().isEmpty()) && Kotlin.isMangled(method)) {
            problems.add(NameProblems.mangled(method, "@Activity"));
        }
        String name = typeName() + "." + shortName;
        return new ActivityDeclaration.Declared(
                shortName,
                name,
                aliases(method, name, shortName, own == null ? new String[0] : own.aliases()),
                entry,
                signatures.read(name, method, named),
                level);
    }

    /** Combines each former name of the type with each name of the method; one with a dot is a full name already. */
    private List<String> aliases(Method method, String name, String shortName, String[] ownAliases) {
        Set<String> aliases = new LinkedHashSet<>();
        List<String> typeNames = Stream.concat(Stream.of(typeName()), Stream.of(annotation.aliases()))
                .toList();
        for (String former : ownAliases) {
            if (!NameRules.isName(former)) {
                problems.add(NameProblems.badName(Problem.name(method), former));
            } else if (former.contains(".")) {
                aliases.add(former);
            }
        }
        List<String> shortNames = Stream.concat(
                        Stream.of(shortName), Stream.of(ownAliases).filter(former -> !former.contains(".")))
                .toList();
        typeNames.forEach(t -> shortNames.forEach(s -> aliases.add(t + "." + s)));
        aliases.remove(name);
        return List.copyOf(aliases);
    }
}
