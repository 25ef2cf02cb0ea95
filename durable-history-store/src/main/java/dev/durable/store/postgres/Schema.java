package dev.durable.store.postgres;

import dev.durable.store.postgres.internal.schema.Grants;
import dev.durable.store.postgres.internal.schema.Migrations;
import dev.durable.store.postgres.internal.sql.SchemaName;
import dev.durable.store.postgres.internal.sql.SearchPath;

/**
 * The tables as plain versioned SQL, for a DBA who wants to read or run it: {@code System.out.println(Schema.sql())}. A
 * store opened with {@link SchemaMode#VALIDATE} then checks it. The scripts do not depend on the {@code search_path}:
 * tables are qualified, and the scripts set a path of their own, so that no function in a schema that other users may
 * write is taken for PostgreSQL's; at their end the path is as it was.
 */
public final class Schema {
    private static final Migrations MIGRATIONS = Migrations.OF_LIBRARY;

    private Schema() {}

    /** All migrations for the schema {@code durable}, in order, as one script; its version is {@link #version}. */
    public static String sql() {
        return sql(SchemaName.DEFAULT);
    }

    /**
     * All migrations for a new schema of this name. As no process uses a new schema, none can be blocked, and the
     * script has no transactions of its own: run it in one, or in none.
     */
    public static String sql(String schemaName) {
        return sql(schemaName, schemaName);
    }

    /**
     * As {@link #sql(String)}, with roles of other names: roles belong to the server, the schema to its database.
     *
     * @param rolePrefix as {@link PostgresHistoryStoreBuilder#rolePrefix}
     */
    public static String sql(String schemaName, String rolePrefix) {
        SchemaName schema = new SchemaName(schemaName);
        return SearchPath.around(MIGRATIONS.script(schema, new SchemaName(rolePrefix).value()), schema);
    }

    /**
     * All rights of the roles {@code durable_worker}, {@code durable_retention} and {@code durable_operator}, for a DBA
     * who creates these roles because the owner of the schema may not. The script is run by the owner, as often as needed.
     */
    public static String grants() {
        return grants(SchemaName.DEFAULT, SchemaName.DEFAULT);
    }

    /** As {@link #grants()}, for a schema of this name and roles with this prefix. */
    public static String grants(String schemaName, String rolePrefix) {
        return new Grants(new SchemaName(schemaName), new SchemaName(rolePrefix).value()).sql();
    }

    /** As {@link #sql(String, int, int)}, for the schema {@code durable}. */
    public static String sql(int from, int to) {
        return sql(SchemaName.DEFAULT, from, to);
    }

    /**
     * The migrations that bring a schema from one version to another, for psql with {@code ON_ERROR_STOP}. Each version
     * is a transaction that refuses to run on another version than the one before it, and waits for a table for 200 ms
     * at most, so that no statement waits long behind it. If it ends with SQLSTATE 55P03, nothing of that version was
     * done: run the script from the version in {@code schema_version} on again. Indexes are built concurrently, outside
     * of transactions: that takes time in proportion to the table's size and waits for open transactions without a
     * limit, but no statement waits behind it.
     *
     * @param from the version that {@code schema_version} has; 0 is none, which gives the script for a new schema
     * @param to up to {@link #version}
     * @throws IllegalArgumentException if there is no such version
     */
    public static String sql(String schemaName, int from, int to) {
        return MIGRATIONS.script(new SchemaName(schemaName), schemaName, from, to);
    }

    /** The version that this library's migrations end at. */
    public static int version() {
        return MIGRATIONS.version();
    }
}
