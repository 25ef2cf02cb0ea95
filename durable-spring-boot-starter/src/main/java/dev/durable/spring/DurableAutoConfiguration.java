package dev.durable.spring;

import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.internal.engine.EngineBuilder;
import dev.durable.internal.engine.PreparedEngine;
import dev.durable.store.HistoryStore;
import dev.durable.store.JdbcUrl;
import dev.durable.store.postgres.ActivityTransactions;
import dev.durable.store.postgres.PostgresHistoryStore;
import java.util.List;
import java.util.Properties;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** An engine and a client on the application's DataSource. Every bean gives way to one of the application's own. */
@AutoConfiguration(afterName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
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

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    HistoryStore durableHistoryStore(
            @DurableDataSource ObjectProvider<DataSource> marked,
            ObjectProvider<DataSource> dataSources,
            DurableProperties properties,
            ActivityTransactions activityTransactions) {
        DataSource dataSource = StoreDataSource.choose(marked, dataSources);
        return PostgresHistoryStore.builder(dataSource)
                .schema(properties.getSchema())
                .schemaMode(properties.getMigrate())
                .migrationDataSource(migrationDataSource(properties))
                .rolePrefix(properties.getRolePrefix())
                .transactions(new SpringTransactions(dataSource))
                .activityTransactions(activityTransactions)
                .build();
    }

    /** Unpooled: it is needed for a moment, once. */
    private static @Nullable DataSource migrationDataSource(DurableProperties properties) {
        String url = properties.getMigrationUrl();
        if (url != null && !url.isBlank()) {
            if (!JdbcUrl.isOfDriver(url)) {
                throw new IllegalStateException("durable.migration-url is wrong: \"" + JdbcUrl.withoutSecrets(url)
                        + "\" is no URL of PostgreSQL's JDBC driver. Write jdbc:postgresql://host:port/database, and user"
                        + " and password beside it, as properties of their own. Those are durable.migration-username and"
                        + " durable.migration-password.");
            }
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
            ObjectProvider<DurableCustomizer> customizers,
            ObjectProvider<SpringActivityTransactions> springs,
            ConfigurableListableBeanFactory beans) {
        TransactionWatch.overAncestors(beans);
        return new LateEngine(() -> {
            StoreCheck.check(store, beans);
            List<Object> activities = scan.activities();
            if (DurableScan.hasTransactional(activities)) {
                springs.ifAvailable(SpringActivityTransactions::check);
            }
            EngineBuilder builder = new EngineBuilder(store);
            EngineFromProperties.apply(properties, builder);
            builder.register(scan.workflows().toArray());
            builder.register(activities.toArray());
            customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
            return builder;
        });
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
