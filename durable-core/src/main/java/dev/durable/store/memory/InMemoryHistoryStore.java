package dev.durable.store.memory;

import dev.durable.client.AuditEntry;
import dev.durable.client.QueueDescription;
import dev.durable.client.Queues.PausedActivity;
import dev.durable.client.WaitingReason;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.InboxMessage;
import dev.durable.history.StoredEvent;
import dev.durable.store.AuditFilter;
import dev.durable.store.BatchPlace;
import dev.durable.store.BatchStore;
import dev.durable.store.BuildRuns;
import dev.durable.store.CallbackState;
import dev.durable.store.CallbackToken;
import dev.durable.store.ClaimedJob;
import dev.durable.store.ClaimedRuns;
import dev.durable.store.ClosedRun;
import dev.durable.store.Delivery;
import dev.durable.store.EarliestTimeouts;
import dev.durable.store.EstimatedClock;
import dev.durable.store.FailedJobGroup;
import dev.durable.store.HeldJob;
import dev.durable.store.HistoryStore;
import dev.durable.store.InboxLimit;
import dev.durable.store.JobClaim;
import dev.durable.store.JobFilter;
import dev.durable.store.JobKey;
import dev.durable.store.JobOrder;
import dev.durable.store.JobUpdate;
import dev.durable.store.NewRun;
import dev.durable.store.Nudges;
import dev.durable.store.OpenJob;
import dev.durable.store.QueueChange;
import dev.durable.store.QueueRules;
import dev.durable.store.QueueStore;
import dev.durable.store.ReadBack;
import dev.durable.store.Relayed;
import dev.durable.store.Reply;
import dev.durable.store.RunChange;
import dev.durable.store.RunClaim;
import dev.durable.store.RunDetails;
import dev.durable.store.RunFilter;
import dev.durable.store.RunKey;
import dev.durable.store.RunMove;
import dev.durable.store.RunPause;
import dev.durable.store.RunRecord;
import dev.durable.store.RunReset;
import dev.durable.store.Seizure;
import dev.durable.store.Served;
import dev.durable.store.SessionInfo;
import dev.durable.store.StartOutcome;
import dev.durable.store.StoreClock;
import dev.durable.store.StreamPage;
import dev.durable.store.TransactionalActivities;
import dev.durable.store.Transition;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A history store in the memory of this process, with the refusals and outcomes of the PostgreSQL store. Thread-safe;
 * each method is atomic. Closing it drops nothing, so an engine can be stopped and started again on it.
 */
public final class InMemoryHistoryStore implements HistoryStore {
    private static final TransactionalActivities.Transaction NO_TRANSACTION =
            new TransactionalActivities.Transaction() {
                @Override
                public <T> @Nullable T as(Class<T> type) {
                    return null;
                }
            };

    private final ReentrantLock lock = new ReentrantLock();
    private final Tables tables;
    private final Starts starts;
    private final Deliveries deliveries;
    private final JobUpdates updates;
    private final Transitions transitions;
    private final Claims claims;
    private final Seizures seizures;
    private final Resets resets;
    private final Relays relays;
    private final Orphans orphans;
    private final Orders orders;
    private final QueueTable queues;
    private final Reads reads;
    private final FailedJobs buried;

    private InMemoryHistoryStore(StoreClock clock, InboxLimit inboxLimit) {
        tables = new Tables(clock);
        deliveries = new Deliveries(tables, inboxLimit);
        starts = new Starts(tables, deliveries);
        updates = new JobUpdates(tables);
        transitions = new Transitions(tables);
        claims = new Claims(tables);
        seizures = new Seizures(tables);
        resets = new Resets(tables, seizures);
        relays = new Relays(tables, deliveries, starts, seizures);
        orphans = new Orphans(tables);
        orders = new Orders(tables);
        queues = new QueueTable(tables);
        reads = new Reads(tables.runs(), tables.sessions());
        buried = new FailedJobs(tables, reads);
    }

    /** A store on the system's clock. */
    public InMemoryHistoryStore() {
        this(new EstimatedClock(Instant::now, System::nanoTime), InboxLimit.DEFAULT);
    }

    /** A store on this clock: a {@link VirtualClock} that the caller moves. */
    public static InMemoryHistoryStore on(StoreClock clock) {
        return on(clock, InboxLimit.DEFAULT);
    }

