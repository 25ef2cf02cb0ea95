package dev.durable.store;

import dev.durable.history.InboxMessage;
import dev.durable.history.StoredEvent;
import dev.durable.internal.text.Portion;
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

    /** Reads the store's clock, to the microsecond. One round trip; callers estimate in between. */
    Instant now();

    /** The store's clock, estimated between reads of it; usable after {@link #open()}. */
    StoreClock clock();

    /** The database schema of its tables, by which engines of one process are told apart; empty if it has none. */
    default String schema() {
        return "";
    }

    /** Makes the store ready (schema, version check), or throws with what to do if that is not possible. Idempotent. */
    void open();

    /**
     * Checks that this process may work on the installation of this store, and that its database user has the rights
     * for it. From then on methods that write throw {@link dev.durable.ForeignInstallationException} while it may not;
     * reads go on. A round trip or two.
     *
     * @param installation the name, in this process, of the installation that it belongs to; null without a name
     */
    default Fitness inspect(@Nullable String installation) {
        return Fitness.GOOD;
    }

    /** Makes the store an installation of its own. Returns how many runs were ended for it. */
    default long adopt(Adoption adoption) {
        throw new UnsupportedOperationException(
                getClass().getName() + " lives in one process, so it can't be copied: there is nothing to adopt.");
    }

    // ── writes ──────────────────────────────────────────────────────────────────────────────────────────────────────

    /**
     * The transaction that is open on the calling thread and in the store's own database, if the store was told how to
     * find it. Its holder may keep it open for as long as it likes: writes through it block no other transaction.
     */
    default Optional<Joined> joined() {
        return Optional.empty();
    }

    /**
     * Joins a transaction that the caller holds by hand.
     *
     * @param transaction the transaction as an object that this store knows: for PostgreSQL a {@code
     *     java.sql.Connection} with autocommit off
     * @throws IllegalArgumentException if it can't be joined
     */
    default Joined joined(Object transaction) {
        throw new IllegalArgumentException("joining(" + transaction.getClass().getName() + "): this store, "
                + getClass().getName() + ", has no transactions that a caller could hold. Use PostgresHistoryStore, or"
                + " call without joining(…).");
    }

    /** The writes of the slow lane, which wait for locks for seconds and not for a moment. One item at a time. */
    default Writes patient() {
        return this;
    }

    /** The transactions in which activities commit together with their writes; empty if this store can't do so. */
    default Optional<TransactionalActivities> transactional() {
        return Optional.empty();
    }

    /** Tells of each transition or start whose answer never came whether it happened. */
    List<ReadBack.Outcome> readBack(List<ReadBack> attempts);

    /**
     * Reads a callback, its run and its outcome in one snapshot; empty if there is no such run.
     *
     * @param readTo the last event that need not be read again; 0 for all from the one that opened the callback
     */
    Optional<CallbackState> callback(CallbackToken token, long readTo);

    /**
     * Closes runs from outside, without their code: many in one commit, unless a lock is in the way of some. A single one
     * waits for a lock for seconds, and throws then; of several, those that are locked are left out. A run that the store
     * refuses to close is left out as well, with the reason as its outcome.
     *
     * @param seizures of runs with different workflow ids
     */
    List<RunChange> seize(List<Seizure> seizures);

    /** Closes one run from outside. Returns the run that was closed; empty if there was none. */
    default Optional<RunKey> seize(Seizure seizure) {
        RunChange change = seize(List.of(seizure)).getFirst().orThrow();
        return change.isDone() ? Optional.ofNullable(change.run()) : Optional.empty();
    }

    /**
     * Throws if this process may not write, as {@link #inspect} has found. It is for calls that write only if they find
     * something, so that they are refused whatever they would find. Writes nothing.
     */
    default void refuseIfForeign() {}

    /**
     * Carries out orders of operators, holders of tokens and the sweep on jobs: at most one order a job in a batch. An
     * order changes the job, its notes and the audit in one commit.
     */
    List<JobOrder.Outcome> order(List<JobOrder> orders);

    /**
     * Starts a run with a copy of another run's first events, as {@link Writes#start} starts one: a fork that is sent
     * again is recognised by its run id. The run that is forked may be open or closed; it is neither locked nor changed.
     *
     * @param fork a start whose first turn has {@linkplain NewRun.Copied copied events}
     * @return empty if the store does not have all events that are to be copied; then nothing is written
     */
    Optional<StartOutcome> fork(NewRun fork);

    /** Puts a fork in the place of a run. One that is sent again is recognised by the run id of the fork. */
    RunReset.Outcome reset(RunReset reset);

    /**
     * Pauses and resumes runs, in commits as those of {@link #seize(List)}.
     *
     * @param pauses of runs with different workflow ids
     */
    List<RunChange> pause(List<RunPause> pauses);

    /** Pauses or resumes a run. Returns false if there is no open one. */
    default boolean pause(RunPause pause) {
        return pause(List.of(pause)).getFirst().orThrow().isFound();
    }

    /**
     * Ends the back-off of stalls, and pins runs to a build where one is named, in commits as those of {@link
     * #seize(List)}. A run is unchanged where it is pinned to that build already or, where none is named, no stall holds it
     * back.
     *
     * @param moves of runs with different workflow ids
     */
    List<RunChange> move(List<RunMove> moves);

    /**
     * Ends the back-off of a stall, and pins a run to a build where one is named. Returns false if there is no open run or,
     * where no build is named, none that a stall holds back.
     */
    default boolean move(RunMove move) {
        RunChange change = move(List.of(move)).getFirst().orThrow();
        return move.build() == null ? change.isDone() : change.isFound();
    }

    /**
     * Writes a row of the audit for what no other method writes one for; a row whose id is there already stays.
     *
     * @param target what was done something to, as the audit names it
     */
    void audit(JobOrder.Audit row, String target);

    // ── background: never waits for a lock ──────────────────────────────────────────────────────────────────────────

    /**
     * Claims due runs, which are those whose time has come and those with messages that wake them, and reads their
     * messages and short histories. A claimed run is left to its owner for the time that the owner asked for, unless
     * its session ends before. A store that breaks down may forget a claim, but then it must also forget all that was
     * written under its fence.
     */
    ClaimedRuns claimRuns(RunClaim claim);

    /** Claims ready jobs, and delayed ones whose time has come, but none of a queue that is paused or limited. */
    List<ClaimedJob> claimJobs(JobClaim claim);

    /**
     * Ends jobs that no worker runs (ready or delayed) and whose schedule-to-close has passed, or their
     * schedule-to-start before their first attempt: deletes the job and puts {@link TimedOutIdleJob} into the run's
     * inbox. Returns how many.
     */
    int timeOutWaiting(int limit);

    /** Jobs left to holders of tokens whose attempt has timed out, or whose holder was silent for too long. */
    List<OpenJob> overdueExternal(int limit);

    /** Open runs whose deadline has passed, or that were not begun by their expiry; the caller closes them. */
    List<RunKey> expiredRuns(int limit);

    /** The earliest times at which the three methods above have work to do. One round trip; nothing is locked. */
    EarliestTimeouts earliestTimeouts();

    /**
     * Delivers messages that wait in the outbox, the first of each sender first, each in the commit that removes it
     * there. A message whose target's inbox is full, or whose target is locked or about to close, is left for another
     * time, with the messages that follow it to the same target. A message that the store refuses for good is set
     * aside, so that it holds up no other.
     */
    default Relayed relay(int limit) {
        return Relayed.NOTHING;
    }

    /**
     * Ends dead letters that are older than {@code kept}, and the oldest beyond {@code maxDeadLetters}: deletes the job
     * and puts {@link PurgedDeadLetter} into the run's inbox. Incidents stay. Returns how many.
     */
    int purgeDeadLetters(Duration kept, int maxDeadLetters, int limit);

    /** Deletes answers to updates that are older than {@code kept}, at most {@code limit}. Returns how many. */
    int purgeReplies(Duration kept, int limit);

    /**
     * Groups that are due for an alert: new ones, and those with new members whose last alert is older than {@code
     * quiet}. Each is returned to one caller only.
     */
    List<FailedJobGroup> alertsDue(Duration quiet, int limit);

    /** The time at which the oldest committed message that waits in the outbox was written; empty if none waits. */
    default Optional<Instant> outboxSince() {
        return Optional.empty();
    }

    // ── sessions ────────────────────────────────────────────────────────────────────────────────────────────────────

    /**
     * Registers a worker process.
     *
     * @param lease how long its beat may stand still before others may declare it dead
     * @param served the task queues and activities that it serves; null if it does not say
     */
    void openSession(UUID session, String identity, Duration lease, @Nullable Served served);

    /** Registers a worker process that does not say what it serves. */
    default void openSession(UUID session, String identity, Duration lease) {
        openSession(session, identity, lease, null);
    }

    /** Increases its beat by one. Returns false if it was declared dead or is gone: it must stop and open another. */
    boolean beat(UUID session);

    /** All sessions that are not closed; a dead one until it has no claims left. */
    List<SessionInfo> sessions();

    /**
     * The open runs by build, for all builds that have some, by name. Those by their last turns are counted among so many
     * open runs at most, those that are pinned up to that number.
     */
    List<BuildRuns> buildRuns(int most);

    /** Declares the session dead if it still has this beat. Returns true only to the process that did it. */
    boolean markDead(UUID session, long beat);

    /**
     * Re-queues running jobs of dead or unknown sessions, each a crash; those over their budget become dead letters,
     * which are kept and shown but never claimed. Returns how many it touched.
     */
    int requeueOrphans(int limit);

    /**
     * Creates ahead of time the partitions and the like that histories of later runs need; returns how many it created.
     * Called about once an hour by each worker.
     */
    default int makePartitions() {
        return 0;
    }

    List<HeldJob> held(UUID session);

    /** Removes the session. Its claims are released at once without a crash. */
    void closeSession(UUID session);

    // ── reads ───────────────────────────────────────────────────────────────────────────────────────────────────────

    /** Waiting messages of these runs, each run's in order, at most {@code limit} a run; runs without are not there. */
    default Map<UUID, List<InboxMessage>> messages(Collection<RunKey> runs, int limit) {
        return messages(runs, limit, Portion.BYTES);
    }

    /**
     * Waiting messages of these runs, as {@link #messages(Collection, int)}, but with a {@linkplain Portion portion} of
     * another size.
     *
     * @param bytes of all runs together
     */
    Map<UUID, List<InboxMessage>> messages(Collection<RunKey> runs, int limit, long bytes);

    /**
     * The first events of each of these runs, at most {@code limit} a run, in order, and of all runs together a
     * {@linkplain Portion portion}; runs without events, or whose events did not fit into it, are not there.
     */
    Map<UUID, List<StoredEvent>> histories(Collection<UUID> runIds, int limit);

    /** The open run of each workflow id, else the one that closed last; ids that were never used are not there. */
    List<RunKey> latestRuns(Collection<String> workflowIds);

    /**
     * The closed ones of these runs, with their results, at most a {@linkplain Portion portion}: the one query
     * that all waiting clients of a process share.
     */
    List<ClosedRun> closed(Collection<UUID> runIds);

    /**
     * The states of these updates, in any order: the one query that all waiting callers of a process share. It reads the
     * store itself, never a replica.
     */
    List<Reply.State> replies(List<Reply.Question> questions);

    /**
     * Pages of streams, one a question in any order: the one query that all waiting readers of a process share. An offset
     * is seen only when all lower ones are, and a page that says that the chain has ended has seen all that was
     * appended before. It reads the store itself, never a replica.
     *
     * @param bytes the size of the values of a page, in bytes of UTF-8: the entry that reaches it is the page's last, so
     *     that each page has an entry where its stream has one
     */
    List<StreamPage> streams(List<StreamPage.Question> questions, long bytes);

    /** Returns how many entries attempts of this job under other leases have appended to a stream of its chain. */
    long appendedBefore(JobKey job, UUID lease, String stream);

    /** Returns those of these runs that are not there, neither open nor closed. */
    Set<UUID> unknown(Collection<UUID> runIds);

    /** The reads for people, who may be shown a state of a moment ago: a store may have a replica for them. */
    default Views views() {
        return this;
    }

    /**
     * The problem that keeps the store from being read or written, as it was met last, with the usual cause and the way
     * out; empty while it works.
     */
    default Optional<String> trouble() {
        return Optional.empty();
    }

    /**
     * For how long the store could not be read or written, though it was tried; zero while it can. Failures of a
     * replica do not count. Needs no round trip.
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
