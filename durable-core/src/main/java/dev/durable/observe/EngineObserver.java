package dev.durable.observe;

import dev.durable.client.DurableEngine;
import java.time.Duration;
import java.util.UUID;

/**
 * Hears what an engine does: {@code DurableEngine.builder(store).observe(observer)}. Each method does nothing unless it is
 * implemented.
 *
 * <p>They are called on the engine's threads, after the fact and outside of locks, by several threads at once. They must be
 * quick and wait for nothing: an observer that has more to do puts it into a queue. Exceptions of observers are
 * dropped, and logged once a minute. One observer belongs to one engine.
 */
public interface EngineObserver {

    /** Hears nothing. */
    EngineObserver NONE = new EngineObserver() {};

    /**
     * Returns whether it hears this engine: asked once, before {@link #engineStarted}. One that may be given to several
     * engines and belongs to another says false.
     */
    default boolean takes(DurableEngine engine) {
        return true;
    }

    /**
     * The engine runs; what it has to show may be read from now on, until {@link #engineClosed}. An observer that throws here
     * hears nothing of this engine.
     */
    default void engineStarted(DurableEngine engine) {}

    /** The engine is closed. */
    default void engineClosed() {}

    // ── workflows ───────────────────────────────────────────────────────────────────────────────────────────────────

    /** A start was answered by the store, or was written into a caller's transaction, which may still be rolled back. */
    default void workflowStarted(WorkflowStart start) {}

    /** A run was closed by this process, whether by its code or from outside; that is durable. */
    default void workflowClosed(WorkflowClose close) {}

    /** The store has answered a step of a run. */
    default void transitionWritten(TransitionWrite transition) {}

    /** The history of a run was replayed, as its instance was not in memory, or no longer of use. */
    default void runReplayed(RunReplay replay) {}

    /** A claimed run went on with the instance that was in memory. */
    default void runFoundInMemory(String workflowType) {}

    /** The instance of a run left the memory, as others needed the room. */
    default void runEvicted() {}

    /** A run can't go on with the code of this process; it is kept open and tried again. */
    default void runStalled(RunStall stall) {}

    /**
     * A timer was fed to its run.
     *
     * @param late how long after it was due
     */
    default void timerFired(String workflowType, Duration late) {}

    // ── activities ──────────────────────────────────────────────────────────────────────────────────────────────────

    /** The body of an activity begins here. */
    default void attemptBegun(ActivityAttemptBegin begin) {}

    /** An attempt of an activity ended here, or the process gave it up. What follows from that is being written. */
    default void attemptEnded(ActivityAttemptEnd end) {}

    /** So many heartbeats were written with one batch; throttling keeps most of a body's own calls back. */
    default void heartbeatsWritten(int count) {}

    /**
     * The store refused a write of this process about an attempt or a run, as its lease or fence was no longer held.
     */
    default void staleRefused(Stale what) {}

    /** The kinds of writes that are refused as stale. */
    enum Stale {
        /** The outcome of an attempt, or that it is to be retried or was given back. */
        ATTEMPT,
        /** A heartbeat. */
        HEARTBEAT,
        /** A step that had taken in an outcome whose lease was lost. */
        OUTCOME_IN_TRANSITION,
        /** A transition of a run that another process had written meanwhile. */
        TRANSITION
    }

    /**
     * Activities that waited for a worker were ended here for a timeout.
     *
     * @param count jobs that waited for longer than schedule-to-start, schedule-to-close or their expiry allow
     */
    default void waitingJobsTimedOut(int count) {}

    // ── the engine room ─────────────────────────────────────────────────────────────────────────────────────────────

    /** One transaction of a group-commit lane was answered, or failed. */
    default void batchWritten(BatchWrite batch) {}

    /** The store answered a claim. */
    default void claimAnswered(ClaimAnswer claim) {}

    /**
     * No jobs were asked for, though it was time, as nothing more could run here.
     *
     * @param pool the queue, or the pool of queues that share slots
     */
    default void claimSkipped(String pool, Skipped why) {}

    /** Why jobs were not asked for. */
    enum Skipped {
        /** Bodies run in all slots. */
        NO_SLOT,
        /** Too much waits in this process to be written. */
        BACKLOG
    }

    /** A nudge arrived, from this process or another. */
    default void nudgeHeard(Nudge nudge) {}

    /** The kinds of nudges. */
    enum Nudge {
        RUNS_DUE,
        JOBS_READY,
        RULES_CHANGED,
        RUN_CLOSED,
        UPDATE_ANSWERED,
        STREAM_WRITTEN,
        JOB_BURIED,
        OUTBOX_FILLED,
        HEARING_BEGINS
    }

    /** A chore of upkeep did what it is for. */
    default void choreDone(ChoreRun chore) {}

    /** This process's own session was declared dead by another: what ran under it is stale. */
    default void ownSessionLost(UUID session) {}

    /** This process declared the session of another one dead. */
    default void sessionDeclaredDead(UUID session) {}

    /** Jobs whose worker died were put back into their queues by this process, or were ended for it. */
    default void crashedJobsRequeued(int count) {}

    /**
     * Messages left the outbox.
     *
     * @param delivered to their targets
     * @param refused set aside, as the store refuses them
     */
    default void outboxRelayed(int delivered, int refused) {}

    /** Returns whether this observer wants {@link #queuesSampled}: only then anything is read for it. */
    default boolean wantsQueueSamples() {
        return false;
    }

    /** This process samples the queues for all processes, and has taken a sample. */
    default void queuesSampled(QueueSample sample) {}

    /** Another process samples the queues from now on; the last sample that this observer got is out of date. */
    default void queuesLeftToOthers() {}
}
