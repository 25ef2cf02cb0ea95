package dev.durable.spring;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.DurableClient;
import dev.durable.spring.app.ChatWorkflow;
import dev.durable.spring.app.GreetingWorkflow;
import dev.durable.spring.app.Greetings;
import dev.durable.spring.app.Purchase;
import dev.durable.store.postgres.testing.TestDatabase;
import jakarta.persistence.EntityManagerFactory;
import java.util.Map;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionTemplate;

/** An application on a database of its own, by JPA or by JDBC alone, whose pool has autocommit on or off. */
final class Shop implements AutoCloseable {
    private final TestDatabase database = TestDatabase.migrated();
    private final HikariDataSource pool;
    private final Kind kind;
    final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

    enum Kind {
        JPA(Jpa.class),
        JDBC(Jdbc.class);

        private final Class<?> configuration;

        Kind(Class<?> configuration) {
            this.configuration = configuration;
        }
    }

    /** An event that is published in a transaction, with the call that the listener of that phase makes. */
    record Said(TransactionPhase phase, Runnable call) {}

    Shop(Kind kind, boolean autoCommit, Class<?>... more) {
        this(kind, autoCommit, context -> {}, more);
    }

    Shop(Kind kind, boolean autoCommit, Consumer<AnnotationConfigApplicationContext> before, Class<?>... more) {
        this.kind = kind;
        this.pool = pool(autoCommit);
        new JdbcTemplate(database.dataSource()).execute("create table purchase (id text primary key)");
        // As Boot does.
        context.getDefaultListableBeanFactory().setAllowCircularReferences(false);
        context.registerBean("dataSource", DataSource.class, () -> pool);
        context.register(Listener.class, Base.class, kind.configuration);
        AutoConfigurationPackages.register(context, GreetingWorkflow.class.getPackageName());
        if (more.length > 0) {
            context.register(more);
        }
        before.accept(context);
        // When all that the application declares is known, as Boot does.
        context.register(DurableAutoConfiguration.class);
        try {
            context.refresh();
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private HikariDataSource pool(boolean autoCommit) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(database.dataSource());
        config.setMaximumPoolSize(8);
        config.setMinimumIdle(1);
        config.setAutoCommit(autoCommit);
        return new HikariDataSource(config);
    }

    DurableClient client() {
        return context.getBean(DurableClient.class);
    }

    DataSource pool() {
        return pool;
    }

    /** In Spring's own transaction. */
    TransactionTemplate transaction() {
        return new TransactionTemplate(context.getBean("transactionManager", PlatformTransactionManager.class));
    }

    /** By the means of the application: JPA or JDBC. */
    void buy(String id) {
        if (kind == Kind.JPA) {
            SharedEntityManagerCreator.createSharedEntityManager(context.getBean(EntityManagerFactory.class))
                    .persist(new Purchase(id));
        } else {
            new JdbcTemplate(pool).update("insert into purchase (id) values (?)", id);
        }
    }

    boolean bought(String id) {
        return !new JdbcTemplate(database.dataSource())
                .queryForList("select id from purchase where id = ?", id)
                .isEmpty();
    }

    void start(String id) {
        client().start(GreetingWorkflow.class, id, w -> w.run(id));
    }

    boolean started(String id) {
        try {
            return !client().history(id).isEmpty();
        } catch (WorkflowNotFoundException e) {
            return false;
        }
    }

    void chat(String id) {
        client().startVoid(ChatWorkflow.class, id, ChatWorkflow::run);
    }

    @Override
    public void close() {
        context.close();
        pool.close();
        database.close();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class Base {
        @Bean
        Greetings greetings() {
            return name -> "hello " + name;
        }
    }

    static class Listener {
        @TransactionalEventListener(phase = TransactionPhase.BEFORE_COMMIT)
        void beforeCommit(Said said) {
            on(TransactionPhase.BEFORE_COMMIT, said);
        }

        /** In the default phase. */
        @TransactionalEventListener
        void afterCommit(Said said) {
            on(TransactionPhase.AFTER_COMMIT, said);
        }

        @TransactionalEventListener(phase = TransactionPhase.AFTER_ROLLBACK)
        void afterRollback(Said said) {
            on(TransactionPhase.AFTER_ROLLBACK, said);
        }

        @TransactionalEventListener(phase = TransactionPhase.AFTER_COMPLETION)
        void afterCompletion(Said said) {
            on(TransactionPhase.AFTER_COMPLETION, said);
        }

        private static void on(TransactionPhase phase, Said said) {
            if (said.phase() == phase) {
                said.call().run();
            }
        }
    }

    static class Jdbc {
        @Bean
        JdbcTransactionManager transactionManager(@Qualifier("dataSource") DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }
    }

    /** As Boot configures it. */
    static class Jpa {
        @Bean
        LocalContainerEntityManagerFactoryBean entityManagerFactory(@Qualifier("dataSource") DataSource dataSource) {
            LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
            factory.setDataSource(dataSource);
            factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
            factory.setPackagesToScan(Purchase.class.getPackageName());
            boolean off = dataSource instanceof HikariDataSource pool && !pool.isAutoCommit();
            factory.setJpaPropertyMap(Map.of("hibernate.connection.provider_disables_autocommit", off));
            return factory;
        }

        @Bean
        JpaTransactionManager transactionManager(EntityManagerFactory factory) {
            return new JpaTransactionManager(factory);
        }
    }
}
