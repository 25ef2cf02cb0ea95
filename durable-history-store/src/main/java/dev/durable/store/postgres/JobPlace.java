package dev.durable.store.postgres;

import dev.durable.store.Aging;

/** What the statements on jobs say of a job's place in its queue; each of it stands here only. */
final class JobPlace {
    /** Where a job goes that could be claimed: paused it is held, with a limit key it waits until that lets it through. */
    private static final String READY = "case when j.paused then 4 when j.limit_key is null then 0 else 7 end";

    private static final String AGE_STEP = "interval '" + Aging.STEP.toSeconds() + " s'";

    /** Neither the activity nor its type is paused. The few names that are paused are read once a statement, by index. */
    static final String NOT_PAUSED = "(" + notAmongPaused("j.activity") + " and "
            + notAmongPaused("coalesce(substring(j.activity from '(.*)[.]'), '')") + ")";

    private JobPlace() {}

    /** The statement with these words in it: {@code ${ready}} is a state, {@code ${ageStep}} an interval. */
    static String in(String sql) {
        return sql.replace("${ready}", READY).replace("${ageStep}", AGE_STEP);
    }

    private static String notAmongPaused(String name) {
        return name + " <> all(array(select p.activity from durable.activity_pause p where p.activity > ''"
                + " and (p.resume_at is null or p.resume_at > durable.clock())))";
    }
}
