package dev.durable.store;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The SPI of a store of histories: starts, messages, transitions, claims, jobs, sessions and listings. Each method is
 * one transaction; outcomes stand in the order of the items.
 */
public interface HistoryStore extends Writes, QueueStore, BatchStore, Views, StoreSource, AutoCloseable {

    @Override
    default HistoryStore historyStore() {
        return this;
    }

    /** The store's clock, to the microsecond. One round trip; callers estimate in between. */
    Instant now();

    /** The same clock, estimated in between; usable after {@link #open()}. */
    StoreClock clock();

    /** The database schema of its tables, by which engines of one process are told apart; empty where it has none. */
    default String schema() {
        return "";
    }

    /** Makes the store ready (schema, version check). Throws with what to do where it can't be. Idempotent. */
    void open();

    /**
     * Looks whether this process may work on what stands here, and has the rights for it. From then on what writes throws
     * {@link dev.durable.ForeignInstallationException} while it may not; reads go on. A round trip or two.
     *
     * @param installation what this process calls the installation that it belongs to; null without a name
     */
    default Fitness inspect(@Nullable String installation) {
        return Fitness.GOOD;
    }

    /** Makes the store an installation of its own. Gives how many runs were ended for it. */
    default long adopt(Adoption adoption) {
        throw new UnsupportedOperationException(
                getClass().getName() + " lives in one process, so that nobody can copy it: there is nothing to adopt.");
    }

    // ── writes ──────────────────────────────────────────────────────────────────────────────────────────────────────

    /**
     * The transaction that is open on the calling thread and in the store's own database, where the store was told how to
     * find it. Its holder may keep it open for as long as it likes: nothing written through it blocks anybody else.
     */
    default Optional<Joined> joined() {
        return Optional.empty();
    }

    /**
     * A transaction that the caller holds by hand.
     *
     * @param transaction what it is to this store: for PostgreSQL a {@code java.sql.Connection} with autocommit off
     * @throws IllegalArgumentException when it is nothing that can be joined
     */
    default Joined joined(Object transaction) {
        throw new IllegalArgumentException("joining(" + transaction.getClass().getName() + "): this store, "
                + getClass().getName() + ", has no transactions that a caller could hold. Use PostgresHistoryStore, or"
                + " call without joining(…).");
    }

    /**
     * The same writes for the slow lane, which waits for locks for seconds where the others wait for a moment. One item
     * at a time.
     */
    default Writes patient() {
        return this;
    }

    /** How activities commit together with what they write; empty where this store can't. */
    default Optional<TransactionalActivities> transactional() {
        return Optional.empty();
    }

    /** Tells whether a transition or a start whose answer never came happened. */
    List<ReadBack.Outcome> readBack(List<ReadBack> attempts);

    /** Ends a run without its code. Gives the run that was closed; empty when there was none to close. */
    Optional<RunKey> seize(Seizure seizure);

    /**
     * Refuses where this process may not write, as {@link #inspect} has it: for what writes only if it finds something, so
     * that it is refused whatever it would find. Writes nothing.
     */
    default void refuseIfForeign() {}

    /**
     * What operators, holders of tokens and the sweep want done with jobs: at most one order a job in a batch. What is
     * applied stands in the job, in its notes and in the audit by one commit.
     */
    List<JobOrder.Outcome> order(List<JobOrder> orders);

    /** Pauses or resumes a run. False when there is no open one. */
    boolean pause(RunPause pause);

    // ── background: never waits for a lock ──────────────────────────────────────────────────────────────────────────

    /**
     * Claims due runs: those whose time has come and those with messages that wake; with what they need to go on. A run
     * that was claimed is left to its owner for as long as that asked for, unless its session ends before. A store that
     * breaks down may forget a claim, but then also all that was written under its fence.
     */
    ClaimedRuns claimRuns(RunClaim claim);

    /** Claims ready jobs, and delayed ones whose time has come; none of a queue that is paused or limited. */
    List<ClaimedJob> claimJobs(JobClaim claim);

    /**
     * Ends jobs that nobody runs (ready or delayed) and whose schedule-to-close has passed, or their schedule-to-start
     * before their first attempt: the job goes, {@link TimedOutIdleJob} comes into the run's inbox. Tells how many.
     */
    int timeOutWaiting(int limit);

    /** Jobs left to holders of tokens whose attempt has run out of its time, or who were silent for too long. */
    List<OpenJob> overdueExternal(int limit);

    /** Open runs whose deadline has passed, or that were to be begun by a time that has passed; to be seized. */
    List<RunKey> expiredRuns(int limit);

