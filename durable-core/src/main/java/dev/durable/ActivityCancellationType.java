package dev.durable;

/**
 * The meaning of a cancellation for an activity and for the workflow that called it. The cancellation comes from {@link
 * Promise#cancel}, from the cancellation of the coroutine or the run that called it, or from the end of the run.
 */
public enum ActivityCancellationType {
    /**
     * The activity is asked to cancel, and its call ends with a {@link CancelledException} at once. Its outcome is
     * recorded if its run is still open then, and the code does not get it.
     */
    TRY_CANCEL,

    /**
     * The activity is asked to cancel, and its call stays open until its outcome: a {@link CancelledException} if it ended
     * cancelled or ran out of its time, its result if it completed all the same, its failure if it failed. A run does not
     * close before that.
     */
    WAIT_CANCELLATION_COMPLETED,

    /**
     * The activity is not asked to stop, and its call ends with a {@link CancelledException} at once. The activity goes
     * on with all its retries; its outcome is recorded if its run is still open then. When the run closes, an activity
     * that is still open ends with it, as any does.
     */
    ABANDON
}
