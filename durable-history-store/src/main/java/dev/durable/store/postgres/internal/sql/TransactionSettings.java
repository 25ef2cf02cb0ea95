package dev.durable.store.postgres.internal.sql;

import java.time.Duration;

/**
 * The lock and planner settings of each kind of transaction. One query sets all of them for this transaction only
 * ({@code set_config(…, true)}): no setting stays with the session, so a pooler in transaction mode is fine.
 *
 * <p>The planner settings keep the plans of batch statements stable: with statistics of empty tables PostgreSQL chooses
 * sequential scans and hash joins, and a cached plan stays when the tables have grown.
 */
public enum TransactionSettings {
    /** For transactions of the normal lanes; an item that meets a longer lock is retried alone on the slow lane. */
    SHORT(Duration.ofMillis(100)),
    /** As {@link #SHORT}, with synchronous_commit off: a crash of the server may undo it, on which nothing depends. */
    CLAIM(Duration.ofMillis(100)),
    /** For the halves of a batch, to find the item that a lock holds up. */
    PROBE(Duration.ofMillis(15)),
    /** For one item alone, on the slow lane, and for the read of one run. */
    LONG(Duration.ofSeconds(5)),
    /** For listings and descriptions by jOOQ: the planner chooses freely; {@link SearchPath} has the tables' schema. */
    READ(Duration.ofSeconds(5)),
    /**
     * As {@link #READ}, for pages of listings: planned for the values of the filter, as the right plan for a common
     * type is the wrong one for a rare type; and never by a scan of a whole table, which fills a page early only by
     * luck.
     */
    LISTING(Duration.ofSeconds(5));

    /** The time limit of each statement of a transaction that is the engine's own. */
    static final Duration STATEMENT_TIMEOUT = Duration.ofSeconds(30);

    private static final String PATIENCE =
            "pg_catalog.set_config('statement_timeout', '" + STATEMENT_TIMEOUT.toMillis() + "', true), ";

    private static final String STABLE_PLANS =
            "pg_catalog.set_config('jit', 'off', true), pg_catalog.set_config('enable_seqscan', 'off', true), "
                    + "pg_catalog.set_config('enable_hashjoin', 'off', true), pg_catalog.set_config('enable_mergejoin', 'off', true), "
                    + "pg_catalog.set_config('enable_memoize', 'off', true), pg_catalog.set_config('enable_bitmapscan', 'off', true), "
                    + "pg_catalog.set_config('plan_cache_mode', 'force_generic_plan', true), ";

    private static final String LISTING_PLANS =
            "pg_catalog.set_config('jit', 'off', true), pg_catalog.set_config('enable_seqscan', 'off', true), "
                    + "pg_catalog.set_config('enable_hashjoin', 'off', true), pg_catalog.set_config('enable_mergejoin', 'off', true), "
                    + "pg_catalog.set_config('max_parallel_workers_per_gather', '0', true), "
                    + "pg_catalog.set_config('plan_cache_mode', 'force_custom_plan', true), ";

    private static final String NO_WAIT_FOR_THE_DISK = "pg_catalog.set_config('synchronous_commit', 'off', true), ";

    private final String setup;

    TransactionSettings(Duration lockTimeout) {
        setup = "select pg_catalog.set_config('lock_timeout', '" + lockTimeout.toMillis() + "', true), "
                + "pg_catalog.set_config('idle_in_transaction_session_timeout', '10000', true), ";
    }

    /** The query; its one row has the server's time as {@code now}. */
    public String setup(SchemaName schema) {
        String durability = this == CLAIM ? NO_WAIT_FOR_THE_DISK : "";
        String path = this == READ || this == LISTING ? SearchPath.with(schema) : SearchPath.OF_THE_SERVER;
        String planner =
                switch (this) {
                    case READ -> "";
                    case LISTING -> LISTING_PLANS;
                    case SHORT, CLAIM, PROBE, LONG -> STABLE_PLANS;
                };
        return setup + PATIENCE + durability + planner + SearchPath.set(path) + ", durable.clock() as now";
    }
}
