package dev.durable.spring;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the DataSource that Durable is to use, and which transaction managers are for it. All without Spring's proxy that
 * hands out the connection of the current transaction: managers bind connections to what is behind it.
 */
final class StoreDataSource {
    private StoreDataSource() {}

    /**
     * The only one that is marked, or else the only or primary one.
     *
     * @throws SetupException where there is none, or not one alone
     */
    static DataSource choose(ObjectProvider<DataSource> marked, ObjectProvider<DataSource> all) {
        long marks = marked.stream().count();
        if (marks > 1) {
            throw new SetupException(
                    "Durable keeps its histories in one DataSource, and " + marks
                            + " DataSource beans are marked @DurableDataSource.",
                    "Leave @DurableDataSource at one of them.");
        }
        DataSource chosen = marks == 1 ? marked.getObject() : all.getIfUnique();
        if (chosen == null) {
            throw all.stream().findAny().isEmpty()
                    ? none()
                    : several(all.stream().count());
        }
        return target(chosen);
    }

    private static SetupException none() {
        return new SetupException(
                "Durable keeps its histories in the application's DataSource, and there is no DataSource bean.",
                "Add spring-boot-starter-jdbc and PostgreSQL's driver and set spring.datasource.url, declare a"
                        + " DataSource bean or a HistoryStore bean, or set durable.enabled=false.");
    }

    private static SetupException several(long found) {
        return new SetupException(
                "Durable keeps its histories in the application's DataSource, and there are " + found
                        + " DataSource beans, none of them primary.",
                "Mark the one that Durable is to use as @DurableDataSource, or as @Primary if it is the one that all"
                        + " others use, too.");
    }

    /**
     * Where connections are taken: a DataSource that routes (by tenant, say) is asked once for its default, as what calls and
     * what works here has other keys, or none, and histories belong in one database.
     */
    static DataSource connections(DataSource dataSource) {
        if (!(dataSource instanceof AbstractRoutingDataSource routing)) {
            return dataSource;
        }
        DataSource byDefault = routing.getResolvedDefaultDataSource();
        if (byDefault == null) {
            throw new SetupException(
                    "Durable keeps its histories in one database, and its DataSource, a "
                            + routing.getClass().getName()
                            + ", routes to several by a key and has no default target.",
                    "Give it a default target (setDefaultTargetDataSource), or mark another DataSource bean as"
                            + " @DurableDataSource.");
        }
        return target(byDefault);
    }

    static DataSource target(DataSource dataSource) {
        return dataSource instanceof TransactionAwareDataSourceProxy proxy && proxy.getTargetDataSource() != null
                ? target(proxy.getTargetDataSource())
                : dataSource;
    }

    /**
     * The DataSource whose connections a transaction manager binds; null where it does not tell. Those of JPA have a
     * resource of their own and tell it by {@code getDataSource()}.
     */
    static @Nullable DataSource of(Object proxyOrManager) {
        Object manager = raw(proxyOrManager);
        Object resource = manager instanceof ResourceTransactionManager one ? one.getResourceFactory() : null;
        if (!(resource instanceof DataSource)) {
            Method getter = ReflectionUtils.findMethod(manager.getClass(), "getDataSource");
            if (getter != null) {
                ReflectionUtils.makeAccessible(getter);
                resource = ReflectionUtils.invokeMethod(getter, manager);
            }
        }
        return resource instanceof DataSource dataSource ? target(dataSource) : null;
    }

    /** The managers, by the names of their beans, that begin transactions of this DataSource. */
    static Map<String, PlatformTransactionManager> managers(ListableBeanFactory beans, DataSource dataSource) {
        Map<String, PlatformTransactionManager> found = new TreeMap<>();
        BeanFactoryUtils.beansOfTypeIncludingAncestors(beans, PlatformTransactionManager.class)
                .forEach((name, manager) -> {
                    if (dataSource.equals(of(manager))) {
                        found.put(name, manager);
                    }
                });
        return found;
    }

    /** The names of managers that tell neither a DataSource nor another resource, as those of JTA. */
    static Set<String> silentManagers(ListableBeanFactory beans) {
        Set<String> silent = new TreeSet<>();
        BeanFactoryUtils.beansOfTypeIncludingAncestors(beans, PlatformTransactionManager.class)
                .forEach((name, manager) -> {
                    if (of(manager) == null && !isForOthers(raw(manager))) {
                        silent.add(name);
                    }
                });
        return silent;
    }

    /**
     * Returns whether a manager is for other resources: Kafka's, say. JPA's has a resource of its own and a DataSource
     * besides; where it does not name that, it may be this one.
     */
    private static boolean isForOthers(Object manager) {
        return manager instanceof ResourceTransactionManager
                && ReflectionUtils.findMethod(manager.getClass(), "getDataSource") == null;
    }

    /** The object behind proxies of aspects. */
    static Object raw(Object proxyOrBean) {
        Object target = AopProxyUtils.getSingletonTarget(proxyOrBean);
        return target == null ? proxyOrBean : raw(target);
    }
}
