package dev.durable.internal.engine;

import dev.durable.client.WorkerStatus;
import dev.durable.internal.attempt.LocalCalls;
import dev.durable.internal.run.EagerJobs;
import dev.durable.internal.upkeep.Upkeep;
import java.time.Duration;
import java.util.UUID;

/** The part of a worker that runs activities, as the engine starts, stops and queries it. */
interface ActivitySide extends EagerJobs {
    /** Opens the session and hands its steps to the drive; before the first claim. */
    void start();

    /** Returns the local activities of the runs in this process. */
    LocalCalls locals();

    /** Returns the current session of this process. */
    UUID session();

    /** Returns the timed chores of this worker. */
    Upkeep upkeep();

    /** Returns the current status of this worker. */
    WorkerStatus status(int stalledRuns);

    /** Returns whether this process samples the queues for all processes. */
    boolean samplesQueues();

    /** Has jobs of this queue claimed, as some may be ready. */
    void wake(String taskQueue);

    /** Has pauses and limits read, as they were changed. */
    void wakeRules();

    /** Has the listener of alerts called, as a job has become a dead letter or an incident. */
    void wakeAlerts();

    /** Has the outbox delivered, as it was filled. */
    void wakeRelay();

    /**
     * Has the outbox polled more often for a while: a transaction that its application commits by itself has filled it,
     * and no nudge will announce the commit.
     */
    void relayLater();

    /** Stops claiming; jobs that this process creates itself are still begun. */
    void claimNoMore();

    /** Stops claiming, gives back jobs that were not begun, lets running attempts end, then cancels them. */
    void drain(Duration grace);

    void close();
}
