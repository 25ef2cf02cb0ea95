package dev.durable.store.postgres;

import dev.durable.store.postgres.internal.schema.Grants;
import dev.durable.store.postgres.internal.schema.MigrationStep;
import dev.durable.store.postgres.internal.sql.SchemaName;
import dev.durable.store.postgres.internal.sql.SearchPath;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/**
 * The tables as plain versioned SQL, for a DBA who wants to read or run it: {@code System.out.println(Schema.sql())}.
 * A store opened with {@link SchemaMode#VALIDATE} then checks it. No {@code search_path} matters: tables are qualified, and the
 * scripts set one of their own, so that no function in a schema that others may write is taken for PostgreSQL's; at their
 * end it is as it was.
 */
public final class Schema {
    static final String LOCATION = "dev/durable/store/postgres/migration";
    /** In order. A number that is missing was that of a change that was given up, or went into another before a release. */
    private static final List<String> FILES = List.of(
            "V1__runs_and_histories.sql",
            "V2__messages.sql",
            "V3__activity_jobs.sql",
            "V4__operations.sql",
            "V5__views.sql",
            "V6__roles.sql",
            "V7__waiting_deadlines.sql",
            "V9__alerts.sql",
            "V10__queue_rules.sql",
            "V11__deferred_starts.sql",
            "V12__what_has_begun.sql",
            "V13__kept_places.sql",
            "V14__why_an_activity_ended.sql",
            "V15__batches.sql",
            "V16__delayed_jobs.sql",
            "V17__installation_and_audit.sql",
            "V18__plans_at_any_size.sql",
            "V20__strangers.sql",
            "V23__rows_that_nobody_wrote.sql",
            "V24__open_runs_stay.sql",
            "V25__deep_values.sql",
            "V26__partitions_of_others.sql",
            "V28__who_started_it.sql",
            "V29__paused_runs.sql");

    private Schema() {}

    /** All migrations for the schema {@code durable}, in order, as one script; its version is {@link #version}. */
    public static String sql() {
        return sql(SchemaName.DEFAULT);
    }

    /**
     * All migrations for a new schema of this name. There is nobody yet who could wait, so it is without transactions of its
     * own: run it in one, or in none.
     */
    public static String sql(String schemaName) {
        return sql(schemaName, schemaName);
    }

    /**
     * The same with roles of other names: roles are the server's, the schema is its database's.
     *
     * @param rolePrefix as {@link PostgresHistoryStoreBuilder#rolePrefix}
     */
    public static String sql(String schemaName, String rolePrefix) {
        SchemaName schema = new SchemaName(schemaName);
        return SearchPath.around(make(schema, new SchemaName(rolePrefix).value()), schema);
    }

    /** The same for a session whose search_path is set. */
    public static String make(SchemaName schema, String rolePrefix) {
        return whole(schema, rolePrefix, version());
    }

    /**
     * Who may do what, complete, for the roles {@code durable_worker} and {@code durable_retention}: for a DBA who makes them
     * where the owner of the schema may not. To be run by the owner, as often as one likes.
     */
    public static String grants() {
        return grants(SchemaName.DEFAULT, SchemaName.DEFAULT);
    }

    /** The same for a schema of this name and roles whose names begin so. */
    public static String grants(String schemaName, String rolePrefix) {
        return new Grants(new SchemaName(schemaName), new SchemaName(rolePrefix).value()).sql();
    }

    /** As {@link #sql(String, int, int)}, for the schema {@code durable}. */
    public static String sql(int from, int to) {
        return sql(SchemaName.DEFAULT, from, to);
    }

