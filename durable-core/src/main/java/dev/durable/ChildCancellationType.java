package dev.durable;

/**
 * The meaning of a cancellation for a child and for the code that started it. The cancellation comes from {@link
 * Promise#cancel} of its result, or from the cancellation of the coroutine or the run that started it; the end of the
 * run cancels no child, its {@link ParentClosePolicy} does.
 */
public enum ChildCancellationType {
    /** The child is asked to cancel, and its result is a {@link CancelledException} at once. */
    TRY_CANCEL,

    /**
     * The child is asked to cancel, and its result stays open until it has ended: a {@link CancelledException} if it ended
     * cancelled, its result if it completed all the same, its failure if it failed. A run does not close before that.
     */
    WAIT_CANCELLATION_COMPLETED,

    /** The child is not asked to cancel, and its result is a {@link CancelledException} at once. */
    ABANDON
}
