package dev.durable.store.postgres.internal.schema;

import dev.durable.DurableException;
import dev.durable.store.postgres.SchemaMode;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.DataSources;
import dev.durable.store.postgres.internal.sql.PooledConnection;
import dev.durable.store.postgres.internal.sql.SchemaName;
import dev.durable.store.postgres.internal.sql.SearchPath;
import dev.durable.store.postgres.internal.sql.StoreErrors;
import java.lang.module.ModuleDescriptor.Version;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Migrates the schema to the version of this library, or checks that the library can work with its version.
 *
 * <p>The version in {@code schema_version} is read first: if it is high enough, nothing else is done, so a fleet that
 * restarts takes no locks and needs no rights. Several processes that start at once take turns ({@link Ddl}), and each
 * reads the version again when it has its turn: a process that dies in the middle leaves whole steps.
 */
public final class Migration {
    /** The oldest supported server; older ones lack features that the statements use. */
    private static final int OLDEST_POSTGRES = 14;
    /** This release of Durable, as in the build. Schemas name the oldest one that can work with them. */
    private static final Version RELEASE = Version.parse("0.1.0");

    private static final Logger log = LoggerFactory.getLogger(Migration.class);

    private final DataSource dataSource;
    private final SchemaName schema;
    private final StoreErrors failures;
    private final DataSource owner;
    private final boolean hasOwner;
    private final StoreErrors ownersFailures;
    private final Grants grants;
    private final String rolePrefix;
    private final boolean rolesChosen;
    private final Ddl ddl;
    private final Migrations migrations;

    /**
     *
     * @param owner connections of the schema's owner; null if those of the store are
     * @param rolePrefix the prefix of the roles' names; null is the schema's name
     * @param patience how long a step is tried again while other transactions have locked its table
     * @param migrations the files that bring the schema to its version
     */
    public Migration(
            DataSource dataSource,
            @Nullable DataSource owner,
            SchemaName schema,
            @Nullable String rolePrefix,
            StoreErrors failures,
            Duration patience,
            Migrations migrations) {
        this.hasOwner = owner != null;
        this.owner = owner == null ? dataSource : owner;
        this.ownersFailures = owner == null
                ? failures
                : new StoreErrors("(migrationDataSource) " + DataSources.describe(owner), failures.workerRole());
        this.rolesChosen = rolePrefix != null;
        this.rolePrefix = rolePrefix == null ? schema.value() : rolePrefix;
        this.grants = new Grants(schema, this.rolePrefix);
        this.ddl = new Ddl(this.owner, schema, ownersFailures, patience);
        this.dataSource = dataSource;
        this.migrations = migrations;
        this.schema = schema;
        this.failures = failures;
    }

    public void run(SchemaMode mode) {
        boolean asOwner = mode == SchemaMode.MIGRATE && hasOwner;
        Found found = asOwner ? look(owner, ownersFailures) : look(dataSource, failures);
        refuseOlder(found.product(), found.postgres());
        if (mode == SchemaMode.NONE) {
            return;
        }
        refuseNewer(found.schema());
        int version = found.schema().map(SchemaVersion::version).orElse(0);
        if (version < migrations.version()) {
            if (mode != SchemaMode.MIGRATE) {
                throw tooOld(found.schema());
            }
            if (version == 0 && !rolesChosen) {
                refuseRolesOfOthers();
            }
            migrate(version);
        }
        if (mode == SchemaMode.MIGRATE) {
            List<String> lacking = on(connection -> grants.lacking(connection, version < migrations.version()));
            if (!lacking.isEmpty()) {
                ddl.transaction(
                        "rights in schema " + schema.quoted() + " can't be given", turn -> grants.give(turn, lacking));
            }
        }
        if (asOwner) {
            seen();
        }
        if (asOwner || mode == SchemaMode.VALIDATE) {
            tellOwner(
                    asOwner
                            ? "migrationDataSource makes it"
                            : "SchemaMode.VALIDATE (Spring Boot: durable.migrate=validate) leaves it to others");
        }
    }

