package dev.durable.spring;

import dev.durable.internal.text.JdbcUrl;
import dev.durable.store.HistoryStore;
import dev.durable.store.postgres.ActivityTransactions;
import dev.durable.store.postgres.PostgresHistoryStore;
import java.util.Properties;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Makes stores on the application's DataSource, as the properties say, which take part in Spring's transactions. */
final class StoreFactory {
    private final DataSource dataSource;
    private final DurableProperties properties;
    private final ActivityTransactions activityTransactions;

    StoreFactory(DataSource dataSource, DurableProperties properties, ActivityTransactions activityTransactions) {
        this.dataSource = dataSource;
        this.properties = properties;
        this.activityTransactions = activityTransactions;
    }

    /** A store whose tables are in that schema. */
    HistoryStore onSchema(String schema) {
        var store = PostgresHistoryStore.builder(StoreDataSource.connections(dataSource))
                .schemaMode(properties.migrate())
                .migrationDataSource(migrationDataSource())
                .transactions(new SpringTransactions(dataSource))
                .activityTransactions(activityTransactions);
        try {
            store.schema(schema);
        } catch (IllegalArgumentException e) {
            throw EngineFromProperties.refused("schema", schema, e);
        }
        try {
            store.rolePrefix(properties.rolePrefix());
        } catch (IllegalArgumentException e) {
            throw EngineFromProperties.refused("role-prefix", properties.rolePrefix(), e);
        }
        return store.build();
    }

    /** Unpooled: it is needed for a moment, once. */
    private @Nullable DataSource migrationDataSource() {
        String url = properties.migrationUrl();
        if (url != null && !url.isBlank()) {
            if (!JdbcUrl.isOfDriver(url)) {
                throw new SetupException(
                        "durable.migration-url is wrong: \"" + JdbcUrl.withoutSecrets(url)
                                + "\" is no URL of PostgreSQL's JDBC driver.",
                        "Write jdbc:postgresql://host:port/database, and user"
                                + " and password beside it, as properties of their own. Those are"
                                + " durable.migration-username and durable.migration-password.");
            }
            Properties user = new Properties();
            if (properties.migrationUsername() != null) {
                user.setProperty("user", properties.migrationUsername());
            }
            if (properties.migrationPassword() != null) {
                user.setProperty("password", properties.migrationPassword());
            }
            return new DriverManagerDataSource(url, user);
        }
        if (properties.migrationUsername() != null) {
            throw new SetupException(
                    "durable.migration-username is set, and durable.migration-url is not, so it is not known where this user"
                            + " migrates.",
                    "Set durable.migration-url to the JDBC URL of the server itself (of spring.datasource.url, if that"
                            + " leads there without a pooler).");
        }
        return null;
    }
}
