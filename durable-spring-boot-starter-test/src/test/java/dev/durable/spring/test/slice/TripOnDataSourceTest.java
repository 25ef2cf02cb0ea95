package dev.durable.spring.test.slice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.client.DurableClient;
import dev.durable.spring.test.DurableSpringTest;
import dev.durable.store.postgres.testing.TestDatabase;
import dev.durable.testing.Store;
import dev.durable.testing.TestEngine;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** On the application's own DataSource, whose address comes as a service connection of Testcontainers gives it. */
@Tag("slow")
@DurableSpringTest(store = Store.POSTGRES, properties = "spring.datasource.hikari.maximum-pool-size=8")
class TripOnDataSourceTest {
    @Autowired
    private DurableClient client;

    @Autowired
    private JdbcTemplate jdbc;

    @Autowired
    private PlatformTransactionManager transactions;

    @RepeatedTest(2)
    void time_moves_and_each_method_has_a_schema_of_its_own(TestEngine engine) {
        var trip = client.start(TripWorkflow.class, "trip-1", w -> w.run("lisbon"));

        engine.advance(Duration.ofDays(3));

        assertThat(trip.result()).isEqualTo("cancelled");
        assertThat(schemas()).hasSize(1).allMatch(name -> name.startsWith("test_"));
    }

    @Test
    void a_start_takes_part_in_springs_transaction(@Autowired DataSource dataSource) {
        new TransactionTemplate(transactions).executeWithoutResult(status -> {
            client.start(TripWorkflow.class, "rolled-back", w -> w.run("lisbon"));
            status.setRollbackOnly();
        });
        assertThat(client.workflows().count()).isZero();
        assertThat(dataSource).hasFieldOrPropertyWithValue("maximumPoolSize", 8);
    }

    private List<String> schemas() {
        return jdbc.queryForList(
                "select schema_name from information_schema.schemata where schema_name like 'test%'", String.class);
    }

    @TestConfiguration
    static class Beans {
        @Bean(destroyMethod = "close")
        TestDatabase database() {
            return TestDatabase.create();
        }

        @Bean
        JdbcConnectionDetails connection(TestDatabase database) {
            return new JdbcConnectionDetails() {
                @Override
                public String getUsername() {
                    return database.username();
                }

                @Override
                public String getPassword() {
                    return database.password();
                }

                @Override
                public String getJdbcUrl() {
                    return database.jdbcUrl();
                }
            };
        }

        @Bean
        Desk desk() {
            return new Desk() {
                @Override
                public String book(String trip) {
                    return "B-3";
                }

                @Override
                public void cancel(String trip) {}
            };
        }
    }
}
