package dev.durable.store.postgres;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/**
 * The tables as plain versioned SQL, for a DBA who wants to read or run it: {@code System.out.println(Schema.sql())}.
 * A store opened with {@link SchemaMode#VALIDATE} then checks it.
 */
public final class Schema {
    static final String LOCATION = "dev/durable/store/postgres/migration";
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
            "V18__plans_at_any_size.sql");

    private Schema() {}

    /** All migrations for the schema {@code durable}, in order, as one script; its version is {@link #version}. */
    public static String sql() {
        return sql(SchemaName.DEFAULT);
    }

    /** All migrations for a schema of this name. */
    public static String sql(String schemaName) {
        SchemaName schema = new SchemaName(schemaName);
        StringBuilder script = new StringBuilder("-- Durable, schema version " + version() + "\n")
                .append("create schema if not exists " + schema.quoted() + ";\n")
                .append("set search_path to " + schema.quoted() + ";\n");
        FILES.forEach(file -> script.append("\n-- ").append(file).append('\n').append(read(file)));
        return script.toString().replace("${schema}", schema.quoted()).replace("${name}", schema.value());
    }

    /** The version that this library's migrations end at. */
    public static int version() {
        String last = FILES.getLast();
        return Integer.parseInt(last.substring(1, last.indexOf("__")));
    }

    private static String read(String file) {
        String path = "/" + LOCATION + "/" + file;
        try (InputStream in = Objects.requireNonNull(Schema.class.getResourceAsStream(path), path)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("can't read " + path + " from the library's own jar", e);
        }
    }
}
