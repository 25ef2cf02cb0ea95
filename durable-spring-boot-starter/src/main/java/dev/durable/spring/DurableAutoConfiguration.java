package dev.durable.spring;

import dev.durable.DurableClient;
import dev.durable.DurableEngine;
import dev.durable.store.HistoryStore;
import dev.durable.store.postgres.ActivityTransactions;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.worker.EngineBuilder;
import dev.durable.worker.PreparedEngine;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

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
                .rolePrefix(properties.getRolePrefix())
                .transactions(new SpringTransactions(dataSource))
                .activityTransactions(activityTransactions)
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
