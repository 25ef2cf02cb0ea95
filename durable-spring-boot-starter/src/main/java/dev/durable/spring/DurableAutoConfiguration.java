package dev.durable.spring;

import dev.durable.DurableClient;
import dev.durable.DurableEngine;
import dev.durable.store.HistoryStore;
import dev.durable.store.postgres.ActivityTransactions;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.worker.EngineBuilder;
import dev.durable.worker.PreparedEngine;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/** An engine and a client on the application's DataSource. Every bean gives way to one of the application's own. */
@AutoConfiguration(afterName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
@ConditionalOnProperty(name = "durable.enabled", havingValue = "true", matchIfMissing = true)
@EnableConfigurationProperties(DurableProperties.class)
public class DurableAutoConfiguration {

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    HistoryStore durableHistoryStore(
            ObjectProvider<DataSource> dataSources,
            DurableProperties properties,
            ObjectProvider<ActivityTransactions> activityTransactions,
            ObjectProvider<PlatformTransactionManager> managers) {
        DataSource dataSource = dataSources.getIfUnique();
        if (dataSource == null) {
            throw new NoDataSourceException(dataSources.stream().count());
        }
        SpringTransactions transactions = new SpringTransactions(dataSource);
        return PostgresHistoryStore.builder(dataSource)
                .schema(properties.getSchema())
                .schemaMode(properties.getMigrate())
                .rolePrefix(properties.getRolePrefix())
                .transactions(transactions)
                .activityTransactions(activityTransactions.getIfUnique(() -> new SpringActivityTransactions(
                        () -> managers.getIfUnique(() -> new JdbcTransactionManager(dataSource)), transactions)))
                .build();
    }

    @Bean
    @ConditionalOnMissingBean
    DurableScan durableScan(ConfigurableListableBeanFactory beans) {
        return new DurableScan(beans);
    }

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean(DurableEngine.class)
    PreparedEngine durableEngine(
            HistoryStore store,
            DurableScan scan,
            DurableProperties properties,
            ObjectProvider<DurableCustomizer> customizers) {
        EngineBuilder builder = new EngineBuilder(store);
        EngineFromProperties.apply(properties, builder);
        builder.register(scan.workflows().toArray());
        builder.register(scan.activities().toArray());
        customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
        return builder.prepare();
    }

    @Bean
    @ConditionalOnMissingBean
    DurableClient durableClient(DurableEngine engine) {
        return engine.client();
    }

    @Bean
    DurableLifecycle durableLifecycle(DurableEngine engine, DurableScan scan) {
        return new DurableLifecycle(engine, scan);
    }
}
