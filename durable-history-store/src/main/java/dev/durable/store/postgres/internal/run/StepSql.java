package dev.durable.store.postgres.internal.run;

/**
 * The SQL of {@link LoneStep}, one statement for a single run that does what {@link TransitionSql#ADVANCE}, {@code
 * SETTLE}, {@code EVENTS} and {@code JOBS} do one after another for many.
 *
 * <p>The run is locked first, then its job: their counts are tested in this order, and an error of the first is raised
 * before the second is tested. A statement that had to wait for a lock gets the present row and tests its condition
 * again, so no LATERAL locks beforehand here. The inbox is read as of the beginning of the statement: a message that
 * comes later is found by the next claim, and its sender nudges.
 */
public final class StepSql {
    private StepSql() {}

    /** Does what {@link TransitionSql#ADVANCE} does. {@link LoneStep} has its parameters in the same order. */
    private static final String ADVANCE = """
            with waiting as (
                select ?::boolean and exists (select 1 from durable.inbox i
                       where i.run_id = ?::uuid and i.shard = ?::smallint and i.wakes::int = 1 offset ?::int) as more),
            advanced as (
                update durable.run_state s
                   set fence = ?::uuid, next_event_id = s.next_event_id + ?::int,
                       owned_until = case when ?::boolean and (?::boolean or not (select w.more from waiting w)) then null
                                          else s.owned_until end,
                       wake_at = case when ?::boolean and s.wake_at <= durable.clock() then ?::timestamptz
                                      else least(s.wake_at, ?::timestamptz) end,
                       not_before = null, stalls = 0, stalled_by = null, expires_at = null, closing = false
                 where s.run_id = ?::uuid and +s.shard = ?::smallint and s.fence = ?::uuid
                   and s.next_event_id = ?::bigint
                returning 1)""";

    private static final String SETTLE = """
            ,
            settled as (
                delete from durable.activity_job j
                 where j.run_id = ?::uuid and j.shard = ?::smallint and j.seq = ?::int and j.lease = ?::uuid
                returning 1)""";

    private static final String EVENTS = ",\nappended as (" + TransitionSql.EVENTS + ")";

    private static final String JOBS = ",\nborn as (" + TransitionSql.JOBS + ")";

    private static final String RESULT =
            "\nselect durable.must(exists (select from advanced), 'fence'), (select w.more from waiting w) as more";

    private static final String RESULT_AND_JOB = "\nselect durable.must(exists (select from advanced), 'fence'),"
            + " durable.must(exists (select from settled), 'lease'), (select w.more from waiting w) as more";

    static final String GO_ON = ADVANCE + RESULT;
    static final String DECIDE = ADVANCE + EVENTS + RESULT;
    static final String BEAR = ADVANCE + EVENTS + JOBS + RESULT;
    static final String SETTLE_AND_GO_ON = ADVANCE + SETTLE + RESULT_AND_JOB;
    static final String SETTLE_AND_DECIDE = ADVANCE + SETTLE + EVENTS + RESULT_AND_JOB;
    static final String SETTLE_AND_BEAR = ADVANCE + SETTLE + EVENTS + JOBS + RESULT_AND_JOB;

    /** The statement for such a step. A job is never inserted without an event. */
    static String of(boolean settles, boolean appends, boolean bears) {
        if (bears) {
            return settles ? SETTLE_AND_BEAR : BEAR;
        }
        if (appends) {
            return settles ? SETTLE_AND_DECIDE : DECIDE;
        }
        return settles ? SETTLE_AND_GO_ON : GO_ON;
    }
}
