package dev.durable.spring.dev;

import dev.durable.spring.DurableAutoConfiguration;
import dev.durable.store.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Path;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** The embedded PostgreSQL for an application that names no database. */
@AutoConfiguration(
        before = DurableAutoConfiguration.class,
        beforeName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
@ConditionalOnClass(EmbeddedPostgres.class)
@ConditionalOnProperty(name = "durable.enabled", havingValue = "true", matchIfMissing = true)
@ConditionalOnProperty(name = "durable.dev.embedded-postgres", havingValue = "true", matchIfMissing = true)
@Conditional(NoDatabaseCondition.class)
@EnableConfigurationProperties(DurableDevProperties.class)
public class DurableDevAutoConfiguration {
    private static final Logger log = LoggerFactory.getLogger(DurableDevAutoConfiguration.class);
    private static final int CONNECTIONS = 10;
    private static final String BOOTS = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration";

    @Bean(destroyMethod = "close")
    EmbeddedPostgres durableEmbeddedPostgres(DurableDevProperties properties, Environment environment) {
        String[] active = environment.getActiveProfiles();
        for (String profile : active.length == 0 ? environment.getDefaultProfiles() : active) {
            if (properties.forbiddenProfiles().stream().anyMatch(profile::equalsIgnoreCase)) {
                throw new EmbeddedPostgresRefusedException(profile);
            }
        }
        EmbeddedPostgres postgres = EmbeddedPostgres.at(DataDirectory.choose(
                properties.dataDirectory(),
                Path.of("").toAbsolutePath(),
                UserState.here(),
                environment.getProperty("spring.application.name", "application")));
        log.info(
                "no DataSource is configured: running on the embedded PostgreSQL, for development only, at {} with its data"
                        + " in {}",
                postgres.jdbcUrl(),
                postgres.directory());
        return postgres;
    }

    /** Spring Boot makes the DataSource. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = BOOTS)
    static class OfBoot {
        @Bean
        JdbcConnectionDetails durableEmbeddedPostgresConnection(EmbeddedPostgres postgres) {
            return new EmbeddedConnection(postgres);
        }
    }

    /** In an application with nothing but the starter, no other configuration makes a DataSource. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingClass(BOOTS)
    static class OfItsOwn {
        @Bean(destroyMethod = "")
        DataSource dataSource(EmbeddedPostgres postgres) {
            return postgres.pooledDataSource(CONNECTIONS);
        }
    }
}
