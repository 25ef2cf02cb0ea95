package dev.durable.spring.aot;

import dev.durable.Activity;
import dev.durable.Workflow;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;
import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.type.filter.AnnotationTypeFilter;
import org.springframework.util.ClassUtils;

/** Finds the application's workflow and activity types without making any bean. */
final class AnnotatedTypes {
    private AnnotatedTypes() {}

    /** Classes and interfaces in the application's packages, with the interfaces that they implement. */
    static Set<Class<?>> workflows(ConfigurableListableBeanFactory beans) {
        Set<Class<?>> found = new LinkedHashSet<>();
        if (!AutoConfigurationPackages.has(beans)) {
            return found;
        }
        ClassPathScanningCandidateComponentProvider scanner = new ClassPathScanningCandidateComponentProvider(false) {
            @Override
            protected boolean isCandidateComponent(AnnotatedBeanDefinition definition) {
                return true;
            }
        };
        scanner.addIncludeFilter(new AnnotationTypeFilter(Workflow.class, false, true));
        for (String basePackage : AutoConfigurationPackages.get(beans)) {
            scanner.findCandidateComponents(basePackage).stream()
                    .map(BeanDefinition::getBeanClassName)
                    .map(name -> ClassUtils.resolveClassName(Objects.requireNonNull(name), beans.getBeanClassLoader()))
                    .forEach(type -> {
                        found.add(type);
                        found.addAll(ClassUtils.getAllInterfacesForClassAsSet(type));
                    });
        }
        return found;
    }

    /** The types of beans that are annotated, and what workflows have injected. */
    static Set<Class<?>> activities(ConfigurableListableBeanFactory beans, Set<Class<?>> workflows) {
        Set<Class<?>> found = new LinkedHashSet<>();
        for (String name : beans.getBeanDefinitionNames()) {
            Class<?> type = beans.getType(name, false);
            if (type != null) {
                addAnnotated(ClassUtils.getUserClass(type), found);
            }
        }
        for (Class<?> workflow : workflows) {
            for (var constructor : workflow.getDeclaredConstructors()) {
                for (Class<?> injected : constructor.getParameterTypes()) {
                    addAnnotated(injected, found);
                }
            }
        }
        return found;
    }

    private static void addAnnotated(Class<?> type, Set<Class<?>> found) {
        if (AnnotatedElementUtils.hasAnnotation(type, Activity.class)) {
            found.add(type);
            ClassUtils.getAllInterfacesForClassAsSet(type).stream()
                    .filter(each -> AnnotatedElementUtils.hasAnnotation(each, Activity.class))
                    .forEach(found::add);
        }
    }
}