    /**
     * The migrations that bring a schema from one version to another, for psql with {@code ON_ERROR_STOP}. Each version is a
     * transaction that refuses to run on another version than the one before it, and waits for a table for 200 ms at most, so
     * that nobody waits long behind it: where it ends with SQLSTATE 55P03, nothing of that version was done; run the script
     * from the version in {@code schema_version} on again. Indexes are built concurrently, outside of transactions: that
     * takes as long as the table is large and waits for open transactions without end, but nobody waits behind it.
     *
     * @param from the version that {@code schema_version} has; 0 is none, which gives the script for a new schema
     * @param to up to {@link #version}
     * @throws IllegalArgumentException if there is no such version
     */
    public static String sql(String schemaName, int from, int to) {
        SchemaName schema = new SchemaName(schemaName);
        if (!isVersion(to) || from != 0 && !isVersion(from) || from > to) {
            throw new IllegalArgumentException("there is no script from schema version " + from + " to " + to
                    + ": versions are " + FILES.stream().map(Schema::version).toList() + ", and 0 is none.");
        }
        if (from == 0) {
            return SearchPath.around(whole(schema, schemaName, to), schema);
        }
        StringBuilder script = new StringBuilder("-- Durable, from schema version " + from + " to " + to + "\n");
        int before = from;
        for (String file : FILES) {
            if (version(file) > from && version(file) <= to) {
                script.append("\n-- ").append(file).append('\n');
                for (MigrationStep step : steps(file, schema, schemaName)) {
                    script.append(step.index() == null ? transaction(step, before, schema) : alone(step, schema));
                }
                before = version(file);
            }
        }
        return SearchPath.around(script.append(grantsAt(to, schema, schemaName)).toString(), schema);
    }

    /** The version that this library's migrations end at. */
    public static int version() {
        return version(FILES.getLast());
    }

    /** What is to be done after a version, in order. */
    public static List<MigrationStep> stepsAfter(int version, SchemaName schema, String rolePrefix) {
        return FILES.stream()
                .filter(file -> version(file) > version)
                .flatMap(file -> steps(file, schema, rolePrefix).stream())
                .toList();
    }

    private static String whole(SchemaName schema, String rolePrefix, int to) {
        StringBuilder script = new StringBuilder("-- Durable, schema version " + to + "\n")
                .append("create schema if not exists " + schema.quoted() + ";\n");
        FILES.stream()
                .filter(file -> version(file) <= to)
                .forEach(file -> script.append("\n-- ")
                        .append(file)
                        .append('\n')
                        .append(read(file, schema, rolePrefix)
                                .replace("create index concurrently if not exists", "create index")));
        return script.append(grantsAt(to, schema, rolePrefix)).toString();
    }

    /** The rights are those of the last version. */
    private static String grantsAt(int version, SchemaName schema, String rolePrefix) {
        return version == version() ? "\n-- grants.sql\n" + new Grants(schema, rolePrefix).sqlForThoseThatExist() : "";
    }

    private static String transaction(MigrationStep step, int before, SchemaName schema) {
        return """
                begin;
                set local lock_timeout = '200ms';
                do $version$
                begin
                    if (select max(version) from %s.schema_version) <> %d then
                        raise exception 'this brings schema version %d to %d, and the schema has another';
                    end if;
                end $version$;
                %scommit;
                """.formatted(schema.quoted(), before, before, step.version(), step.sql());
    }

    /** An index whose build was broken off is there, and useless: IF NOT EXISTS would take it. */
    private static String alone(MigrationStep step, SchemaName schema) {
        return """
                do $index$
                begin
                    if exists (select from pg_catalog.pg_index
                                where indexrelid = to_regclass('%1$s.%2$s') and not indisvalid) then
                        raise exception 'index %2$s was not finished'
                            using hint = 'drop index concurrently %1$s.%2$s, then run this again';
                    end if;
                end $index$;
                %3$s""".formatted(schema.quoted(), step.index(), step.sql());
    }

    private static boolean isVersion(int version) {
        return FILES.stream().anyMatch(file -> version(file) == version);
    }

    private static int version(String file) {
        return Integer.parseInt(file.substring(1, file.indexOf("__")));
    }

    private static List<MigrationStep> steps(String file, SchemaName schema, String rolePrefix) {
        return MigrationStep.of(version(file), read(file, schema, rolePrefix));
    }

    private static String read(String file, SchemaName schema, String rolePrefix) {
        return resource(LOCATION + "/" + file)
                .replace("${schema}", schema.quoted())
                .replace("${name}", rolePrefix);
    }

    /** A text of this library. */
    public static String resource(String name) {
        String path = "/" + name;
        try (InputStream in = Objects.requireNonNull(Schema.class.getResourceAsStream(path), path)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("can't read " + path + " from the library's own jar", e);
        }
    }
}