    /** A store on this clock that lets at most so much wait for one run. */
    public static InMemoryHistoryStore on(StoreClock clock, InboxLimit inboxLimit) {
        return new InMemoryHistoryStore(clock, inboxLimit);
    }

    /**
     * The next time, later than now, at which the store changes by time alone: a run or a job becomes due, the time of
     * its owner or its cache is over, a deadline passes. Empty if time changes nothing. A test engine whose loops are
     * idle skips to it.
     */
    public Optional<Instant> nextDue() {
        return atomically(() -> {
            Instant now = tables.now();
            return Stream.of(
                            tables.runs().timesAfter(now),
                            tables.jobs().timesAfter(now),
                            tables.settings().timesAfter(now),
                            tables.settings()
                                    .ratesAfter(now, queue -> tables.jobs().waitsIn(queue)))
                    .flatMap(times -> times)
                    .min(Instant::compareTo);
        });
    }

    @Override
    public Instant now() {
        return tables.now();
    }

    @Override
    public StoreClock clock() {
        return tables.clock();
    }

    /** Does nothing: the store is ready. */
    @Override
    public void open() {}

    @Override
    public List<StartOutcome> start(List<NewRun> items) {
        return each(items, starts::start);
    }

    @Override
    public List<Delivery.Outcome> deliver(List<Delivery> items) {
        return each(items, deliveries::deliver);
    }

    @Override
    public List<JobUpdate.Outcome> update(List<JobUpdate> items) {
        return each(items, updates::update);
    }

    @Override
    public List<JobOrder.Outcome> order(List<JobOrder> items) {
        Set<JobKey> keys = new HashSet<>();
        for (JobOrder item : items) {
            if (!keys.add(item.key())) {
                throw new IllegalArgumentException(
                        "two orders for " + item.key() + " in one batch: send the second when the first is answered");
            }
        }
        return each(items, orders::order);
    }

    @Override
    public List<Transition.Outcome> commit(List<Transition> items) {
        Set<RunKey> runs = new HashSet<>();
        for (Transition item : items) {
            if (!runs.add(item.run())) {
                throw new IllegalArgumentException("two transitions of " + item.run()
                        + " in one batch: the second can't know the fence that the first sets; send it when the first"
                        + " is answered");
            }
        }
        return each(items, transitions::commit);
    }

    /**
     * Runs the bodies as those of any activity: there is no database in which their writes could commit together with
     * the outcome. What a body does to other systems stays done if its attempt is lost.
     */
    @Override
    public Optional<TransactionalActivities> transactional() {
        return Optional.of(new TransactionalActivities() {
            @Override
            public int atOnce() {
                return Integer.MAX_VALUE;
            }

            @Override
            public Outcome run(Duration left, Body body) {
                Optional<JobUpdate.Settle> settlement = body.in(NO_TRANSACTION);
                if (settlement.isEmpty()) {
                    return Outcome.ROLLED_BACK;
                }
                return update(List.of(settlement.get())).getFirst() == JobUpdate.Outcome.STALE
                        ? Outcome.STALE
                        : Outcome.COMMITTED;
            }
        });
    }

    @Override
    public Optional<CallbackState> callback(CallbackToken token, long readTo) {
        return atomically(() -> reads.callback(token, readTo));
    }

    @Override
    public List<ReadBack.Outcome> readBack(List<ReadBack> items) {
        return each(items, transitions::readBack);
    }

    @Override
    public List<RunChange> seize(List<Seizure> all) {
        return each(all, seizures::seize);
    }

    @Override
    public Optional<StartOutcome> fork(NewRun fork) {
        return atomically(() -> starts.fork(fork));
    }

    @Override
    public RunReset.Outcome reset(RunReset reset) {
        return atomically(() -> resets.reset(reset));
    }

    @Override
    public List<RunChange> pause(List<RunPause> pauses) {
        return each(pauses, seizures::pause);
    }

    @Override
    public List<RunChange> move(List<RunMove> moves) {
        return each(moves, seizures::move);
    }

    @Override
    public void audit(JobOrder.Audit row, String target) {
        atomically(() -> {
            if (!tables.audit().contains(row.id())) {
                tables.audit()
                        .add(new AuditEntry(row.id(), tables.now(), row.actor(), row.action(), target, row.details()));
            }
        });
    }

