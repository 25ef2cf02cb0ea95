package dev.durable.store.postgres.internal.schema;

import dev.durable.store.postgres.internal.sql.SchemaName;
import dev.durable.store.postgres.internal.sql.SearchPath;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/**
 * Migration files in the order of their versions, and the scripts that they give. The number at the beginning of a
 * file's name, {@code V12__….sql}, is the version to which the file brings a schema; {@link MigrationStep} says how a
 * file is cut into transactions. In a file, <code>${schema}</code> stands for the quoted name of the schema, and
 * <code>${name}</code> for the prefix of the roles' names.
 *
 * @param files paths of resources; the first file creates the schema
 */
public record Migrations(List<String> files) {
    public static final Migrations OF_LIBRARY =
            new Migrations(List.of("dev/durable/store/postgres/migration/V1__baseline.sql"));

    /** The version that a schema has after the last file. */
    public int version() {
        return version(files.getLast());
    }

    /**
     * The script for a new schema. As no process uses the schema yet, none can be blocked, and the script has no
     * transactions of its own: it is run in one, or in none. The session's {@code search_path} has to be set.
     */
    public String script(SchemaName schema, String rolePrefix) {
        return whole(schema, rolePrefix, version());
    }

    /**
     * The script that brings a schema from one version to another; 0 is no schema yet. It sets the {@code search_path}
     * and restores it.
     *
     * @throws IllegalArgumentException if there is no such version
     */
    public String script(SchemaName schema, String rolePrefix, int from, int to) {
        if (!isVersion(to) || from != 0 && !isVersion(from) || from > to) {
            throw new IllegalArgumentException(
                    "there is no script from schema version " + from + " to " + to + ": versions are "
                            + files.stream().map(Migrations::version).toList() + ", and 0 is none.");
        }
        if (from == 0) {
            return SearchPath.around(whole(schema, rolePrefix, to), schema);
        }
        StringBuilder script = new StringBuilder("-- Durable, from schema version " + from + " to " + to + "\n");
        int before = from;
        for (String file : files) {
            if (version(file) > from && version(file) <= to) {
                script.append("\n-- ").append(name(file)).append('\n');
                for (MigrationStep step : steps(file, schema, rolePrefix)) {
                    script.append(step.index() == null ? transaction(step, before, schema) : alone(step, schema));
                }
                before = version(file);
            }
        }
        return SearchPath.around(script.append(grantsAt(to, schema, rolePrefix)).toString(), schema);
    }

    /** The steps that follow a version, in order. */
    public List<MigrationStep> stepsAfter(int version, SchemaName schema, String rolePrefix) {
        return files.stream()
                .filter(file -> version(file) > version)
                .flatMap(file -> steps(file, schema, rolePrefix).stream())
                .toList();
    }

    private String whole(SchemaName schema, String rolePrefix, int to) {
        StringBuilder script = new StringBuilder("-- Durable, schema version " + to + "\n")
                .append("create schema if not exists " + schema.quoted() + ";\n");
        files.stream()
                .filter(file -> version(file) <= to)
                .forEach(file -> script.append("\n-- ")
                        .append(name(file))
                        .append('\n')
                        .append(read(file, schema, rolePrefix)
                                .replace("create index concurrently if not exists", "create index")));
        return script.append(grantsAt(to, schema, rolePrefix)).toString();
    }

    /** The grants, if this is the last version, as they belong to that. */
    private String grantsAt(int version, SchemaName schema, String rolePrefix) {
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

    /**
     * A concurrent build. If an earlier build was interrupted, its index exists and is never used, and IF NOT EXISTS
     * would take it for a finished one.
     */
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

    private boolean isVersion(int version) {
        return files.stream().anyMatch(file -> version(file) == version);
    }

    private static int version(String file) {
        String name = name(file);
        return Integer.parseInt(name.substring(1, name.indexOf("__")));
    }

    private static String name(String file) {
        return file.substring(file.lastIndexOf('/') + 1);
    }

    private static List<MigrationStep> steps(String file, SchemaName schema, String rolePrefix) {
        return MigrationStep.of(version(file), read(file, schema, rolePrefix));
    }

    private static String read(String file, SchemaName schema, String rolePrefix) {
        return resource(file).replace("${schema}", schema.quoted()).replace("${name}", rolePrefix);
    }

    /** A text in a jar of the class path. */
    static String resource(String path) {
        try (InputStream in = Objects.requireNonNull(Migrations.class.getResourceAsStream("/" + path), path)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("can't read " + path + " from the library's own jar", e);
        }
    }
}
