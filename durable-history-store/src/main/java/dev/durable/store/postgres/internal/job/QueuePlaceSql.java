package dev.durable.store.postgres.internal.job;

import dev.durable.store.Aging;

/**
 * The SQL fragments that all statements on jobs share: the codes of states, the state that a claimable job gets, and
 * the condition that an activity is not paused.
 */
public final class QueuePlaceSql {
    /** Where a job goes that could be claimed: paused it is held, with a limit key it waits until that lets it through. */
    private static final String CLAIMABLE =
            "case when j.paused then ${PAUSED} when j.limit_key is null then ${READY} else ${WAITING} end";

    /** Nobody runs it, and somebody may. */
    private static final String IDLE = "(${READY}, ${DELAYED}, ${PAUSED}, ${WAITING})";

    /** It waits for an operator to say what becomes of it. */
    private static final String BURIED = "(${DEAD}, ${INCIDENT})";

    private static final String AGE_STEP = "interval '" + Aging.STEP.toSeconds() + " s'";

    /** Neither the activity nor its type is paused. The few names that are paused are read once a statement, by index. */
    static final String NOT_PAUSED = "(" + notAmongPaused("j.activity") + " and "
            + notAmongPaused("coalesce(substring(j.activity from '(.*)[.]'), '')") + ")";

    private QueuePlaceSql() {}

    /**
     * The statement with these words in it: {@code ${DEAD}} and the like are the codes of {@link JobState}, {@code
     * ${claimable}} is a state, {@code ${idle}} and {@code ${buried}} are some, {@code ${ageStep}} is an interval. Literals,
     * not parameters: partial indexes are found by them.
     */
    public static String in(String sql) {
        return inStates(sql.replace("${claimable}", CLAIMABLE)
                .replace("${idle}", IDLE)
                .replace("${buried}", BURIED)
                .replace("${ageStep}", AGE_STEP));
    }

    private static String inStates(String sql) {
        String text = sql;
        for (JobState state : JobState.values()) {
            text = text.replace("${" + state + "}", Integer.toString(state.code()));
        }
        return text;
    }

    private static String notAmongPaused(String name) {
        return name + " <> all(array(select p.activity from durable.activity_pause p where p.activity > ''"
                + " and (p.resume_at is null or p.resume_at > durable.clock())))";
    }
}