    @Override
    public ClaimedRuns claimRuns(RunClaim claim) {
        return atomically(() -> claims.runs(claim));
    }

    @Override
    public List<ClaimedJob> claimJobs(JobClaim claim) {
        return atomically(() -> claims.jobs(claim));
    }

    @Override
    public QueueStore.LimitedClaim claimLimitedJobs(JobClaim claim) {
        return atomically(() -> claims.limited(claim));
    }

    @Override
    public QueueStore.Admission admit(String taskQueue) {
        return atomically(() -> queues.admit(taskQueue));
    }

    @Override
    public boolean change(QueueChange change) {
        return atomically(() -> queues.change(change));
    }

    @Override
    public QueueRules queueRules(Collection<String> taskQueues) {
        return atomically(() -> queues.rules(taskQueues));
    }

    @Override
    public List<QueueDescription> queues() {
        return atomically(queues::list);
    }

    @Override
    public List<PausedActivity> pausedActivities() {
        return atomically(() -> tables.settings().pausedActivities(tables.now()));
    }

    @Override
    public BatchStore.Tally batch(String batch) {
        return atomically(() -> reads.batch(batch));
    }

    @Override
    public List<BatchStore.Member> members(String batch, int after, int limit) {
        return atomically(() -> reads.members(batch, after, limit));
    }

    @Override
    public int depth(String taskQueue, int atMost) {
        return atomically(() -> queues.depth(taskQueue, atMost));
    }

    @Override
    public int timeOutWaiting(int limit) {
        return atomically(() -> {
            List<Job> overdue = tables.jobs().overdue(tables.now()).limit(limit).toList();
            overdue.forEach(tables::timeOut);
            return overdue.size();
        });
    }

    @Override
    public List<OpenJob> overdueExternal(int limit) {
        return atomically(() -> tables.jobs()
                .overdueExternal(tables.now())
                .limit(limit)
                .map(job -> reads.open(job, false))
                .toList());
    }

    @Override
    public Relayed relay(int limit) {
        return atomically(() -> tables.outbox().relay(limit, relays));
    }

    @Override
    public Optional<Instant> outboxSince() {
        return atomically(() -> tables.outbox().since());
    }

    @Override
    public int purgeDeadLetters(Duration kept, int maxDeadLetters, int limit) {
        return atomically(() -> buried.purge(kept, maxDeadLetters, limit));
    }

    @Override
    public int purgeReplies(Duration kept, int limit) {
        return atomically(() -> tables.replies().purge(kept, limit));
    }

    @Override
    public List<Reply.State> replies(List<Reply.Question> questions) {
        return atomically(() -> questions.stream().map(tables.replies()::state).toList());
    }

    @Override
    public List<StreamPage> streams(List<StreamPage.Question> questions, long bytes) {
        return atomically(() -> questions.stream()
                .map(question -> tables.streams().page(question, bytes))
                .toList());
    }

    @Override
    public long appendedBefore(JobKey job, UUID lease, String stream) {
        return atomically(() -> {
            RunRow run = tables.runs().find(job.run().runId());
            return run == null ? 0 : tables.streams().appendedBefore(run.chainId(), job, lease, stream);
        });
    }

    @Override
    public List<FailedJobGroup> alertsDue(Duration quiet, int limit) {
        return atomically(() -> buried.alertsDue(quiet, limit));
    }

    @Override
    public List<FailedJobGroup> buried(JobFilter filter, int limit) {
        return atomically(() -> buried.groups(filter, limit));
    }

    @Override
    public EarliestTimeouts earliestTimeouts() {
        return atomically(() -> new EarliestTimeouts(
                tables.jobs().firstDeadline(),
                tables.jobs().firstExternalDeadline(),
                tables.runs().firstExpiry()));
    }

    @Override
    public List<RunKey> expiredRuns(int limit) {
        return atomically(() -> tables.runs()
                .expired(tables.now())
                .limit(limit)
                .map(RunRow::key)
                .toList());
    }

    @Override
    public void openSession(UUID session, String identity, Duration lease, @Nullable Served served) {
        atomically(() -> tables.sessions().open(session, identity, lease, served, tables.now()));
    }

