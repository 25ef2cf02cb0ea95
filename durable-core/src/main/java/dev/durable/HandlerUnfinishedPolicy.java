package dev.durable;

/**
 * The fate of a handler that has begun and not returned when {@code run} ends. The closing event counts such handlers
 * in either case. The default lets {@code run} decide when the work is done, as the run of a handler that waits for
 * something that never comes would otherwise never end.
 */
public enum HandlerUnfinishedPolicy {
    /** The run ends, the handler is cancelled at its next wait, and the log warns of it. The default. */
    WARN_AND_ABANDON,
    /** The run ends and the handler is cancelled at its next wait: for handlers that may be cut off at any time. */
    ABANDON,
    /**
     * The run ends when the handler has returned: {@code run} waits for it behind its last line, whether it returned or
     * threw. Messages are handled meanwhile as ever. Where the run is cancelled, so is the handler, and the run waits until
     * it has cleaned up.
     */
    WAIT
}
