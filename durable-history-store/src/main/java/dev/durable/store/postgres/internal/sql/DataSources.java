package dev.durable.store.postgres.internal.sql;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.postgresql.ds.common.BaseDataSource;

/** Reads a DataSource's URL and pool size without connecting. */
public final class DataSources {
    private static final String HOST = "(?:[^\\s@/?:,#\\[\\]]+|\\[[0-9a-fA-F:.%]+])(?::[0-9]{1,5})?";

    /** Servers with their ports and the database, and nothing else. */
    private static final Pattern PLACE = Pattern.compile(
            "jdbc:(?:[a-z0-9-]+:)?postgresql:(?://(?:" + HOST + "(?:," + HOST + ")*+)?/[^/?@]*|[^/?@:]*)");

    private DataSources() {}

    /** The URL without secrets, where the DataSource is of a kind that tells it. */
    public static String describe(DataSource dataSource) {
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

    /** Connections that the engine's own loops and lanes may use at once, and the one on which it listens. */
    private static final int ENGINES_OWN = 6;
    /** Of a pool that does not tell its size; most have ten connections by default. */
    private static final int UNTOLD = 4;

    /** How many connections may be kept for long, so that the engine has enough; at least one. */
    public static int toSpare(DataSource dataSource) {
        try {
            return dataSource.isWrapperFor(HikariDataSource.class)
                    ? Math.max(1, dataSource.unwrap(HikariDataSource.class).getMaximumPoolSize() - ENGINES_OWN)
                    : UNTOLD;
        } catch (SQLException e) {
            return UNTOLD;
        }
    }

    /** Whether it can do without one connection: a pool of one or two would leave the loops and lanes nothing. */
    public static boolean hasOneToSpare(DataSource dataSource) {
        return !(dataSource instanceof HikariDataSource pool) || pool.getMaximumPoolSize() > 2;
    }

    /** Parameters are many, and none helps to find the database; what may be a password in front of them is not shown. */
    private static String shown(String url) {
        int parameters = url.indexOf('?');
        String place = parameters < 0 ? url : url.substring(0, parameters);
        return PLACE.matcher(place).matches() ? place : "a URL that is not shown";
    }
}
