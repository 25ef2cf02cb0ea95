package dev.durable.spring;

import dev.durable.Activity;
import dev.durable.Workflow;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.type.filter.AnnotationTypeFilter;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

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
        for (String name : names) {
            Class<?> type = ClassUtils.resolveClassName(name, beans.getBeanClassLoader());
            if (type.isInterface()) {
                leftOut.add(name + " is an interface: the class that implements it is registered");
            } else if (java.lang.reflect.Modifier.isAbstract(type.getModifiers())) {
                leftOut.add(name + " is abstract");
            } else {
                found.add(type);
            }
        }
        return found;
    }

    /** Beans of activity types. */
    List<Object> activities() {
        List<Object> found = new ArrayList<>();
        for (String name : beans.getBeanDefinitionNames()) {
            Class<?> type = beans.getType(name, false);
            if (type != null && AnnotationUtils.findAnnotation(ClassUtils.getUserClass(type), Activity.class) != null) {
                if (beans.isSingleton(name)) {
                    found.add(beans.getBean(name));
                } else {
                    leftOut.add("bean " + name + " of activity type " + type.getName()
                            + " is no singleton: an activity implementation must be one");
                }
            }
        }
        return found;
    }

    /** Whether annotations of these beans, of their types or methods, say that an activity is transactional. */
    static boolean hasTransactional(List<Object> activities) {
        return activities.stream()
                .map(ClassUtils::getUserClass)
                .anyMatch(type -> Stream.concat(
                                Stream.of(MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY)),
                                Stream.of(ReflectionUtils.getUniqueDeclaredMethods(type))
                                        .map(method -> MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY)))
                        .flatMap(annotations -> annotations.stream(Activity.class))
                        .anyMatch(activity -> activity.getBoolean("transactional")));
    }

    /** Candidates that were not registered, each with the reason. */
    List<String> leftOut() {
        return List.copyOf(leftOut);
    }
}