    /**
     * Tells that the login of this process has rights of the schema's owner, which it does not need as another user
     * migrates the schema. If this process migrates the schema itself, it needs them, and nothing is logged.
     */
    private void tellOwner(String who) {
        try (PooledConnection borrowed = PooledConnection.from(dataSource)) {
            SearchPath.around(borrowed.connection(), connection -> {
                try (Statement statement = connection.createStatement();
                        ResultSet owner =
                                statement.executeQuery("select r.rolname, r.rolsuper from pg_namespace n, pg_roles r"
                                        + " where n.nspname = '" + schema.value() + "' and r.rolname = current_user"
                                        + " and pg_has_role(n.nspowner, 'MEMBER')")) {
                    if (owner.next()) {
                        log.info(
                                "user {} of the database at {} {} schema {}, and need not: {}. So this process could change"
                                        + " or drop histories and the audit. It works all the same; better let it log in as a"
                                        + " user to whom \"{}\" is granted and nothing else (docs/roles.md).",
                                owner.getString(1),
                                failures.database(),
                                owner.getBoolean(2) ? "is a superuser, so it may do all in" : "owns",
                                schema.quoted(),
                                who,
                                grants.role("worker"));
                    }
                    return true;
                }
            });
        } catch (SQLException e) {
            throw failures.unavailable(e);
        }
    }

    /** Checks that this process finds the schema that the owner has migrated, and may read it. */
    private void seen() {
        Found found = look(dataSource, failures);
        refuseOlder(found.product(), found.postgres());
        if (found.schema().filter(v -> v.version() >= migrations.version()).isEmpty()) {
            throw new DurableException("schema " + schema.quoted() + " has version " + migrations.version()
                    + " in the database at " + ownersFailures.database() + ", and "
                    + found.schema().map(v -> "version " + v.version()).orElse("is not there")
                    + " in the database at " + failures.database()
                    + ". Usual cause: the two lead to different databases.");
        }
    }

    public Grants grants() {
        return grants;
    }

    private void refuseRolesOfOthers() {
        List<String> taken = on(grants::takenByOthers);
        // The names that another process has created with the schema since this one looked do not count.
        if (!taken.isEmpty() && look(owner, ownersFailures).schema().isEmpty()) {
            throw new DurableException("schema " + schema.quoted() + " in the database at " + failures.database()
                    + " is not made: its roles would be " + grants.role("worker") + ", " + grants.role("retention")
                    + " and " + grants.role("operator") + ", and " + String.join(", ", taken)
                    + (taken.size() == 1 ? " is" : " are")
                    + " there for something else (able to log in, or with rights or objects in this database), and would"
                    + " get the rights of a worker. Choose other names, PostgresHistoryStore.builder(…).rolePrefix(\"durable_"
                    + schema.value() + "\"); or say rolePrefix(\"" + rolePrefix + "\") if they are meant.");
        }
    }

    private <T> T on(Connections.Question<T> question) {
        try (PooledConnection borrowed = PooledConnection.from(owner)) {
            return SearchPath.around(borrowed.connection(), question);
        } catch (SQLException e) {
            throw ownersFailures.of(e);
        }
    }

    void refuseOlder(String product, int major) {
        if (major < OLDEST_POSTGRES) {
            throw new DurableException("the database at " + failures.database() + " is " + product
                    + ", but Durable needs PostgreSQL " + OLDEST_POSTGRES
                    + " or newer. Upgrade the server, or give Durable another DataSource.");
        }
    }

    private void refuseNewer(Optional<SchemaVersion> version) {
        version.filter(v -> RELEASE.compareTo(v.minLibrary()) < 0).ifPresent(v -> {
            throw new DurableException("schema " + schema.quoted() + " in the database at " + failures.database()
                    + " has version " + v.version() + ", which needs Durable " + v.minLibrary()
                    + " or newer; this is Durable " + RELEASE
                    + ", written for version " + migrations.version()
                    + ". Usual cause: a newer release has upgraded the schema. Upgrade the library here, or point it at"
                    + " another schema.");
        });
    }

    private DurableException tooOld(Optional<SchemaVersion> version) {
        String is =
                version.map(v -> "has version " + v.version()).orElse("does not exist or holds no tables of Durable");
        return new DurableException(
                "schema " + schema.quoted() + " in the database at " + failures.database() + " " + is
                        + ", but Durable " + RELEASE + " needs version " + migrations.version()
                        + ". Let a DBA run "
                        + version.map(v -> "Schema.sql(" + v.version() + ", " + migrations.version() + ")")
                                .orElse("Schema.sql()")
                        + ", or open the store with SchemaMode.MIGRATE (Spring Boot: durable.migrate=migrate).");
    }

