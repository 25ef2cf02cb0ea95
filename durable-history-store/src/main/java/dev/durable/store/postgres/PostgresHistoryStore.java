package dev.durable.store.postgres;

import dev.durable.client.QueueDescription;
import dev.durable.client.Queues.PausedActivity;
import dev.durable.history.InboxMessage;
import dev.durable.history.StoredEvent;
import dev.durable.store.Adoption;
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
import dev.durable.store.FailedJobGroup;
import dev.durable.store.Fitness;
import dev.durable.store.HeldJob;
import dev.durable.store.HistoryStore;
import dev.durable.store.JobClaim;
import dev.durable.store.JobKey;
import dev.durable.store.JobOrder;
import dev.durable.store.JobUpdate;
import dev.durable.store.Joined;
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
import dev.durable.store.RunKey;
import dev.durable.store.RunMove;
import dev.durable.store.RunPause;
import dev.durable.store.RunReset;
import dev.durable.store.Seizure;
import dev.durable.store.Served;
import dev.durable.store.SessionInfo;
import dev.durable.store.StartOutcome;
import dev.durable.store.StoreClock;
import dev.durable.store.StreamPage;
import dev.durable.store.TransactionalActivities;
import dev.durable.store.Transition;
import dev.durable.store.Views;
import dev.durable.store.Writes;
import dev.durable.store.postgres.internal.job.JobOrders;
import dev.durable.store.postgres.internal.message.MessageSql;
import dev.durable.store.postgres.internal.message.Replies;
import dev.durable.store.postgres.internal.nudge.SharedNudges;
import dev.durable.store.postgres.internal.queue.Admissions;
import dev.durable.store.postgres.internal.queue.JobClaims;
import dev.durable.store.postgres.internal.queue.QueueTable;
import dev.durable.store.postgres.internal.read.Batches;
import dev.durable.store.postgres.internal.read.BuildRows;
import dev.durable.store.postgres.internal.read.DatabaseViews;
import dev.durable.store.postgres.internal.read.ReplicaViews;
import dev.durable.store.postgres.internal.run.Callbacks;
import dev.durable.store.postgres.internal.run.Forks;
import dev.durable.store.postgres.internal.run.Holds;
import dev.durable.store.postgres.internal.run.LaneWriters;
import dev.durable.store.postgres.internal.run.ReadBacks;
import dev.durable.store.postgres.internal.run.Resets;
import dev.durable.store.postgres.internal.run.RunClaims;
import dev.durable.store.postgres.internal.run.Seizures;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.DataSources;
import dev.durable.store.postgres.internal.sql.Guard;
import dev.durable.store.postgres.internal.sql.LockPatience;
import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.SafeText;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.TransactionSettings;
import dev.durable.store.postgres.internal.stream.StreamReads;
import dev.durable.store.postgres.internal.transaction.JoinedTransactions;
import dev.durable.store.postgres.internal.transaction.Outbox;
import dev.durable.store.postgres.internal.transaction.OutboxRelay;
import dev.durable.store.postgres.internal.transaction.OwnTransactions;
import dev.durable.store.postgres.internal.transaction.SameDatabase;
import dev.durable.store.postgres.internal.transaction.TransactionalJobs;
import dev.durable.store.postgres.internal.upkeep.Adoptions;
import dev.durable.store.postgres.internal.upkeep.Partitions;
import dev.durable.store.postgres.internal.upkeep.Sessions;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The history store on PostgreSQL 14 or newer.
 *
 * <pre>{@code
 * HistoryStore store = PostgresHistoryStore.of(dataSource);
 * }</pre>
 *
 * <p>The DataSource is the application's own, pooled (ten connections are plenty: a few loops and lanes share them). It
 * may stand behind a pooler in transaction mode: the store uses no state of the session, except for LISTEN, which can
 * be {@linkplain PostgresHistoryStoreBuilder#notify switched off}, and for server-prepared statements, which such a
 * pooler has to support (PgBouncer 1.21 with {@code max_prepared_statements}) or which {@code prepareThreshold=0} in
 * the URL switches off.
 *
 * <p>Thread-safe. Closing the store does not close the DataSource.
 */
public final class PostgresHistoryStore extends DatabaseViews implements HistoryStore {
    private final StoreOpening opening;
    private final Connections connections;
    private final Partitions partitions;
    private final SharedNudges nudges;
    private final LaneWriters hot;
    private final LaneWriters slow;
    private final ReadBacks readBacks;
    private final Callbacks callbacks;
    private final Seizures seizures;
    private final Holds holds;
    private final Forks forks;
    private final Resets resets;
    private final Adoptions adoptions;
    private final RunClaims runClaims;
    private final JobClaims jobClaims;
    private final JobOrders jobOrders;
    private final QueueTable queues;
    private final Admissions admissions;
    private final Sessions sessions;
    private final BuildRows builds;
    private final @Nullable ReplicaViews replica;
    private final Batches batches;
    private final Replies replies;
    private final StreamReads streams;
    private final JoinedTransactions joined;
    private final OutboxRelay relay;
    private final TransactionalJobs transactional;
    private final @Nullable DataSource untold;

    PostgresHistoryStore(
            PostgresHistoryStoreBuilder options, Guard guard, Connections connections, SharedNudges nudges) {
        super(connections, nudges);
        this.connections = connections;
        this.nudges = nudges;
        SameDatabase database = new SameDatabase(connections);
        partitions = new Partitions(connections);
        connections.onMissingPartition(partitions::madeFor);
        replica = options.replicaOf(this, nudges);
        opening = new StoreOpening(
                options.schemaMode,
                options.migration(connections.failures()),
                guard,
                connections,
                database,
                partitions,
                runReads::now,
                options.nanoTime);
        hot = LaneWriters.with(LockPatience.SHORT, connections, nudges, options.inboxLimit);
        slow = LaneWriters.with(LockPatience.LONG, connections, nudges, options.inboxLimit);
        readBacks = new ReadBacks(connections);
        callbacks = new Callbacks(connections);
        seizures = new Seizures(connections, nudges);
        holds = new Holds(connections, nudges);
        forks = new Forks(connections, nudges);
        resets = new Resets(connections, nudges);
        adoptions = new Adoptions(connections);
        runClaims = new RunClaims(connections, options.nanoTime);
        jobClaims = new JobClaims(connections, options.nanoTime);
        jobOrders = new JobOrders(connections, nudges);
        queues = new QueueTable(connections, nudges);
        admissions = new Admissions(connections, nudges, options.nanoTime);
        sessions = new Sessions(connections, nudges, options.nanoTime);
        builds = new BuildRows(connections);
        batches = new Batches(connections);
        replies = new Replies(connections);
        streams = new StreamReads(connections);
        relay = new OutboxRelay(connections, nudges, options.inboxLimit);
        OwnTransactions own = new OwnTransactions(options.dataSource, connections.failures()::ofCaller);
        Outbox outbox = new Outbox(connections, nudges);
        joined = new JoinedTransactions(
                options.transactions == null ? List.of(own) : List.of(own, options.transactions),
                hot.starts(),
                outbox,
                callbacks,
                database);
        transactional = new TransactionalJobs(
                connections,
                options.activityTransactions == null ? own : options.activityTransactions,
                nudges,
                new TransactionalJobs.Messages(outbox, options.inboxLimit),
                DataSources.toSpare(options.dataSource));
        untold = options.transactions == null ? options.dataSource : null;
    }

    @Override
    public String schema() {
        return connections.schema().value();
    }

    public static PostgresHistoryStore of(DataSource dataSource) {
        return builder(dataSource).build();
    }

    /** Builds a store with other options, such as another schema, another way of migrating, or without NOTIFY. */
    public static PostgresHistoryStoreBuilder builder(DataSource dataSource) {
        return new PostgresHistoryStoreBuilder(dataSource);
    }

    @Override
    public void open() {
        opening.open();
    }

    @Override
    public Fitness inspect(@Nullable String installation) {
        if (replica != null) {
            replica.look(connections);
        }
        return opening.inspect(installation);
    }

    @Override
    public long adopt(Adoption adoption) {
        return adoptions.adopt(adoption);
    }

    @Override
    public Instant now() {
        return runReads.now();
    }

    @Override
    public StoreClock clock() {
        return opening.clock();
    }

    @Override
    public List<StartOutcome> start(List<NewRun> items) {
        return hot.start(items);
    }

    @Override
    public Optional<Joined> joined() {
        return joined.current();
    }

    @Override
    public Joined joined(Object transaction) {
        return joined.held(transaction);
    }

    @Override
    public Relayed relay(int limit) {
        return relay.relay(limit);
    }

    @Override
    public Optional<Instant> outboxSince() {
        return relay.since();
    }

    @Override
    public Optional<TransactionalActivities> transactional() {
        return Optional.of(transactional);
    }

    @Override
    public List<Delivery.Outcome> deliver(List<Delivery> items) {
        return hot.deliver(items);
    }

    @Override
    public List<JobUpdate.Outcome> update(List<JobUpdate> items) {
        return hot.update(items);
    }

    @Override
    public List<Transition.Outcome> commit(List<Transition> items) {
        return hot.commit(items);
    }

    @Override
    public void refuseIfForeign() {
        connections.transaction(TransactionSettings.SHORT, tx -> true);
    }

    @Override
    public List<JobOrder.Outcome> order(List<JobOrder> orders) {
        return jobOrders.order(orders);
    }

    @Override
    public Writes patient() {
        return slow;
    }

    @Override
    public Optional<CallbackState> callback(CallbackToken token, long readTo) {
        return callbacks.state(token, readTo);
    }

    @Override
    public List<ReadBack.Outcome> readBack(List<ReadBack> attempts) {
        return readBacks.readBack(attempts);
    }

    @Override
    public List<RunChange> seize(List<Seizure> all) {
        return seizures.seize(all);
    }

    @Override
    public Optional<StartOutcome> fork(NewRun fork) {
        return forks.fork(fork);
    }

    @Override
    public RunReset.Outcome reset(RunReset reset) {
        return resets.reset(reset);
    }

    @Override
    public List<RunChange> pause(List<RunPause> pauses) {
        return holds.pause(pauses);
    }

    @Override
    public List<RunChange> move(List<RunMove> moves) {
        return holds.move(moves);
    }

    @Override
    public void audit(JobOrder.Audit row, String target) {
        connections.transaction(TransactionSettings.LONG, tx -> {
            tx.last(new SqlScript()
                    .then(
                            MessageSql.AUDIT,
                            Param.of(row.id()),
                            Param.of(SafeText.storable(row.actor())),
                            Param.of(row.action()),
                            Param.of(target),
                            Param.of(row.details())));
            return true;
        });
    }

    @Override
    public ClaimedRuns claimRuns(RunClaim claim) {
        return runClaims.claim(claim);
    }

    @Override
    public List<ClaimedJob> claimJobs(JobClaim claim) {
        return jobClaims.claim(claim);
    }

    @Override
    public QueueStore.LimitedClaim claimLimitedJobs(JobClaim claim) {
        return jobClaims.claimLimited(claim);
    }

    @Override
    public QueueStore.Admission admit(String taskQueue) {
        return admissions.admit(taskQueue);
    }

    @Override
    public boolean change(QueueChange change) {
        return queues.change(change);
    }

    @Override
    public QueueRules queueRules(Collection<String> taskQueues) {
        return queues.rules(taskQueues);
    }

    @Override
    public List<QueueDescription> queues() {
        return queues.list();
    }

    @Override
    public List<PausedActivity> pausedActivities() {
        return queues.pausedActivities();
    }

    @Override
    public int depth(String taskQueue, int atMost) {
        return queues.depth(taskQueue, atMost);
    }

    @Override
    public int timeOutWaiting(int limit) {
        return sessions.timeOutWaiting(limit);
    }

    @Override
    public List<OpenJob> overdueExternal(int limit) {
        return openJobs.overdueExternal(limit);
    }

    @Override
    public int purgeDeadLetters(Duration kept, int maxDeadLetters, int limit) {
        return failedJobs.purge(kept, maxDeadLetters, limit);
    }

    @Override
    public int purgeReplies(Duration kept, int limit) {
        return replies.purge(kept, limit);
    }

    @Override
    public List<StreamPage> streams(List<StreamPage.Question> questions, long bytes) {
        return streams.pages(questions, bytes);
    }

    @Override
    public long appendedBefore(JobKey job, UUID lease, String stream) {
        return streams.appendedBefore(job, lease, stream);
    }

    @Override
    public List<Reply.State> replies(List<Reply.Question> questions) {
        return replies.states(questions);
    }

    @Override
    public List<FailedJobGroup> alertsDue(Duration quiet, int limit) {
        return failedJobs.alertsDue(quiet, limit);
    }

    @Override
    public List<RunKey> expiredRuns(int limit) {
        return seizures.expired(limit);
    }

    @Override
    public EarliestTimeouts earliestTimeouts() {
        return seizures.earliestTimeouts();
    }

    @Override
    public void openSession(UUID session, String identity, Duration lease, @Nullable Served served) {
        sessions.open(session, identity, lease, served);
    }

    @Override
    public boolean beat(UUID session) {
        return sessions.beat(session);
    }

    @Override
    public List<SessionInfo> sessions() {
        return sessions.list();
    }

    @Override
    public List<BuildRuns> buildRuns(int most) {
        return builds.runs(most);
    }

    @Override
    public boolean markDead(UUID session, long beat) {
        return sessions.markDead(session, beat);
    }

    @Override
    public int makePartitions() {
        return partitions.ahead();
    }

    @Override
    public int requeueOrphans(int limit) {
        return sessions.requeueOrphans(limit);
    }

    @Override
    public List<HeldJob> held(UUID session) {
        return sessions.held(session);
    }

    @Override
    public void closeSession(UUID session) {
        sessions.close(session);
    }

    @Override
    public Map<UUID, List<InboxMessage>> messages(Collection<RunKey> runs, int limit, long bytes) {
        return runReads.messages(runs, limit, bytes);
    }

    @Override
    public Map<UUID, List<StoredEvent>> histories(Collection<UUID> runIds, int limit) {
        return runReads.histories(runIds, limit);
    }

    @Override
    public List<RunKey> latestRuns(Collection<String> workflowIds) {
        return listings.latest(workflowIds);
    }

    @Override
    public List<ClosedRun> closed(Collection<UUID> runIds) {
        return listings.closed(runIds);
    }

    @Override
    public Set<UUID> unknown(Collection<UUID> runIds) {
        return listings.unknown(runIds);
    }

    @Override
    public BatchStore.Tally batch(String batch) {
        return batches.tally(batch);
    }

    @Override
    public List<BatchStore.Member> members(String batch, int after, int limit) {
        return batches.members(batch, after, limit);
    }

    @Override
    public Set<BatchPlace> held(Map<BatchPlace, RunKey> runs) {
        return batches.held(runs);
    }

    @Override
    public Views views() {
        return replica == null ? this : replica;
    }

    @Override
    public Optional<String> trouble() {
        return connections.trouble().or(() -> replica == null ? Optional.empty() : replica.trouble());
    }

    @Override
    public Duration troubledFor() {
        return connections.troubledFor();
    }

    @Override
    public Nudges nudges() {
        return nudges;
    }

    /**
     * The DataSource of a store that was not configured by {@link PostgresHistoryStoreBuilder#transactions} to find its
     * callers' transactions; empty if it was, even with {@link CallerTransactions#NONE}. It is for containers that know
     * of such transactions.
     */
    public Optional<DataSource> withoutTransactions() {
        return Optional.ofNullable(untold);
    }

    @Override
    public void close() {
        nudges.close();
    }
}
