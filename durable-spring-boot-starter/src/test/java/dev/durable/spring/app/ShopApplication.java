package dev.durable.spring.app;

import dev.durable.client.DurableClient;
import dev.durable.store.postgres.testing.TestDatabase;
import javax.sql.DataSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;

/** A small application on a database of its own. */
@SpringBootConfiguration
@EnableAutoConfiguration
public class ShopApplication {

    @Bean(destroyMethod = "close")
    TestDatabase database() {
        return TestDatabase.create();
    }

    @Bean
    DataSource dataSource(TestDatabase database) {
        return database.pooledDataSource(12);
    }

    @Bean
    Greetings greetings() {
        return name -> "hello " + name;
    }

    @Bean
    Orders orders(DurableClient client, JdbcTemplate jdbc, ApplicationEventPublisher events) {
        return new Orders(client, jdbc, events);
    }

    @Bean
    Audit audit(JdbcTemplate jdbc) {
        return new Audit(jdbc);
    }

    @Bean
    Ledger ledger(JdbcTemplate jdbc, Audit audit) {
        return new JdbcLedger(jdbc, audit);
    }

    @Bean
    Conversations conversations(DurableClient client, Audit audit) {
        return new Conversations(client, audit);
    }

    /** Calls another bean inside a transaction of its own that then rolls back. */
    @Bean
    Surroundings surroundings() {
        return new Surroundings();
    }
}
