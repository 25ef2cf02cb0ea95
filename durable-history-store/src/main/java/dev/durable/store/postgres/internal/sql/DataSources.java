package dev.durable.store.postgres.internal.sql;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.postgresql.ds.common.BaseDataSource;

/** Reads a DataSource's URL and pool size without connecting. */
public final class DataSources {
    private static final String HOST = "(?:[^\\s@/?:,#\\[\\]]+|\\[[0-9a-fA-F:.%]+])(?::[0-9]{1,5})?";

    /** A URL of servers with their ports and the database, and nothing else. */
    private static final Pattern PLACE = Pattern.compile(
            "jdbc:(?:[a-z0-9-]+:)?postgresql:(?://(?:" + HOST + "(?:," + HOST + ")*+)?/[^/?@]*|[^/?@:]*)");

    private DataSources() {}

    /** The URL without secrets, if the DataSource is of a kind that reveals it. */
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

    /** How many connections the engine's own loops and lanes may use at once, with the one on which it listens. */
    private static final int ENGINES_OWN = 6;
    /** The connections to spare of a pool that does not reveal its size; most have ten connections by default. */
    private static final int UNTOLD = 4;

    /** How many connections transactional activities may keep for long, so that the engine has enough; at least one. */
    public static int toSpare(DataSource dataSource) {
        try {
            return dataSource.isWrapperFor(HikariDataSource.class)
                    ? Math.max(1, dataSource.unwrap(HikariDataSource.class).getMaximumPoolSize() - ENGINES_OWN)
                    : UNTOLD;
        } catch (SQLException e) {
            return UNTOLD;
        }
    }

    /** Returns whether the pool can spare a connection: one of one or two would leave none to the loops and lanes. */
    public static boolean hasOneToSpare(DataSource dataSource) {
        return !(dataSource instanceof HikariDataSource pool) || pool.getMaximumPoolSize() > 2;
    }

    /**
     * The URL without its parameters, of which none helps to find the database; a part before them that may be a
     * password is not shown.
     */
    private static String shown(String url) {
        int parameters = url.indexOf('?');
        String place = parameters < 0 ? url : url.substring(0, parameters);
        return PLACE.matcher(place).matches() ? place : "a URL that is not shown";
    }
}
