package dev.durable.spring;

import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.internal.engine.PreparedEngine;
import dev.durable.store.HistoryStore;
import dev.durable.store.postgres.ActivityTransactions;
import java.util.Collection;
import javax.sql.DataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** Provides an engine and a client on the application's DataSource. Every bean gives way to one of the application's own. */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration",
            "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
            "org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration",
            "org.springframework.boot.liquibase.autoconfigure.LiquibaseAutoConfiguration",
            "org.springframework.boot.jooq.autoconfigure.JooqAutoConfiguration"
        })
@ConditionalOnProperty(name = "durable.enabled", havingValue = "true", matchIfMissing = true)
@EnableConfigurationProperties(DurableProperties.class)
public class DurableAutoConfiguration {

    /** Before any manager is made, so that no transaction begins unseen. */
    @Bean
    static BeanPostProcessor durableTransactionWatch() {
        return TransactionWatch.overBeans();
    }

    @Bean
    @ConditionalOnMissingBean({HistoryStore.class, ActivityTransactions.class})
    SpringActivityTransactions durableActivityTransactions(
            @DurableDataSource ObjectProvider<DataSource> marked,
            ObjectProvider<DataSource> dataSources,
            ConfigurableListableBeanFactory beans) {
        DataSource dataSource = StoreDataSource.choose(marked, dataSources);
        return new SpringActivityTransactions(
                new ManagerOfStore(beans, dataSource), new SpringTransactions(dataSource));
    }

    @Bean
    @ConditionalOnMissingBean(HistoryStore.class)
    StoreFactory durableStoreFactory(
            @DurableDataSource ObjectProvider<DataSource> marked,
            ObjectProvider<DataSource> dataSources,
            DurableProperties properties,
            ActivityTransactions activityTransactions) {
        return new StoreFactory(StoreDataSource.choose(marked, dataSources), properties, activityTransactions);
    }

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    HistoryStore durableHistoryStore(StoreFactory stores, DurableProperties properties) {
        return stores.onSchema(properties.schema());
    }

    @Bean
    @ConditionalOnMissingBean
    DurableScan durableScan(ConfigurableListableBeanFactory beans) {
        return new DurableScan(beans);
    }

    @Bean
    @ConditionalOnMissingBean
    EngineParts durableEngineParts(
            DurableProperties properties,
            DurableScan scan,
            ObjectProvider<DurableCustomizer> customizers,
            ObjectProvider<SpringActivityTransactions> springs,
            ConfigurableListableBeanFactory beans,
            Environment environment) {
        KnownProperties.check(environment);
        TransactionWatch.overAncestors(beans);
        return new EngineParts(properties, scan, customizers, springs, beans, environment);
    }

    @Bean
    @ConditionalOnBean(StoreFactory.class)
    @ConditionalOnMissingBean
    DurableEngineFactory durableEngineFactory(EngineParts parts, StoreFactory stores) {
        return new DurableEngineFactory(parts, stores::onSchema);
    }

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean(DurableEngine.class)
    PreparedEngine durableEngine(HistoryStore store, EngineParts parts, DurableProperties properties) {
        return parts.engine(store, properties.schema(), builder -> {}, () -> {});
    }

    @Bean
    @ConditionalOnSingleCandidate(DurableEngine.class)
    @ConditionalOnMissingBean
    DurableClient durableClient(DurableEngine engine) {
        return engine.client();
    }

    /** Of all engines of this context, also of those that are no candidates to be injected. */
    @Bean
    DurableLifecycle durableLifecycle(ListableBeanFactory beans, DurableProperties properties) {
        return new DurableLifecycle(() -> engines(beans), properties.worker().autoStartup());
    }

    private static Collection<DurableEngine> engines(ListableBeanFactory beans) {
        return beans.getBeansOfType(DurableEngine.class).values();
    }

    @Bean
    SmartLifecycle durableClaimsEnd(DurableLifecycle lifecycle) {
        return lifecycle.beforeDrain();
    }
}
