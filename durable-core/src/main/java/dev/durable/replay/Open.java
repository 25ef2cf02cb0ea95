package dev.durable.replay;

/** Something a coroutine started that has not ended: an activity, a timer, another coroutine. */
interface Open {
    /** Cancels it at once. */
    void cancel(String why);

    /** Whether it was started in {@code detached}: then only its own promise cancels it, never what started it. */
    boolean shielded();
}
