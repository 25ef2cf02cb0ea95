package dev.durable.store.postgres.internal.sql;

import dev.durable.ForeignInstallationException;
import dev.durable.store.Fitness;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/**
 * Refuses writes into a schema that holds the work of another installation. Each physical connection is asked once,
 * before its first write, so that a database that has replaced another is found before anything begins there. All
 * connections are asked anew after a check that found the schema to be another installation's, because behind a pooler
 * the connection stays while the database changes.
 *
 * <pre>
 *   silent (no installation is set yet)        ──► told ──► connection known ─► write
 *                                                    └────► connection new ─► durable.belongs(name) ─► OWN: known
 *                                                                                              └─────► else: refused
 * </pre>
 */
public final class Guard {
    private static final String BELONGS = """
            select b.verdict, b.name, b.made_in, b.since, pg_catalog.current_database() as here from durable.belongs(?) b""";

    private final SchemaName schema;
    private final String database;
    private final Map<PGConnection, Boolean> known = Collections.synchronizedMap(new WeakHashMap<>());
    private volatile @Nullable Told told;
    private volatile @Nullable ForeignInstallationException foreign;
    /**
     * The time at which the installation that was found to be this process's own was made. A process without a name
     * goes on if that very installation is given a name.
     */
    private volatile @Nullable String worked;

    private record Told(@Nullable String installation) {}

    /** @param database its name for error texts */
    public Guard(SchemaName schema, String database) {
        this.schema = schema;
        this.database = database;
    }

    /** Asks on this connection whether the schema is this process's own; the answer counts from then on. */
    public Fitness look(Connection connection, @Nullable String installation, List<String> problems)
            throws SQLException {
        told = new Told(installation);
        ForeignInstallationException found;
        try {
            found = ask(connection, installation);
        } catch (SQLException e) {
            if (problems.isEmpty() || !"42501".equals(e.getSQLState())) {
                throw e;
            }
            // The user may not even read the installation: the missing right is among the problems, and writes are
            // refused.
            known.clear();
            return new Fitness(null, problems);
        }
        foreign = found;
        if (found != null) {
            known.clear();
        }
        return new Fitness(found, problems);
    }

    /**
     * Checks a connection before it is used to write.
     *
     * @throws ForeignInstallationException if the schema that it reaches is another installation's
     */
    void check(Connection connection) throws SQLException {
        Told mine = told;
        if (mine == null) {
            return;
        }
        PGConnection physical = physical(connection);
        ForeignInstallationException refused = foreign;
        if (physical == null ? refused == null : known.containsKey(physical)) {
            return;
        }
        refused = physical == null ? refused : ask(connection, mine.installation());
        if (refused != null) {
            throw refused;
        }
        known.put(physical, true);
    }

    /** Asks in a transaction with bounded waits for locks; one that is open already waits as its owner has set. */
    private @Nullable ForeignInstallationException ask(Connection connection, @Nullable String installation)
            throws SQLException {
        AtomicReference<@Nullable ForeignInstallationException> refused = new AtomicReference<>();
        SqlScript question =
                new SqlScript().read(BELONGS, row -> refused.set(judged(row, installation)), Param.of(installation));
        if (isInTransaction(connection)) {
            Tx.ofCaller(connection, schema).run(question);
        } else {
            new Tx(connection, schema, TransactionSettings.LONG, (time, roundTrip) -> {}, null).only(question);
        }
        return refused.get();
    }

    private static boolean isInTransaction(Connection connection) throws SQLException {
        return connection.isWrapperFor(BaseConnection.class)
                ? connection.unwrap(BaseConnection.class).getTransactionState() != TransactionState.IDLE
                : !connection.getAutoCommit();
    }

    private @Nullable ForeignInstallationException judged(ResultSet row, @Nullable String installation)
            throws SQLException {
        String verdict = row.getString("verdict");
        String since = row.getString("since");
        if (verdict.equals("OWN") || (verdict.equals("NAMELESS") && since.equals(worked))) {
            worked = since;
            return null;
        }
        return new ForeignInstallationException(why(verdict, installation, row));
    }

    private String why(String verdict, @Nullable String installation, ResultSet row) throws SQLException {
        String name = row.getString("name");
        String here = "schema " + schema.quoted() + " in the database at " + database + " ";
        String its = name == null ? "an installation without a name" : "installation \"" + name + "\"";
        String mine = installation == null ? "no installation by name" : "installation \"" + installation + "\"";
        String none =
                " This process does none of the work there: no run, activity, timer or message is touched, and no call"
                        + " that writes is taken; reads go on. ";
        return switch (verdict) {
            case "FROZEN" ->
                here + "belongs to " + its + ", which was frozen when it was adopted (at " + row.getString("since")
                        + ")."
                        + none + "The way out: " + adopt(name == null ? "prod" : name, "CONTINUE")
                        + " lets its open work go on, OpenWork.CANCEL ends it.";
            case "NAMELESS" ->
                here + "belongs to " + its + ", and this process does not say to which it belongs." + none
                        + "The way out: builder.installation(\"" + name + "\"), in Spring Boot durable.installation="
                        + name + ", if that is its own; another schema or database if not.";
            case "NAME" ->
                here + "belongs to " + its + ", and this process to " + mine + "." + none
                        + "Usual cause: the database is a copy (a snapshot, a dump, a branch) of the one of " + its
                        + ", or the process was given the configuration of another environment. The way out of a copy: "
                        + adopt(String.valueOf(installation), "CANCEL") + " makes it " + mine
                        + " and ends what is open in it (OpenWork.FREEZE keeps that). A process that is wrong here needs"
                        + " another name or another database.";
            default ->
                here + "is a copy: it belongs to " + its + ", which was made in the database \""
                        + row.getString("made_in")
                        + "\" and not in this one, \"" + row.getString("here")
                        + "\" (another database of that server, or another server)." + none
                        + "Usual cause: CREATE DATABASE … TEMPLATE, or a dump that was restored. The way out: "
                        + adopt(installation == null ? "staging" : installation, "CANCEL")
                        + " makes it an installation of its own and ends what is open in it (OpenWork.FREEZE keeps that). If"
                        + " the database was moved and the old one is gone, "
                        + (name == null
                                ? "OpenWork.CONTINUE."
                                : "builder.installation(\"" + name + "\"): a name moves along.");
        };
    }

    private static String adopt(String name, String open) {
        return "Installation.of(store).by(\"you\").adopt(\"" + name + "\", OpenWork." + open
                + "), as owner of the schema,";
    }

    private static @Nullable PGConnection physical(Connection connection) {
        try {
            return connection.isWrapperFor(PGConnection.class) ? connection.unwrap(PGConnection.class) : null;
        } catch (SQLException e) {
            return null;
        }
    }
}
