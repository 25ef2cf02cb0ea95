package dev.durable.store.postgres.internal.job;

import dev.durable.store.Aging;
import dev.durable.store.QueueRules;

/**
 * The SQL fragments that all statements on jobs share: the codes of states, the state that a claimable job gets, and
 * the condition that an activity is not paused.
 */
public final class QueuePlaceSql {
    /** The state of a job that could be claimed: paused, or waiting for its limit key, or ready. */
    private static final String CLAIMABLE =
            "case when j.paused then ${PAUSED} when j.limit_key is null then ${READY} else ${WAITING} end";

    /** The states in which no worker runs a job and one may claim it later. */
    private static final String IDLE = "(${READY}, ${DELAYED}, ${PAUSED}, ${WAITING})";

    /** The states in which a job waits for the decision of an operator. */
    private static final String BURIED = "(${DEAD}, ${INCIDENT})";

    private static final String AGE_STEP = "interval '" + Aging.STEP.toSeconds() + " s'";

    /**
     * The condition that neither the activity nor its type is paused, nor everything halted ({@link QueueRules#ALL}), which
     * operations are not. The few paused names are read once per statement, by index.
     */
    static final String NOT_PAUSED = "((" + notAmongPaused("'" + QueueRules.ALL + "'") + " or j.activity = '"
            + QueueRules.OPERATION + "') and "
            + notAmongPaused("j.activity") + " and "
            + notAmongPaused("coalesce(substring(j.activity from '(.*)[.]'), '')") + ")";

    private QueuePlaceSql() {}

    /**
     * Replaces placeholders in a statement: {@code ${DEAD}} and the like by codes of {@link JobState}, {@code
     * ${claimable}} by an expression for one state, {@code ${idle}} and {@code ${buried}} by lists of states, {@code
     * ${ageStep}} by an interval. States are literals, not parameters, so that the planner finds partial indexes.
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
