package dev.durable.internal.engine;

import dev.durable.client.WorkerStatus;
import dev.durable.internal.attempt.LocalCalls;
import dev.durable.internal.run.EagerJobs;
import dev.durable.internal.upkeep.Upkeep;
import java.time.Duration;
import java.util.UUID;

/** The part of a worker that runs activities, as the engine starts, stops and asks it. */
interface ActivitySide extends EagerJobs {
    /** Opens the session and hands its steps to the drive; before the first claim. */
    void start();

    /** Local activities of the runs in this process. */
    LocalCalls locals();

    /** The current session of this process. */
    UUID session();

    /** What it does on its own, timed. */
    Upkeep upkeep();

    /** What it is doing now. */
    WorkerStatus status(int stalledRuns);

    /** Whether this process looks at the queues for all. */
    boolean samplesQueues();

    /** Jobs of this queue may be ready: look. */
    void wake(String taskQueue);

    /** Pauses or limits were changed: read them. */
    void wakeRules();

    /** A job has become a dead letter or an incident: see who is to be told. */
    void wakeAlerts();

    /** The outbox was filled: look. */
    void wakeRelay();

    /** A transaction that somebody holds by hand has filled the outbox; nobody will tell of its commit. */
    void relayLater();

    /** Stops claiming; what this process creates itself is begun all the same. */
    void claimNoMore();

    /** Stops claiming, gives back what was not begun, lets running attempts end, then cancels them. */
    void drain(Duration grace);

    /** Closes the session. */
    void close();
}