    @Override
    public boolean beat(UUID session) {
        return atomically(() -> tables.sessions().beat(session));
    }

    @Override
    public List<SessionInfo> sessions() {
        return atomically(() -> tables.sessions().list());
    }

    @Override
    public List<BuildRuns> buildRuns(int most) {
        return atomically(() -> reads.buildRuns(most));
    }

    @Override
    public boolean markDead(UUID session, long beat) {
        return atomically(() -> orphans.markDead(session, beat));
    }

    @Override
    public int requeueOrphans(int limit) {
        return atomically(() -> orphans.requeue(limit));
    }

    @Override
    public List<HeldJob> held(UUID session) {
        return atomically(() -> orphans.held(session));
    }

    @Override
    public void closeSession(UUID session) {
        atomically(() -> orphans.release(session));
    }

    @Override
    public Map<UUID, List<InboxMessage>> messages(Collection<RunKey> runs, int limit, long bytes) {
        return atomically(() -> reads.messages(runs, limit, bytes));
    }

    @Override
    public List<StoredEvent> history(UUID runId, long fromEventId, int limit) {
        return atomically(() -> reads.history(runId, fromEventId, limit));
    }

    @Override
    public Map<UUID, List<StoredEvent>> histories(Collection<UUID> runIds, int limit) {
        return atomically(() -> reads.histories(runIds, limit));
    }

    @Override
    public Optional<RunRecord> run(UUID runId) {
        return atomically(() -> reads.run(runId));
    }

    @Override
    public Optional<RunRecord> latestRun(String workflowId) {
        return atomically(() -> reads.latest(workflowId));
    }

    @Override
    public Set<BatchPlace> held(Map<BatchPlace, RunKey> runs) {
        return atomically(() -> reads.held(runs));
    }

    @Override
    public List<RunKey> latestRuns(Collection<String> workflowIds) {
        return atomically(() -> workflowIds.stream()
                .flatMap(id -> reads.latest(id).stream())
                .map(RunRecord::run)
                .toList());
    }

    @Override
    public List<ClosedRun> closed(Collection<UUID> runIds) {
        return atomically(() -> reads.closed(runIds));
    }

    @Override
    public Set<UUID> unknown(Collection<UUID> runIds) {
        return atomically(() -> reads.unknown(runIds));
    }

    @Override
    public List<AuditEntry> audit(AuditFilter filter, int limit) {
        return atomically(() -> tables.audit().page(filter, limit));
    }

    @Override
    public List<RunRecord> runs(RunFilter filter, int limit) {
        return atomically(() -> reads.page(filter, limit));
    }

    @Override
    public long count(RunFilter filter, long limit) {
        return atomically(() -> reads.count(filter, limit));
    }

    @Override
    public List<OpenJob> jobs(JobFilter filter, int limit) {
        return atomically(() -> reads.jobs(filter, limit));
    }

    @Override
    public long count(JobFilter filter, long limit) {
        return atomically(() -> reads.count(filter, limit));
    }

    @Override
    public Map<WorkflowStatus, Long> tally(RunFilter filter) {
        return atomically(() -> reads.tally(filter));
    }

    @Override
    public Optional<RunDetails> details(UUID runId) {
        return atomically(() -> reads.details(runId));
    }

    @Override
    public Map<UUID, String> stalledBy(Collection<UUID> runIds) {
        return atomically(() -> reads.stalledBy(runIds));
    }

    @Override
    public List<WaitingReason> waitingReasons(UUID runId) {
        return atomically(() -> WaitingReasons.of(tables, runId));
    }

    @Override
    public Nudges nudges() {
        return tables.hints();
    }

    @Override
    public void close() {}

    private <I, O> List<O> each(List<I> items, Function<I, O> write) {
        return atomically(() -> items.stream().map(write).toList());
    }

    private void atomically(Runnable work) {
        atomically(() -> {
            work.run();
            return true;
        });
    }

    private <T> T atomically(Supplier<T> work) {
        List<Nudges.Nudge> owed;
        T result;
        lock.lock();
        try {
            result = work.get();
            owed = tables.hints().takeOwed();
        } finally {
            lock.unlock();
        }
        tables.hints().send(owed);
        return result;
    }
}
