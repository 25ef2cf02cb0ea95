package dev.durable.store.postgres;

import dev.durable.DurableException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.jspecify.annotations.Nullable;

/**
 * Brings the tables to the version that this library was written for, or checks that they can be worked with.
 *
 * <p>What stands in {@code schema_version} is looked at first: where it is enough, nothing else is done, so a fleet that
 * restarts takes no locks and needs no rights. Several processes that start at once wait for each other (Flyway's lock).
 */
final class Migration {
    /** The oldest server; older ones lack what the statements use. */
    private static final int OLDEST_POSTGRES = 14;

    private final DataSource dataSource;
    private final SchemaName schema;
    private final Failures failures;
    private final Grants grants;
    private final String rolePrefix;
    private final boolean rolesChosen;

    /** @param rolePrefix with which the names of the roles begin; null is the schema's name */
    Migration(DataSource dataSource, SchemaName schema, @Nullable String rolePrefix, Failures failures) {
        this.rolesChosen = rolePrefix != null;
        this.rolePrefix = rolePrefix == null ? schema.value() : rolePrefix;
        this.grants = new Grants(schema, this.rolePrefix);
        this.dataSource = dataSource;
        this.schema = schema;
        this.failures = failures;
    }

    void run(SchemaMode mode) {
        Found found = look();
        if (found.postgres() < OLDEST_POSTGRES) {
            throw new DurableException("the database at " + failures.database() + " is " + found.product()
                    + ", but Durable needs PostgreSQL " + OLDEST_POSTGRES
                    + " or newer. Upgrade the server, or give Durable another DataSource.");
        }
        if (mode == SchemaMode.NONE) {
            return;
        }
        refuseNewer(found.schema());
        int version = found.schema().map(SchemaVersion::version).orElse(0);
        if (version < Schema.version()) {
            if (mode == SchemaMode.VALIDATE) {
                throw tooOld(found.schema());
            }
            if (version == 0 && !rolesChosen) {
                refuseRolesOfOthers();
            }
            migrate(version);
        }
        if (mode == SchemaMode.MIGRATE) {
            on(connection -> {
                grants.give(connection, version < Schema.version());
                return true;
            });
        }
    }

    Grants grants() {
        return grants;
    }

    private void refuseRolesOfOthers() {
        List<String> taken = on(grants::takenByOthers);
        if (!taken.isEmpty()) {
            throw new DurableException("schema " + schema.quoted() + " in the database at " + failures.database()
                    + " is not made: its roles would be " + grants.role("worker") + " and " + grants.role("retention")
                    + ", and " + String.join(", ", taken) + (taken.size() == 1 ? " is" : " are")
                    + " there for something else (able to log in, or with rights or objects in this database), and would"
                    + " get the rights of a worker. Choose other names, PostgresHistoryStore.builder(…).rolePrefix(\"durable_"
                    + schema.value() + "\"); or say rolePrefix(\"" + rolePrefix + "\") if they are meant.");
        }
    }

    private <T> T on(Connections.Question<T> question) {
        try (Borrowed borrowed = Borrowed.from(dataSource)) {
            return question.of(borrowed.connection());
        } catch (SQLException e) {
            throw failures.of(e);
        }
    }

    private void refuseNewer(Optional<SchemaVersion> version) {
        version.filter(v -> !LibraryVersion.CURRENT.isAtLeast(v.minLibrary())).ifPresent(v -> {
            throw new DurableException("schema " + schema.quoted() + " in the database at " + failures.database()
                    + " has version " + v.version() + ", which needs Durable " + v.minLibrary()
                    + " or newer; this is Durable " + LibraryVersion.CURRENT
                    + ", written for version " + Schema.version()
                    + ". Usual cause: a newer release has upgraded the schema. Upgrade the library here, or point it at"
                    + " another schema.");
        });
    }

    private DurableException tooOld(Optional<SchemaVersion> version) {
        String is =
                version.map(v -> "has version " + v.version()).orElse("does not exist or holds no tables of Durable");
        return new DurableException(
                "schema " + schema.quoted() + " in the database at " + failures.database() + " " + is
                        + ", but Durable " + LibraryVersion.CURRENT + " needs version " + Schema.version()
                        + ". Let a DBA run Schema.sql(), or open the store with SchemaMode.MIGRATE.");
    }

    private void migrate(int version) {
        try {
            Flyway.configure(Migration.class.getClassLoader())
                    .dataSource(dataSource)
                    .locations("classpath:" + Schema.LOCATION)
                    .defaultSchema(schema.value())
                    .table("migration")
                    .placeholders(Map.of("schema", schema.quoted(), "name", rolePrefix))
                    .ignoreMigrationPatterns("*:future")
                    .baselineOnMigrate(version > 0)
                    .baselineVersion(Integer.toString(version))
                    .load()
                    .migrate();
        } catch (FlywayException e) {
            if (e.getCause() instanceof SQLException sql && SqlState.of(sql).isOutage()) {
                throw failures.unavailable(sql);
            }
            throw new DurableException(
                    "schema " + schema.quoted() + " in the database at " + failures.database()
                            + " can't be brought to version " + Schema.version() + ": " + e.getMessage()
                            + "\nUsual cause: the database user may not create schemas or tables. Grant it CREATE on the database,"
                            + " or let a DBA run Schema.sql() and open the store with SchemaMode.VALIDATE.",
                    e);
        }
    }

    private Found look() {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            String product = connection.getMetaData().getDatabaseProductName() + " "
                    + connection.getMetaData().getDatabaseProductVersion();
            boolean postgres = product.startsWith("PostgreSQL");
            int major = postgres ? connection.getMetaData().getDatabaseMajorVersion() : 0;
            Found found = new Found(product, major, postgres ? version(statement) : Optional.empty());
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
            return found;
        } catch (SQLException e) {
            throw failures.unavailable(e);
        }
    }

    private Optional<SchemaVersion> version(Statement statement) throws SQLException {
        String table = schema.quoted() + ".schema_version";
        try (ResultSet row = statement.executeQuery("select to_regclass('" + table + "') is not null")) {
            if (!row.next() || !row.getBoolean(1)) {
                return Optional.empty();
            }
        }
        try (ResultSet row = statement.executeQuery(
                "select version, min_library from " + table + " order by version desc limit 1")) {
            return row.next()
                    ? Optional.of(
                            new SchemaVersion(row.getInt("version"), LibraryVersion.of(row.getString("min_library"))))
                    : Optional.empty();
        }
    }

    private record Found(String product, int postgres, Optional<SchemaVersion> schema) {}

    private record SchemaVersion(int version, LibraryVersion minLibrary) {}
}
