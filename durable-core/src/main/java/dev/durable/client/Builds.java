package dev.durable.client;

import java.util.List;

/**
 * Shows which builds of the workflow code there are, which processes have them, and which open runs need them, and ramps
 * them up and down: {@code client.builds()}. Processes that name no build, and runs whose last turn such a process made, are
 * in none. Thread-safe.
 *
 * <p><b>Ramps.</b> By default all builds that serve a task queue share its runs as their processes claim them. A ramp gives
 * a build a share, in percent of the workflow ids: {@code ramp("2026-11-28.1", 5)} for the first trial, 100 to make it the
 * only one that gets new runs, 0 to roll it back. The same workflow id is always in the same share. A ramp concerns first
 * turns, and runs that are not pinned whenever a process claims them; a run that a process has in memory stays there until
 * then, and a pinned run stays with its build in any case. Ramps are laid one behind the other, the one that was set last
 * first: what they leave belongs to the builds without a ramp. A ramp whose build has no living process in a task queue counts
 * for nothing there, and where all builds of a queue have ramps, the one set first gets what is left. A run that has waited
 * for five seconds goes to any build that is not at 0, so that a build which is too slow, or which lacks a new type, holds up
 * no run.
 *
 * <p>Processes hear of a change at once and read it again at least every poll interval, or every five of them where they
 * hear each other. It stands in the store, survives restarts, and is written with a row in the table {@code audit}.
 */
public interface Builds {
    /** Names the operator, for the audit; the engine's identity by default. */
    Builds by(String actor);

    /** Gives the reason, for the audit. */
    Builds because(String reason);

    /**
     * Lists all builds that a living process has, that an open run has its last turn from or is pinned to, or that have a
     * ramp, by name. Reads the sessions of the processes, 100,000 open runs at most, and of the index of pinned runs 100,000
     * entries at most for each build and task queue: some hundred milliseconds where there are so many. For people, not for
     * loops.
     */
    List<BuildDescription> list();

    /** Describes one build, at the cost of {@link #list}; without processes and runs where nothing is known of it. */
    BuildDescription describe(String build);

    /**
     * From now on the build gets this share of new runs, and of all runs that are not pinned. It need not be deployed yet: a
     * ramp that is set before is there for its first process.
     *
     * @param percent from 0, which gives it no run but those that are pinned to it, to 100
     * @return whether that was otherwise before
     * @throws dev.durable.RefusedInputException when the share is not between 0 and 100, or the name is none of a build
     */
    boolean ramp(String build, int percent);

    /**
     * The build has no share of its own any more: it takes part in what ramps leave, as any build without one.
     *
     * @return whether it had a ramp
     */
    boolean endRamp(String build);
}
