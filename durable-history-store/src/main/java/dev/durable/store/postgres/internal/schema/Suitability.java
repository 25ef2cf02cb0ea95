package dev.durable.store.postgres.internal.schema;

import dev.durable.DurableException;
import dev.durable.store.postgres.internal.sql.StoreErrors;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.PGConnection;

/**
 * Refuses a database, and connections to it, with which the engine would fail later: for single values, or from time to
 * time.
 */
final class Suitability {
    private static final String QUESTION = """
            select pg_catalog.current_setting('server_encoding') as encoding, pg_catalog.current_database() as database,
                   pg_catalog.current_setting('session_replication_role') as replication_role""";

    private final StoreErrors failures;

    Suitability(StoreErrors failures) {
        this.failures = failures;
    }

    void check(Connection connection, Statement statement) throws SQLException {
        if (connection.isWrapperFor(PGConnection.class)
                && connection.unwrap(PGConnection.class).getPrepareThreshold() < 0) {
            throw new DurableException("connections to the database at " + failures.database()
                    + " have prepareThreshold=-1, with which the driver sends several statements at once in a way that the"
                    + " server refuses. Leave it out of the JDBC URL (the driver's default is 5), or say 0 where a pooler"
                    + " knows no prepared statements.");
        }
        try (ResultSet row = statement.executeQuery(QUESTION)) {
            row.next();
            String encoding = row.getString("encoding");
            if (!encoding.equals("UTF8")) {
                throw new DurableException("database \"" + row.getString("database") + "\" at " + failures.database()
                        + " has the encoding " + encoding
                        + ", and Durable needs UTF8: arguments, results, messages of errors and ids may have any character,"
                        + " and one that the encoding lacks could not be written. CREATE DATABASE … ENCODING 'UTF8'"
                        + " TEMPLATE template0, bring there by pg_dump and psql what is to stay, and give Durable a"
                        + " DataSource of that one. (The encoding of a database can't be changed.)");
            }
            if (row.getString("replication_role").equals("replica")) {
                throw new DurableException("sessions in database \"" + row.getString("database") + "\" at "
                        + failures.database()
                        + " have session_replication_role = replica, so no trigger of Durable's tables fires: failed runs"
                        + " would be missing in listings, and histories and the audit could be changed. Usual cause: ALTER"
                        + " DATABASE or ALTER ROLE … SET from the time of a migration of data. RESET it there.");
            }
        }
    }
}
