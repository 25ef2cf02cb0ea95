package dev.durable.spring.test;

import dev.durable.client.DurableEngine;
import dev.durable.spring.DurableAutoConfiguration;
import dev.durable.spring.DurableDataSource;
import dev.durable.spring.EngineParts;
import dev.durable.store.HistoryStore;
import dev.durable.testing.TestEngine;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.springframework.aop.TargetSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.PlatformTransactionManager;

/** In a {@link DurableSpringTest} only: an engine for each test method in place of the application's own. */
@AutoConfiguration(before = DurableAutoConfiguration.class)
@ConditionalOnProperty(DurableSpringTestBootstrapper.STORE)
public class DurableSpringTestAutoConfiguration {

    @Bean
    CurrentEngine durableCurrentEngine(
            ObjectProvider<Supplier<TestEngine>> onDataSource, ObjectProvider<EngineParts> parts) {
        return new CurrentEngine(onDataSource.getIfAvailable(() -> TestEngine::create), parts);
    }

    /** Closed with {@link CurrentEngine}. */
    @Bean(destroyMethod = "")
    DurableEngine durableEngine(CurrentEngine current) {
        return new EngineOfTest(current);
    }

    @Bean(destroyMethod = "")
    HistoryStore durableHistoryStore(CurrentEngine current) {
        return ProxyFactory.getProxy(HistoryStore.class, new StoreOfTest(current));
    }

    private record StoreOfTest(CurrentEngine current) implements TargetSource {
        @Override
        public Class<?> getTargetClass() {
            return HistoryStore.class;
        }

        @Override
        public Object getTarget() {
            return current.get().store();
        }
    }

    /** With {@code store = Store.POSTGRES}. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty(name = DurableSpringTestBootstrapper.STORE, havingValue = "POSTGRES")
    @DataSourceSlice
    static class OnDataSource {
        @Bean
        SchemaPerTest durableSchemaPerTest(
                @DurableDataSource ObjectProvider<DataSource> marked,
                ObjectProvider<DataSource> all,
                ObjectProvider<PlatformTransactionManager> managers) {
            return new SchemaPerTest(() -> marked.getIfUnique(all::getObject), managers);
        }
    }
}
