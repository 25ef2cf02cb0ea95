package dev.durable.spring;

import dev.durable.DurableClient;
import dev.durable.DurableEngine;
import dev.durable.store.HistoryStore;
import dev.durable.store.postgres.ActivityTransactions;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.worker.EngineBuilder;
import dev.durable.worker.PreparedEngine;
import java.util.Properties;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
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
                .migrationDataSource(migrationDataSource(properties))
                .transactions(transactions)
                .activityTransactions(activityTransactions.getIfUnique(() -> new SpringActivityTransactions(
                        () -> managers.getIfUnique(() -> new JdbcTransactionManager(dataSource)), transactions)))
                .build();
    }

    /** Unpooled: it is needed for a moment, once. */
    private static @Nullable DataSource migrationDataSource(DurableProperties properties) {
        String url = properties.getMigrationUrl();
        if (url != null) {
            Properties user = new Properties();
            if (properties.getMigrationUsername() != null) {
                user.setProperty("user", properties.getMigrationUsername());
            }
            if (properties.getMigrationPassword() != null) {
                user.setProperty("password", properties.getMigrationPassword());
            }
            return new DriverManagerDataSource(url, user);
        }
        if (properties.getMigrationUsername() != null) {
            throw new IllegalStateException(
                    "durable.migration-username is set, and durable.migration-url is not, so it is not known where this user"
                            + " migrates. Set durable.migration-url to the JDBC URL of the server itself (of"
                            + " spring.datasource.url, if that leads there without a pooler).");
        }
        return null;
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
