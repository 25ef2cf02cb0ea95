package dev.durable.store.postgres.internal.transaction;

import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.Tx;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Restores the settings of a session that the body of a transactional activity has changed for longer than its
 * transaction ({@code SET}, {@code SET ROLE}), so that the next user of the connection finds it as it was. They are
 * read in the round trip that begins the body's transaction, and compared and restored in the one that writes the
 * outcome; a rollback restores them by itself. Whether one of them was changed by {@code SET LOCAL} can't be seen then,
 * and need not be: a setting that is restored for the session has its old value after COMMIT in either case.
 *
 * <p>To be used in a caller's transaction only ({@link Tx#ofCaller}), where the caller's search_path is kept aside.
 */
final class SessionSettings {
    /**
     * The settings that change rights, names, text, limits, durability or plans. To read all settings (pg_settings)
     * would take a millisecond.
     */
    private static final List<String> NAMES = List.of(
            "session_authorization",
            "role",
            "search_path",
            "row_security",
            "session_replication_role",
            "TimeZone",
            "DateStyle",
            "IntervalStyle",
            "client_encoding",
            "bytea_output",
            "extra_float_digits",
            "standard_conforming_strings",
            "default_transaction_isolation",
            "default_transaction_read_only",
            "default_transaction_deferrable",
            "statement_timeout",
            "lock_timeout",
            "idle_in_transaction_session_timeout",
            "idle_session_timeout",
            "transaction_timeout",
            "synchronous_commit",
            "application_name",
            "client_min_messages",
            "work_mem",
            "jit",
            "plan_cache_mode",
            "enable_seqscan",
            "enable_indexscan",
            "enable_bitmapscan",
            "enable_nestloop",
            "enable_hashjoin",
            "enable_mergejoin");

    private static final String ALL = "'{" + String.join(",", NAMES) + "}'::text[]";

    /** The caller's value of a setting; empty if this server has no such setting. */
    private static String current(String name) {
        return "coalesce(current_setting(case " + name + " when 'search_path' then 'durable_caller.search_path' else "
                + name + " end, true), '')";
    }

    private static final String READ = "select array(select " + current("s.name") + " from unnest(" + ALL
            + ") with ordinality as s (name, n)" + " order by s.n)::text as settings";

    /** Restores only settings that a statement has changed: changes by the server's configuration stay. */
    private static final String PUT_BACK =
            "select set_config(s.name, s.before, false) from unnest(" + ALL + ", ?::text[], ?::text[])"
                    + " with ordinality as s (name, before, given, n) where " + current("s.name") + " <> s.given"
                    + " and coalesce((select p.source from pg_settings p where p.name = s.name), 'session') = 'session'"
                    + " order by s.n";

    private @Nullable String before;
    private @Nullable String given;

    /** Reads the settings before the engine sets its own for the transaction. */
    SqlScript readBefore(SqlScript script) {
        return script.read(READ, row -> before = row.getString("settings"));
    }

    /** Reads the settings that the body gets. */
    SqlScript readGiven(SqlScript script) {
        return script.read(READ, row -> given = row.getString("settings"));
    }

    /**
     * Restores the settings, before all other statements that write the outcome, as the role of the body may not have
     * the rights for them.
     */
    SqlScript putBack(SqlScript script) {
        return script.read(PUT_BACK, row -> {}, Param.of(before), Param.of(given));
    }
}
