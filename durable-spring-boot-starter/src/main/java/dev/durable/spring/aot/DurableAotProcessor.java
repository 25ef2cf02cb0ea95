package dev.durable.spring.aot;

import dev.durable.Query;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Update;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** Registers the application's workflow and activity types, and what their methods take, return and throw. */
final class DurableAotProcessor implements BeanFactoryInitializationAotProcessor {

    @Override
    public @Nullable BeanFactoryInitializationAotContribution processAheadOfTime(
            ConfigurableListableBeanFactory beans) {
        Set<Class<?>> workflows = AnnotatedTypes.workflows(beans);
        Set<Class<?>> activities = AnnotatedTypes.activities(beans, workflows);
        if (workflows.isEmpty() && activities.isEmpty()) {
            return null;
        }
        return (generation, initialization) ->
                register(generation.getRuntimeHints().reflection(), workflows, activities);
    }

    private static void register(ReflectionHints hints, Set<Class<?>> workflows, Set<Class<?>> activities) {
        Set<Type> payloads = new LinkedHashSet<>();
        for (Class<?> type : workflows) {
            declared(hints, type);
            methods(type).filter(DurableAotProcessor::isOfWorkflow).forEach(method -> addPayloads(method, payloads));
        }
        for (Class<?> type : activities) {
            declared(hints, type);
            methods(type)
                    .filter(method -> !Modifier.isPrivate(method.getModifiers()))
                    .forEach(method -> addPayloads(method, payloads));
        }
        new BindingReflectionHintsRegistrar().registerReflectionHints(hints, payloads.toArray(Type[]::new));
    }

    private static void declared(ReflectionHints hints, Class<?> type) {
        hints.registerType(
                type,
                MemberCategory.INVOKE_DECLARED_CONSTRUCTORS,
                MemberCategory.INVOKE_DECLARED_METHODS,
                MemberCategory.ACCESS_DECLARED_FIELDS);
    }

    private static Stream<Method> methods(Class<?> type) {
        return Stream.of(type.getDeclaredMethods()).filter(method -> !method.isSynthetic());
    }

    private static boolean isOfWorkflow(Method method) {
        return Stream.of(Run.class, Signal.class, Query.class, Update.class)
                .anyMatch(annotation -> AnnotatedElementUtils.hasAnnotation(method, annotation));
    }

    private static void addPayloads(Method method, Set<Type> payloads) {
        payloads.addAll(List.of(method.getGenericParameterTypes()));
        payloads.addAll(List.of(method.getGenericExceptionTypes()));
        if (method.getReturnType() != void.class) {
            payloads.add(method.getGenericReturnType());
        }
    }
}
