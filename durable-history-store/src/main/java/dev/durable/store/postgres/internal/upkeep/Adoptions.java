package dev.durable.store.postgres.internal.upkeep;

import dev.durable.DurableException;
import dev.durable.client.Installation.OpenWork;
import dev.durable.internal.text.Thrown;
import dev.durable.store.Adoption;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.RunKey;
import dev.durable.store.postgres.internal.run.Seizures;
import dev.durable.store.postgres.internal.schema.Ddl;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.SafeText;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.StoreErrors;
import dev.durable.store.postgres.internal.sql.TransactionSettings;
import dev.durable.store.postgres.internal.sql.Tx;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Makes a schema an installation of its own, in one transaction that also ends the open runs if that is asked for. A
 * process that works there waits for the locks of the runs that are ended, and finds them gone.
 */
public final class Adoptions {
    private static final int PAGE = 500;
    private static final int ATTEMPTS = 6;

    /** The settings of the adoption, which is longer than any other transaction. */
    private static final String PATIENTLY =
            "select set_config('statement_timeout', '0', true), set_config('lock_timeout', '60000', true), "
                    + Ddl.transactionTimeout("0", true);

    private static final String LOCK = "select i.name, i.frozen from durable.installation i for update";
    /** Finds an earlier attempt of this adoption; read under the lock, so that no attempt is still under way. */
    private static final String DONE =
            "select (a.details ->> 'runs')::bigint as runs from durable.audit a where a.id = ?";

    private static final String LAST = """
            select to_char(a.at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"') as at, a.actor, a.details ->> 'open' as open,
                   a.details ->> 'runs' as runs
              from durable.audit a where a.action = 'adopt installation' and a.target = ? order by a.at desc limit 1""";

    private static final String OPEN = """
            select s.run_id, s.workflow_id from durable.run_state s where s.run_id > ? order by s.run_id limit ?""";

    /** Deletes rows that belong to no open run any more, and the sessions. */
    private static final List<String> LEFT = List.of(
            "delete from durable.outbox",
            "delete from durable.outbox_refused",
            "delete from durable.inbox",
            "delete from durable.reply",
            "delete from durable.activity_heartbeat",
            "delete from durable.activity_job",
            "delete from durable.kept_place",
            "delete from durable.session");

    private static final String TAKE = """
            update durable.installation
               set name = ?, frozen = ?, since = durable.clock(), channel = default,
                   (system_id, database_id, table_ids, server, database) =
                   (select h.system_id, h.database_id, h.table_ids, h.server, h.database from durable.this_database() h)""";

    private static final String AUDIT = """
            insert into durable.audit (id, at, actor, action, target, details)
            values (?, durable.clock(), ?, 'adopt installation', ?,
                    json_build_object('from', ?::text, 'open', ?::text, 'runs', ?::bigint))""";

    private final Connections connections;

    public Adoptions(Connections connections) {
        this.connections = connections;
    }

    /** Adopts the schema, and returns how many runs were ended. */
    public long adopt(Adoption adoption) {
        try {
            return adopted(adoption);
        } catch (DurableException e) {
            Throwable refused = e.getCause();
            if (refused == null || !StoreErrors.isDenied(refused)) {
                throw e;
            }
            throw new DurableException(
                    "schema " + connections.schema().quoted() + " in the database at "
                            + connections.failures().database() + " was not adopted, nothing was written: "
                            + Thrown.of(refused).words() + ". Only the owner of the schema may adopt it: give"
                            + " Installation.of(…) a store with the owner's DataSource.",
                    refused);
        }
    }

    /**
     * Adopts again if the answer to COMMIT was lost: the audit is read under the lock, and the adoption is repeated if
     * it is not there.
     */
    private long adopted(Adoption adoption) {
        UUID id = UUID.randomUUID();
        for (int attempt = 1; ; attempt++) {
            try {
                return adopted(adoption, id);
            } catch (CommitUnknownException e) {
                if (attempt == ATTEMPTS) {
                    throw e;
                }
                Connections.pause(attempt);
            }
        }
    }

    private long adopted(Adoption adoption, UUID id) {
        return connections.unguarded(TransactionSettings.LONG, tx -> {
            long ended = 0;
            Before found = lock(tx, adoption, id);
            if (found.done() != null) {
                return found.done();
            }
            refuseOwnWork(tx, adoption, found);
            if (adoption.open() == OpenWork.CANCEL) {
                ended = end(tx, adoption);
                SqlScript left = new SqlScript();
                LEFT.forEach(left::then);
                tx.run(left);
            }
            tx.last(new SqlScript()
                    .then(TAKE, Param.of(adoption.name()), Param.of(adoption.open() == OpenWork.FREEZE))
                    .then(
                            AUDIT,
                            Param.of(id),
                            Param.of(SafeText.storable(adoption.actor())),
                            Param.of(adoption.name()),
                            Param.of(found.name()),
                            Param.of(adoption.open().name()),
                            Param.of(ended)));
            return ended;
        });
    }

    /**
     * The installation before the adoption.
     *
     * @param name null without one
     * @param done how many runs this same adoption has ended; null if it has not happened
     */
    private record Before(
            @Nullable String name, boolean frozen, @Nullable Long done) {}

    private static Before lock(Tx tx, Adoption adoption, UUID id) throws SQLException {
        List<Before> found = new ArrayList<>();
        tx.run(new SqlScript()
                .then(PATIENTLY)
                .read(LOCK, row -> found.add(new Before(row.getString("name"), row.getBoolean("frozen"), null)))
                .read(DONE, row -> found.add(new Before(adoption.name(), false, row.getLong("runs"))), Param.of(id)));
        return found.getLast();
    }

    private static void refuseOwnWork(Tx tx, Adoption adoption, Before found) throws SQLException {
        if (!adoption.name().equals(found.name()) || found.frozen() || adoption.open() != OpenWork.CANCEL) {
            return;
        }
        StringBuilder done = new StringBuilder();
        tx.run(new SqlScript()
                .read(
                        LAST,
                        row -> done.append(", adopted at ")
                                .append(row.getString("at"))
                                .append(" by ")
                                .append(row.getString("actor"))
                                .append(" with ")
                                .append(row.getString("open"))
                                .append(", which ended ")
                                .append(row.getString("runs"))
                                .append(" runs (so if you ask again because no answer came, it has been done)"),
                        Param.of(adoption.name())));
        throw new IllegalStateException(
                "this is installation \"" + found.name() + "\" already" + done + ": what is open here is its own"
                        + " work, and was not cancelled. If it is a copy, give it a name of its own. If its work is to end"
                        + " nevertheless, adopt it with FREEZE first.");
    }

    private static long end(Tx tx, Adoption adoption) throws SQLException {
        UUID last = new UUID(0, 0);
        long ended = 0;
        while (true) {
            List<RunKey> page = new ArrayList<>();
            tx.run(new SqlScript()
                    .read(
                            OPEN,
                            row -> page.add(
                                    new RunKey(row.getObject("run_id", UUID.class), row.getString("workflow_id"))),
                            Param.of(last),
                            Param.of(PAGE)));
            if (page.isEmpty()) {
                return ended;
            }
            for (RunKey run : page) {
                ended += Seizures.end(tx, adoption.end().apply(run)) ? 1 : 0;
            }
            last = page.getLast().runId();
        }
    }
}
