package dev.durable.spring;

import dev.durable.Workflow;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.core.type.filter.AnnotationTypeFilter;
import org.springframework.util.ClassUtils;

/** Finds the application's workflow classes and activity beans, and says why a candidate was left out. */
public class DurableScan {
    private final ConfigurableListableBeanFactory beans;
    private final Set<String> leftOut = Collections.synchronizedSet(new LinkedHashSet<>());

    DurableScan(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    /** Workflow classes in the application's packages. */
    List<Class<?>> workflows() {
        if (!AutoConfigurationPackages.has(beans)) {
            return List.of();
        }
        ClassPathScanningCandidateComponentProvider scanner = new ClassPathScanningCandidateComponentProvider(false) {
            @Override
            protected boolean isCandidateComponent(AnnotatedBeanDefinition definition) {
                return true;
            }
        };
        scanner.addIncludeFilter(new AnnotationTypeFilter(Workflow.class, false, true));
        Set<String> names = new TreeSet<>();
        for (String basePackage : AutoConfigurationPackages.get(beans)) {
            scanner.findCandidateComponents(basePackage).stream()
                    .map(BeanDefinition::getBeanClassName)
                    .forEach(names::add);
        }
        List<Class<?>> found = new ArrayList<>();
        List<Class<?>> notMade = new ArrayList<>();
        for (String name : names) {
            Class<?> type = ClassUtils.resolveClassName(name, beans.getBeanClassLoader());
            (Modifier.isAbstract(type.getModifiers()) ? notMade : found).add(type);
        }
        notMade.stream()
                .filter(type -> found.stream().noneMatch(type::isAssignableFrom))
                .forEach(type -> leftOut.add(type.getName() + ": is "
                        + (type.isInterface() ? "an interface" : "abstract")
                        + ", and no workflow class in the application's packages implements it"));
        return found;
    }

    /** Beans of activity types, each with the types that it does. */
    List<ActivityBeans.Chosen> activities() {
        return new ActivityBeans(beans, leftOut).choose();
    }

    /** Candidates that were not registered, each with the reason. */
    List<String> leftOut() {
        synchronized (leftOut) {
            return List.copyOf(leftOut);
        }
    }
}
