package dev.durable.store.postgres;

import com.zaxxer.hikari.HikariDataSource;
import javax.sql.DataSource;
import org.postgresql.ds.common.BaseDataSource;

/** What a DataSource says of itself without being connected. */
final class DataSources {
    private DataSources() {}

    /** The URL without secrets, where the DataSource is of a kind that tells it. */
    static String describe(DataSource dataSource) {
        if (dataSource instanceof BaseDataSource postgres) {
            return shown(postgres.getUrl());
        }
        if (dataSource instanceof HikariDataSource pool) {
            DataSource inner = pool.getDataSource();
            return inner != null
                    ? describe(inner)
                    : pool.getJdbcUrl() != null ? shown(pool.getJdbcUrl()) : "pool " + pool.getPoolName();
        }
        return dataSource.getClass().getName();
    }

    /** Whether it can do without one connection: a pool of one or two would leave the loops and lanes nothing. */
    static boolean hasOneToSpare(DataSource dataSource) {
        return !(dataSource instanceof HikariDataSource pool) || pool.getMaximumPoolSize() > 2;
    }

    /** Parameters are many, and none helps to find the database. */
    private static String shown(String url) {
        int parameters = url.indexOf('?');
        return JdbcUrl.withoutSecrets(parameters < 0 ? url : url.substring(0, parameters));
    }
}
