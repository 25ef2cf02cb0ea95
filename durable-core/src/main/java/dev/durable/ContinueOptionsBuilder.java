package dev.durable;

import java.time.Duration;

/**
 * Options of the next run of {@link Durable#continueAsNew(Class, java.util.function.Consumer, VoidCall)}: {@code o ->
 * o.startDelay(Duration.ofHours(1))}. What they leave out stays as this run has it.
 */
public interface ContinueOptionsBuilder {
    /** Sets the task queue of the next run. Messages that wait move there with it. */
    ContinueOptionsBuilder taskQueue(String queue);

    /**
     * Sets how long the next run may take. The execution timeout of the start goes on to count over all runs of the
     * chain, whatever is said here.
     */
    ContinueOptionsBuilder runTimeout(Duration timeout);

    /** Sets how long the first turn of the next run waits; a message that comes meanwhile ends the delay. */
    ContinueOptionsBuilder startDelay(Duration delay);

    /**
     * Pins the next run to the build that this call is made in, whatever its type says; without it any build begins the next
     * run, so that a pinned run upgrades by continuing. It says nothing where the process names no build.
     */
    ContinueOptionsBuilder keepBuild();
}
