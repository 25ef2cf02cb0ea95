package dev.durable.store.postgres.internal.transaction;

import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.Tx;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Puts back the settings of a session that the body of a transactional activity has changed for longer than its transaction
 * ({@code SET}, {@code SET ROLE}), so that whoever has the connection next finds it as it was. They are read in the round trip
 * that begins the body's transaction, and compared and put back in the one that settles the activity; what rolls back takes its
 * settings back itself. Which of them was changed by {@code SET LOCAL} can't be seen then, and need not be: a setting that is
 * put back for the session is what it was after COMMIT in either case.
 *
 * <p>To be used in a caller's transaction only ({@link Tx#ofCaller}), where its search_path stands aside.
 */
final class SessionSettings {
    /** What changes rights, names, text, limits, durability or plans. All that there are (pg_settings) would take a millisecond. */
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

    /** What it is for the caller; empty where this server has no such setting. */
    private static String current(String name) {
        return "coalesce(current_setting(case " + name + " when 'search_path' then 'durable_caller.search_path' else "
                + name + " end, true), '')";
    }

    private static final String READ = "select array(select " + current("s.name") + " from unnest(" + ALL
            + ") with ordinality as s (name, n)" + " order by s.n)::text as settings";

    /** Only what a statement has set: what the server's configuration has changed meanwhile stays. */
    private static final String PUT_BACK =
            "select set_config(s.name, s.before, false) from unnest(" + ALL + ", ?::text[], ?::text[])"
                    + " with ordinality as s (name, before, given, n) where " + current("s.name") + " <> s.given"
                    + " and coalesce((select p.source from pg_settings p where p.name = s.name), 'session') = 'session'"
                    + " order by s.n";

    private @Nullable String before;
    private @Nullable String given;

    /** Reads what they are before the engine sets its own for the transaction. */
    SqlScript readBefore(SqlScript script) {
        return script.read(READ, row -> before = row.getString("settings"));
    }

    /** Reads what the body gets. */
    SqlScript readGiven(SqlScript script) {
        return script.read(READ, row -> given = row.getString("settings"));
    }

    /** Comes before all else that settles the activity, which may not have the rights of the body's role. */
    SqlScript putBack(SqlScript script) {
        return script.read(PUT_BACK, row -> {}, Param.of(before), Param.of(given));
    }
}
