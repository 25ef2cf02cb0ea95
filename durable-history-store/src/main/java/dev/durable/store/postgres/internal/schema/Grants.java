package dev.durable.store.postgres.internal.schema;

import dev.durable.store.postgres.internal.sql.SchemaName;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gives the roles their rights, from the statements of {@code grants.sql}, and finds which rights a user lacks. */
public final class Grants {
    private static final Logger log = LoggerFactory.getLogger(Grants.class);
    private static final String FILE = "dev/durable/store/postgres/grants.sql";
    private static final String WORKER = "worker";
    private static final List<String> KINDS = List.of(WORKER, "retention", "operator");
    private static final Pattern GRANT =
            Pattern.compile("grant ([a-z, ]+) on (?:(schema|function) )?(?:durable\\.)?(\\w+).* to durable_(\\w+);");
    private static final Pattern COMMA = Pattern.compile(", ");

    /**
     * The rights that a role, or for null the user of the connection, lacks of these. A right on an object that does
     * not exist is not needed.
     */
    private static final String MISSING = """
            select u.privilege || ' on ' || u.kind || u.object as missing
              from unnest(?::text[], ?::text[], ?::text[]) with ordinality as u(privilege, kind, object, place)
              join pg_catalog.pg_namespace n on n.nspname = ?
              left join pg_catalog.pg_class c on u.kind = '' and c.relname = u.object and c.relnamespace = n.oid
              left join pg_catalog.pg_proc p on u.kind = 'function ' and p.proname = u.object and p.pronamespace = n.oid
             cross join (select coalesce(?, current_user)::name as it) role
             where not coalesce(case u.kind when 'schema ' then has_schema_privilege(role.it, n.oid, u.privilege)
                                            when '' then has_table_privilege(role.it, c.oid, u.privilege)
                                            else has_function_privilege(role.it, p.oid, u.privilege) end, true)
             order by u.place""";

    /** Roles of these names with another purpose: they log in, or have rights or objects in this database. */
    private static final String OTHERS = """
            select r.rolname from pg_catalog.pg_roles r
             where r.rolname = any(?)
               and (r.rolcanlogin or exists (
                    select 1 from pg_catalog.pg_shdepend d
                      join pg_catalog.pg_database b on b.oid = d.dbid and b.datname = current_database()
                     where d.refclassid = 'pg_catalog.pg_authid'::regclass and d.refobjid = r.oid))
             order by 1""";

    private static final String EXIST = "select r.rolname from pg_catalog.pg_roles r where r.rolname = any(?)";

    private static final String OWNED = """
            select n.nspname from pg_catalog.pg_namespace n
             where n.nspname = any(?) and pg_has_role(n.nspowner, 'usage')""";

    private final SchemaName schema;
    private final String prefix;
    private final List<Right> rights;

    /**
     * A right of a role.
     *
     * @param role the end of its name
     * @param kind {@code "schema "}, {@code "function "}, or nothing for a table
     */
    private record Right(String role, String privilege, String kind, String object) {}

    /**
     *
     * @param prefix the prefix of the roles' names
     */
    public Grants(SchemaName schema, String prefix) {
        this.schema = schema;
        this.prefix = prefix;
        this.rights = Migrations.resource(FILE).lines().flatMap(Grants::rights).toList();
    }

    private static Stream<Right> rights(String line) {
        Matcher grant = GRANT.matcher(line);
        return grant.matches()
                ? COMMA.splitAsStream(grant.group(1))
                        .map(privilege -> new Right(
                                grant.group(4),
                                privilege,
                                grant.group(2) == null ? "" : grant.group(2) + " ",
                                grant.group(3)))
                : Stream.empty();
    }

    public String sql() {
        String text = Migrations.resource(FILE);
        for (String kind : KINDS) {
            text = text.replace("durable_" + kind, quoted(kind));
        }
        return text.replace("durable.", schema.quoted() + ".")
                .replace("schema durable ", "schema " + schema.quoted() + " ");
    }

    /** The statements for the roles that exist. */
    public String sqlForThoseThatExist() {
        return KINDS.stream()
                .map(kind -> sql().lines()
                        .filter(line -> !line.startsWith("--") && line.endsWith(quoted(kind) + ";"))
                        .collect(Collectors.joining(
                                "\n",
                                // In turns, as two transactions at once would change the same rows of the catalog.
                                "do $grants$ begin if to_regrole('" + quoted(kind) + "') is not null then\n"
                                        + "lock table " + schema.quoted() + ".schema_version in exclusive mode;\n",
                                "\nend if; end $grants$;\n")))
                .collect(Collectors.joining());
    }

    private String quoted(String kind) {
        return '"' + role(kind) + '"';
    }

    String role(String kind) {
        return prefix + "_" + kind;
    }

    public String workerRole() {
        return role(WORKER);
    }

    /**
     * The roles that exist and lack rights. None if this user does not own the schema: then a DBA has to grant the
     * rights.
     *
     * @param migrated whether there may be new tables
     */
    List<String> lacking(Connection connection, boolean migrated) throws SQLException {
        List<String> lacking = new ArrayList<>();
        for (String kind : KINDS) {
            if (!names(connection, EXIST, List.of(role(kind))).isEmpty()
                    && (migrated || !missing(connection, kind, role(kind)).isEmpty())) {
                lacking.add(role(kind));
            }
        }
        return lacking.isEmpty()
                        || names(connection, OWNED, List.of(schema.value())).isEmpty()
                ? List.of()
                : lacking;
    }

    /** Grants the existing roles the rights that they lack. */
    void give(Statement turn, List<String> lacking) throws SQLException {
        turn.execute(sqlForThoseThatExist());
        log.info("{} may do in schema {} what grants.sql says", lacking, schema.quoted());
    }

    /** The names of our roles that belong to roles with another purpose already. */
    List<String> takenByOthers(Connection connection) throws SQLException {
        return names(connection, OTHERS, KINDS.stream().map(this::role).toList());
    }

    /** The rights of a worker that the user of this connection lacks, such as {@code insert on audit}. */
    public List<String> missing(Connection connection) throws SQLException {
        return missing(connection, WORKER, null);
    }

    private List<String> missing(Connection connection, String kind, @Nullable String role) throws SQLException {
        List<Right> wanted = rights.stream().filter(r -> r.role().equals(kind)).toList();
        try (PreparedStatement question = connection.prepareStatement(MISSING)) {
            question.setArray(1, texts(connection, wanted, Right::privilege));
            question.setArray(2, texts(connection, wanted, Right::kind));
            question.setArray(3, texts(connection, wanted, Right::object));
            question.setString(4, schema.value());
            question.setString(5, role);
            return column(question);
        }
    }

    private static List<String> names(Connection connection, String sql, List<String> names) throws SQLException {
        try (PreparedStatement question = connection.prepareStatement(sql)) {
            question.setArray(1, texts(connection, names, name -> name));
            return column(question);
        }
    }

    private static <T> java.sql.Array texts(Connection connection, List<T> items, Function<T, String> text)
            throws SQLException {
        return connection.createArrayOf("text", items.stream().map(text).toArray());
    }

    private static List<String> column(PreparedStatement question) throws SQLException {
        List<String> values = new ArrayList<>();
        try (ResultSet rows = question.executeQuery()) {
            while (rows.next()) {
                values.add(rows.getString(1));
            }
        }
        return values;
    }
}