    /** Whether one of the three above has anything to do, now or when. One round trip; nothing is locked. */
    EarliestTimeouts earliestTimeouts();

    /**
     * Delivers messages that wait in the outbox, the first of each sender first, each in the commit that removes it there.
     * What is full, locked or about to close is left for another time, with what follows it to the same target. A message
     * that the store refuses for good is set aside, so that it keeps no other.
     */
    default Relayed relay(int limit) {
        return Relayed.NOTHING;
    }

    /**
     * Ends dead letters that are older than {@code kept}, and the oldest beyond {@code maxDeadLetters}: the job goes, {@link
     * PurgedDeadLetter} comes into the run's inbox. Incidents stay. Tells how many.
     */
    int purgeDeadLetters(Duration kept, int maxDeadLetters, int limit);

    /**
     * Groups that are due for an alert: new ones, and those with new members whose last alert is older than {@code
     * quiet}.
     * Each is given to one caller only.
     */
    List<FailedJobGroup> alertsDue(Duration quiet, int limit);

    /** When the oldest message was written that waits in the outbox, by what is committed; empty without one. */
    default Optional<Instant> outboxSince() {
        return Optional.empty();
    }

    // ── sessions ────────────────────────────────────────────────────────────────────────────────────────────────────

    /**
     * Registers a worker process.
     *
     * @param lease how long its beat may stand still before others may declare it dead
     * @param served what it takes work from; null where it does not say
     */
    void openSession(UUID session, String identity, Duration lease, @Nullable Served served);

    /** The same of one that does not say what it serves. */
    default void openSession(UUID session, String identity, Duration lease) {
        openSession(session, identity, lease, null);
    }

    /** Counts its beat up by one. False when it was declared dead or is not there: it must stop and open another. */
    boolean beat(UUID session);

    /** All sessions that are not closed; a dead one until it has no claims left. */
    List<SessionInfo> sessions();

    /** Declares the session dead if it still has this beat. True only for the process that did it. */
    boolean markDead(UUID session, long beat);

    /**
     * Re-queues running jobs of dead or unknown sessions, each a crash; those over their budget become dead letters: kept,
     * shown, never claimed. Tells how many it touched.
     */
    int requeueOrphans(int limit);

    /**
     * Makes ahead of time what histories of later runs need, such as partitions; tells how much it made. Called about once
     * an hour by each worker.
     */
    default int makePartitions() {
        return 0;
    }

    /** The claims of a session as the store has them. */
    List<HeldJob> held(UUID session);

    /** Removes the session; its claims are released at once without a crash. */
    void closeSession(UUID session);

    // ── reads ───────────────────────────────────────────────────────────────────────────────────────────────────────

    /** Waiting messages of these runs, each run's in order, at most {@code limit} a run; runs without are not there. */
    default Map<UUID, List<InboxMessage>> messages(Collection<RunKey> runs, int limit) {
        return messages(runs, limit, Portion.BYTES);
    }

    /**
     * The same with a {@linkplain Portion portion} of another size.
     *
     * @param bytes of all runs together
     */
    Map<UUID, List<InboxMessage>> messages(Collection<RunKey> runs, int limit, long bytes);

    /**
     * The first events of each of these runs, at most {@code limit} a run, in order, and of all runs together a {@linkplain
     * Portion portion}; runs without, or for which there was no room in it, are not there.
     */
    Map<UUID, List<StoredEvent>> histories(Collection<UUID> runIds, int limit);

    /** The open run of each of these workflow ids, else the one that closed last; ids that nobody used are not there. */
    List<RunKey> latestRuns(Collection<String> workflowIds);

    /**
     * Which of these runs are closed, with results, at most a {@linkplain Portion portion}: the one query that all waiting
     * clients of a process share.
     */
    List<ClosedRun> closed(Collection<UUID> runIds);

    /** Which of these runs are not there, neither open nor closed. */
    Set<UUID> unknown(Collection<UUID> runIds);

    /** The same reads for people, who may be shown what was true a moment ago: a store may have a replica for them. */
    default Views views() {
        return this;
    }

    /**
     * What keeps the store from being read or written, as it was met last, with the usual cause and the way out; empty
     * while it works.
     */
    default Optional<String> trouble() {
        return Optional.empty();
    }

    /**
     * For how long the store could not be read or written, though it was tried; zero while it can. Of a replica nothing is
     * said. Asks no database.
     */
    default Duration troubledFor() {
        return Duration.ZERO;
    }

    // ── hints ───────────────────────────────────────────────────────────────────────────────────────────────────────

    /** Nudges between loops and processes. */
    Nudges nudges();

    @Override
    void close();
}