    private void migrate(int found) {
        String what = "schema " + schema.quoted() + " can't be brought to version " + migrations.version();
        try {
            AtomicInteger from = new AtomicInteger(found);
            if (found == 0) {
                ddl.transaction(what, statement -> from.set(make(statement)));
            }
            migrations
                    .stepsAfter(from.get(), schema, rolePrefix)
                    .forEach(step -> ddl.transaction(
                            what + " (its version " + step.version() + ")", statement -> apply(step, statement)));
        } catch (DurableException e) {
            if (StoreErrors.isDenied(e.getCause())) {
                throw new DurableException(
                        e.getMessage() + "\nUsual cause: the database user may not create schemas or tables. Give the"
                                + " owner's DataSource to migrationDataSource(…) (Spring Boot: durable.migration-url and so"
                                + " on), grant this user CREATE on the database,"
                                + " or let a DBA run Schema.sql() and open the store with SchemaMode.VALIDATE (Spring Boot:"
                                + " durable.migrate=validate).",
                        e.getCause());
            }
            throw e;
        }
    }

    /** Creates a new schema at once, as no process can wait for it. Returns the version that is there then. */
    private int make(Statement statement) throws SQLException {
        Optional<SchemaVersion> meanwhile = version(statement);
        if (meanwhile.isEmpty()) {
            // CREATE SCHEMA IF NOT EXISTS needs the right even if the schema exists.
            boolean exists = !Ddl.strings(
                            statement, "select 1 from pg_namespace where nspname = '" + schema.value() + "'")
                    .isEmpty();
            String script = migrations.script(schema, rolePrefix);
            statement.execute(exists ? script.replaceFirst("(?m)^create schema if not exists .*;$", "") : script);
            log.info("made schema {}, version {}", schema.quoted(), migrations.version());
            tell(statement);
        }
        return meanwhile.map(SchemaVersion::version).orElse(migrations.version());
    }

    private void apply(MigrationStep step, Statement turn) throws SQLException {
        if (version(turn).map(SchemaVersion::version).orElse(0) >= step.version()) {
            return;
        }
        if (step.index() == null) {
            turn.execute(step.sql());
            log.info("brought schema {} to version {}", schema.quoted(), step.version());
            tell(turn);
        } else {
            dropUnfinished(step.index(), turn);
            ddl.alone(turn, step.sql());
        }
    }

    /** Logs the notices of the server, for instance about roles that this user may not create. */
    private static void tell(Statement statement) throws SQLException {
        for (SQLWarning notice = statement.getWarnings(); notice != null; notice = notice.getNextWarning()) {
            log.info("the server says: {}", notice.getMessage());
        }
    }

    /** Drops the index of an interrupted build, which is never used and which IF NOT EXISTS takes for finished. */
    private void dropUnfinished(String index, Statement statement) throws SQLException {
        List<String> unfinished = Ddl.strings(
                statement,
                "select 1 from pg_index where indexrelid = to_regclass('" + schema.quoted() + "." + index
                        + "') and not indisvalid");
        if (!unfinished.isEmpty()) {
            ddl.alone(statement, "drop index concurrently if exists " + schema.quoted() + "." + index);
        }
    }

    private Found look(DataSource from, StoreErrors failures) {
        try (PooledConnection borrowed = PooledConnection.from(from);
                Statement statement = borrowed.connection().createStatement()) {
            Connection connection = borrowed.connection();
            String product = connection.getMetaData().getDatabaseProductName() + " "
                    + connection.getMetaData().getDatabaseProductVersion();
            boolean postgres = product.startsWith("PostgreSQL");
            int major = postgres ? connection.getMetaData().getDatabaseMajorVersion() : 0;
            if (postgres) {
                new Suitability(failures).check(connection, statement);
            }
            return new Found(product, major, postgres ? version(statement) : Optional.empty());
        } catch (SQLException e) {
            throw StoreErrors.isDenied(e) ? noRight(e, failures) : failures.unavailable(e);
        }
    }

    private DurableException noRight(SQLException e, StoreErrors failures) {
        return new DurableException(
                "schema " + schema.quoted() + " in the database at " + failures.database() + " can't be read: "
                        + e.getMessage() + ". Usual cause: this database user lacks the role "
                        + grants.role("worker")
                        + ". Let the schema's owner grant it, and run Schema.grants() if the role was made after the schema.",
                e);
    }

    private Optional<SchemaVersion> version(Statement statement) throws SQLException {
        String table = schema.quoted() + ".schema_version";
        try (ResultSet row = statement.executeQuery("select pg_catalog.to_regclass('" + table + "') is not null")) {
            if (!row.next() || !row.getBoolean(1)) {
                return Optional.empty();
            }
        }
        try (ResultSet row = statement.executeQuery(
                "select version, min_library from " + table + " order by version desc limit 1")) {
            return row.next()
                    ? Optional.of(new SchemaVersion(row.getInt("version"), Version.parse(row.getString("min_library"))))
                    : Optional.empty();
        }
    }

    private record Found(String product, int postgres, Optional<SchemaVersion> schema) {}

    private record SchemaVersion(int version, Version minLibrary) {}
}
