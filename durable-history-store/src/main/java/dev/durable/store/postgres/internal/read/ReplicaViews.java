package dev.durable.store.postgres.internal.read;

import dev.durable.DurableException;
import dev.durable.client.WaitingReason;
import dev.durable.history.StoredEvent;
import dev.durable.internal.text.Thrown;
import dev.durable.store.Nudges;
import dev.durable.store.RunDetails;
import dev.durable.store.RunRecord;
import dev.durable.store.Views;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.SchemaName;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.TransactionSettings;
import dev.durable.store.postgres.internal.sql.Tx;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers listings, descriptions and histories from a replica. A run that is asked for by name and is not on the
 * replica yet is read from the primary, so that it can be shown as soon as it is started. Now and then the replica is
 * asked which database it is; nothing is shown from one that is no copy of the store's.
 */
public final class ReplicaViews extends DatabaseViews {
    private static final Logger log = LoggerFactory.getLogger(ReplicaViews.class);
    private static final String WHICH = """
            select h.system_id, h.database_id, h.table_ids, h.database, i.name
              from durable.this_database() h left join durable.installation i on true""";

    private final Connections replica;
    private final AtomicBoolean asking = new AtomicBoolean();
    /** Connections that are known to lead to a replica: behind one address there may be several servers. */
    private final Map<PGConnection, Boolean> known = Collections.synchronizedMap(new WeakHashMap<>());

    private volatile @Nullable String other;
    private volatile @Nullable Store store;
    private final Views primary;

    /** @param replica connections that only read */
    public ReplicaViews(Connections replica, Nudges nudges, Views primary) {
        super(replica, nudges);
        this.replica = replica;
        replica.onRead(this::refuseOther);
        this.primary = primary;
    }

    /** A database: its identity, and its name in messages. */
    private record Store(Which which, String database) {}

    /** The identity of a database, and the name of the installation in it. */
    private record Which(
            @Nullable String system,
            long database,
            String tables,
            String title,
            @Nullable String installation) {
        /** A streaming replica has all of the primary's; a logical one has its tables' rows. A server may not tell its own. */
        boolean isReplicaOf(Which store) {
            return (database == store.database
                            && tables.equals(store.tables)
                            && (system == null || store.system == null || system.equals(store.system)))
                    || (installation != null && installation.equals(store.installation));
        }
    }

    /**
     * Asks the replica which database it is, on a thread of its own, as a server that is down may take long to fail and
     * no caller is to wait for it.
     *
     * @param primary connections to the database that it should be a replica of
     */
    public void look(Connections primary) {
        if (asking.compareAndSet(false, true)) {
            Thread.ofVirtual().name("durable-replica").start(() -> {
                try {
                    String problem = compare(primary);
                    if (problem != null && !problem.equals(other)) {
                        log.error("{}", problem);
                    }
                    other = problem;
                } catch (RuntimeException e) {
                    log.debug(
                            "the identity of the replica is checked again later: {}",
                            Thrown.of(e).words());
                } finally {
                    asking.set(false);
                }
            });
        }
    }

    /** Returns the reason why nothing is shown from the replica; null if it is one. */
    private @Nullable String compare(Connections primary) {
        Which it;
        try {
            it = which(replica);
        } catch (DurableException e) {
            if (e.getCause() instanceof SQLException sql
                    && String.valueOf(sql.getSQLState()).startsWith("42")) {
                return "it is not known whether what readFrom(…) leads to is a replica, so nothing is shown of it: "
                        + e.getMessage();
            }
            throw e;
        }
        Store found = new Store(which(primary), primary.failures().database());
        store = found;
        return it.isReplicaOf(found.which) ? null : problem(it, found);
    }

    private static Which which(Connections connections) {
        return connections.ask(connection -> which(connection, connections.schema()));
    }

    private static Which which(Connection connection, SchemaName schema) throws SQLException {
        List<Which> found = new ArrayList<>();
        Tx.reading(connection, schema, TransactionSettings.READ)
                .only(new SqlScript()
                        .read(
                                WHICH,
                                row -> found.add(new Which(
                                        row.getString("system_id"),
                                        row.getLong("database_id"),
                                        row.getString("table_ids"),
                                        row.getString("database"),
                                        row.getString("name")))));
        return found.getFirst();
    }

    private String problem(Which it, Store store) {
        return "the database at " + replica.failures().database() + " (\"" + it.title() + "\", "
                + (it.installation() == null ? "no installation by name" : "installation \"" + it.installation() + "\"")
                + ") is no replica of the one at " + store.database
                + ": listings, descriptions and histories would show what is not here, and are refused. Usual cause: the URL"
                + " of another environment. Give readFrom(…) a replica of this database, or leave it out to read from the"
                + " primary.";
    }

    /**
     * Refuses a connection that leads to another database. New connections are asked as well, as they may lead to
     * another server than the one that was asked before.
     */
    private void refuseOther(Connection connection) throws SQLException {
        String problem = other;
        Store wanted = store;
        if (problem == null && wanted != null && connection.isWrapperFor(PGConnection.class)) {
            PGConnection physical = connection.unwrap(PGConnection.class);
            if (!known.containsKey(physical)) {
                Which it = which(connection, replica.schema());
                problem = it.isReplicaOf(wanted.which) ? null : problem(it, wanted);
                if (problem == null) {
                    known.put(physical, true);
                }
            }
        }
        if (problem != null) {
            throw new DurableException(problem);
        }
    }

    /** The problem that keeps the replica from being read; empty if there is none. */
    public Optional<String> trouble() {
        return Optional.ofNullable(other).or(replica::trouble);
    }

    @Override
    public List<StoredEvent> history(UUID runId, long fromEventId, int limit) {
        List<StoredEvent> page = super.history(runId, fromEventId, limit);
        return page.isEmpty() && fromEventId == 1 ? primary.history(runId, fromEventId, limit) : page;
    }

    @Override
    public Optional<RunRecord> run(UUID runId) {
        return super.run(runId).or(() -> primary.run(runId));
    }

    @Override
    public Optional<RunRecord> latestRun(String workflowId) {
        return super.latestRun(workflowId).or(() -> primary.latestRun(workflowId));
    }

    @Override
    public Optional<RunDetails> details(UUID runId) {
        return super.details(runId).or(() -> primary.details(runId));
    }

    @Override
    public List<WaitingReason> waitingReasons(UUID runId) {
        List<WaitingReason> reasons = super.waitingReasons(runId);
        return reasons.isEmpty() ? primary.waitingReasons(runId) : reasons;
    }
}
