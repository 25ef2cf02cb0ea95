package dev.durable.spring;

import dev.durable.internal.declare.Registry;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.BeanCurrentlyInCreationException;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.util.ClassUtils;

/**
 * Finds the beans that implement activity types, by what the beans really are: a bean may be declared as {@code Object}, be
 * made by a factory that tells no type, or be a proxy. Of several beans of one activity type the one is chosen that Spring
 * would inject.
 *
 * <pre>
 *   bean ─► its own class where it is made, else the declared one ─► activity types that it is of
 *   type ─► its only bean, or the primary one, or the only default candidate ─► registered for that type
 * </pre>
 */
final class ActivityBeans {
    private static final Comparator<Class<?>> BY_NAME = Comparator.comparing(Class::getName);

    private final ConfigurableListableBeanFactory beans;
    private final Collection<String> leftOut;

    /** @param leftOut gets why a bean was left out */
    ActivityBeans(ConfigurableListableBeanFactory beans, Collection<String> leftOut) {
        this.beans = beans;
        this.leftOut = leftOut;
    }

    /**
     * A bean with the activity types that it is registered for.
     *
     * @param name of the bean
     * @param bean itself, or its proxy
     * @param types for which it was chosen
     */
    record Chosen(String name, Object bean, Set<Class<?>> types) {}

    /** @throws SetupException where several beans are of one type and none of them comes first */
    List<Chosen> choose() {
        Map<String, Object> found = new TreeMap<>();
        Map<Class<?>, List<String>> byType = new TreeMap<>(BY_NAME);
        for (Iterator<String> names = beans.getBeanNamesIterator(); names.hasNext(); ) {
            String name = names.next();
            Object bean = found.containsKey(name) ? null : activity(name);
            if (bean != null) {
                found.put(name, bean);
                Registry.activityTypesOf(bean.getClass())
                        .forEach(type -> byType.computeIfAbsent(type, t -> new ArrayList<>())
                                .add(name));
            }
        }
        Map<String, Set<Class<?>>> types = new TreeMap<>();
        List<SetupException> refused = new ArrayList<>();
        byType.forEach((type, names) -> {
            String first = first(names);
            if (first == null) {
                refused.add(several(type, names));
            } else {
                types.computeIfAbsent(first, name -> new LinkedHashSet<>()).add(type);
                names.stream()
                        .filter(name -> !name.equals(first))
                        .forEach(name -> leftOut.add(
                                "bean " + name + ", as bean " + first + " comes first for " + type.getName()));
            }
        });
        if (!refused.isEmpty()) {
            SetupException one = refused.removeFirst();
            refused.forEach(one::addSuppressed);
            throw one;
        }
        return types.entrySet().stream()
                .map(entry ->
                        new Chosen(entry.getKey(), Objects.requireNonNull(found.get(entry.getKey())), entry.getValue()))
                .toList();
    }

    /** The bean, if it is to be registered; null where it is no activity or was left out. */
    private @Nullable Object activity(String name) {
        if (ScopedProxyUtils.isScopedTarget(name) || isAbstract(name)) {
            return null;
        }
        Class<?> type = type(name);
        if (type == null
                || Registry.activityTypesOf(ClassUtils.getUserClass(type)).isEmpty()) {
            return null;
        }
        if (!beans.isSingleton(name)) {
            leftOut.add("bean " + name + " of activity type " + type.getName()
                    + " is no singleton: give its scope a proxy (proxyMode = ScopedProxyMode.TARGET_CLASS), or take the"
                    + " scope away");
            return null;
        }
        Object bean = beans.getBean(name);
        if (Registry.activityTypesOf(bean.getClass()).isEmpty()) {
            leftOut.add("bean " + name + ": its class "
                    + AopProxyUtils.ultimateTargetClass(bean).getName()
                    + " is an activity type, and its proxy has only its interfaces. Put @Activity on the interface, or"
                    + " set spring.aop.proxy-target-class=true");
            return null;
        }
        return bean;
    }

    /** The real one where the bean is made, or can be made without harm. */
    private @Nullable Class<?> type(String name) {
        Object made = beans.containsSingleton(name) ? beans.getSingleton(name) : null;
        if (made != null && !(made instanceof FactoryBean)) {
            return AopProxyUtils.ultimateTargetClass(made);
        }
        Class<?> declared = beans.getType(name, false);
        if (declared != null && declared != Object.class || isLazy(name) || !beans.isSingleton(name)) {
            return declared;
        }
        try {
            return AopProxyUtils.ultimateTargetClass(beans.getBean(name));
        } catch (BeanCreationException e) {
            if (e.contains(BeanCurrentlyInCreationException.class)) {
                // The client was called before all beans were there; what tells no type is not waited for.
                return declared;
            }
            throw e;
        }
    }

    /** The one that Spring would inject; null where it could not say. */
    private @Nullable String first(List<String> names) {
        List<String> primary =
                names.stream().filter(is(BeanDefinition::isPrimary, false)).toList();
        if (primary.size() == 1 || names.size() == 1) {
            return primary.isEmpty() ? names.getFirst() : primary.getFirst();
        }
        List<String> candidates = names.stream()
                .filter(is(BeanDefinition::isAutowireCandidate, true))
                .filter(is(one -> !(one instanceof AbstractBeanDefinition d) || d.isDefaultCandidate(), true))
                .toList();
        List<String> regular =
                candidates.stream().filter(is(one -> !one.isFallback(), true)).toList();
        List<String> left = regular.isEmpty() ? candidates : regular;
        return primary.isEmpty() && left.size() == 1 ? left.getFirst() : null;
    }

    /** @param unknown of beans that have no definition */
    private Predicate<String> is(Predicate<BeanDefinition> what, boolean unknown) {
        return name -> beans.containsBeanDefinition(name) ? what.test(beans.getMergedBeanDefinition(name)) : unknown;
    }

    private boolean isAbstract(String name) {
        return is(BeanDefinition::isAbstract, false).test(name);
    }

    private boolean isLazy(String name) {
        return is(BeanDefinition::isLazyInit, false).test(name);
    }

    private SetupException several(Class<?> type, List<String> names) {
        return new SetupException(
                "Activity type " + type.getName() + " is implemented by " + names.size() + " beans, none of which comes"
                        + " first: " + names.stream().sorted().collect(Collectors.joining(", ")) + ".",
                "Mark the one that is to do the activities as @Primary, or the others as @Bean(defaultCandidate = false)."
                        + " One type has one implementation in a process; for several ways of doing it, let the"
                        + " implementation choose, or declare an activity type for each.");
    }
}
