package dev.durable.store.postgres;

import dev.durable.StoreUnavailableException;
import dev.durable.client.AuditEntry;
import dev.durable.client.QueueDescription;
import dev.durable.client.Queues.PausedActivity;
import dev.durable.client.WorkflowStatus;
import dev.durable.store.Admission;
import dev.durable.store.Adoption;
import dev.durable.store.AuditFilter;
import dev.durable.store.BatchMember;
import dev.durable.store.BatchPlace;
import dev.durable.store.BatchTally;
import dev.durable.store.ClaimedJob;
import dev.durable.store.ClaimedRuns;
import dev.durable.store.ClosedRun;
import dev.durable.store.Delivery;
import dev.durable.store.EarliestTimeouts;
import dev.durable.store.EstimatedClock;
import dev.durable.store.FailedJobGroup;
import dev.durable.store.Fitness;
import dev.durable.store.HeldJob;
import dev.durable.store.HistoryStore;
import dev.durable.store.InboxLimit;
import dev.durable.store.InboxMessage;
import dev.durable.store.JobClaim;
import dev.durable.store.JobFilter;
import dev.durable.store.JobOrder;
import dev.durable.store.JobUpdate;
import dev.durable.store.Joined;
import dev.durable.store.LimitedClaim;
import dev.durable.store.NewRun;
import dev.durable.store.Nudges;
import dev.durable.store.OpenJob;
import dev.durable.store.QueueChange;
import dev.durable.store.QueueRules;
import dev.durable.store.ReadBack;
import dev.durable.store.Relayed;
import dev.durable.store.RunClaim;
import dev.durable.store.RunDetails;
import dev.durable.store.RunFilter;
import dev.durable.store.RunKey;
import dev.durable.store.RunPause;
import dev.durable.store.RunRecord;
import dev.durable.store.Seizure;
import dev.durable.store.Served;
import dev.durable.store.SessionInfo;
import dev.durable.store.StartOutcome;
import dev.durable.store.StoreClock;
import dev.durable.store.StoredEvent;
import dev.durable.store.TransactionalActivities;
import dev.durable.store.Transition;
import dev.durable.store.Views;
import dev.durable.store.Writes;
import dev.durable.store.postgres.internal.job.FailedJobs;
import dev.durable.store.postgres.internal.job.JobOrders;
import dev.durable.store.postgres.internal.nudge.NotifyChannel;
import dev.durable.store.postgres.internal.nudge.NudgeChannel;
import dev.durable.store.postgres.internal.nudge.SharedNudges;
import dev.durable.store.postgres.internal.queue.Admissions;
import dev.durable.store.postgres.internal.queue.JobClaims;
import dev.durable.store.postgres.internal.queue.QueueTable;
import dev.durable.store.postgres.internal.read.AuditRows;
import dev.durable.store.postgres.internal.read.Batches;
import dev.durable.store.postgres.internal.read.Descriptions;
import dev.durable.store.postgres.internal.read.Listings;
import dev.durable.store.postgres.internal.read.OpenJobs;
import dev.durable.store.postgres.internal.read.ReplicaViews;
import dev.durable.store.postgres.internal.run.LaneWriters;
import dev.durable.store.postgres.internal.run.ReadBacks;
import dev.durable.store.postgres.internal.run.RunClaims;
import dev.durable.store.postgres.internal.run.RunReads;
import dev.durable.store.postgres.internal.run.Seizures;
import dev.durable.store.postgres.internal.schema.Ddl;
import dev.durable.store.postgres.internal.schema.Grants;
import dev.durable.store.postgres.internal.schema.Migration;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.DataSources;
import dev.durable.store.postgres.internal.sql.Guard;
import dev.durable.store.postgres.internal.sql.LockPatience;
import dev.durable.store.postgres.internal.sql.SchemaName;
import dev.durable.store.postgres.internal.sql.SearchPath;
import dev.durable.store.postgres.internal.sql.SqlState;
import dev.durable.store.postgres.internal.sql.StoreErrors;
import dev.durable.store.postgres.internal.transaction.JoinedTransactions;
import dev.durable.store.postgres.internal.transaction.Outbox;
import dev.durable.store.postgres.internal.transaction.OutboxRelay;
import dev.durable.store.postgres.internal.transaction.OwnTransactions;
import dev.durable.store.postgres.internal.transaction.SameDatabase;
import dev.durable.store.postgres.internal.transaction.TransactionalJobs;
import dev.durable.store.postgres.internal.upkeep.Adoptions;
import dev.durable.store.postgres.internal.upkeep.Partitions;
import dev.durable.store.postgres.internal.upkeep.Sessions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The history store on PostgreSQL 14 or newer.
 *
 * <pre>{@code
 * HistoryStore store = PostgresHistoryStore.of(dataSource);
 * }</pre>
 *
 * <p>The DataSource is the application's own, pooled (ten connections are plenty: a few loops and lanes share them). It
 * may stand behind a pooler in transaction mode: nothing here rests on the session, but for LISTEN, which can be
 * {@linkplain Builder#notify switched off}, and for server-prepared statements, which such a pooler has to support
 * (PgBouncer 1.21 with {@code max_prepared_statements}) or which {@code prepareThreshold=0} in the URL switches off.
 *
 * <p>Thread-safe. Closing the store does not close the DataSource.
 */
public final class PostgresHistoryStore implements HistoryStore {
    private static final Logger log = LoggerFactory.getLogger(PostgresHistoryStore.class);

    private final Migration migration;
    private final SchemaMode schemaMode;
    private final Guard guard;
    private final Connections connections;
    private final SameDatabase database;
    private final Partitions partitions;
    private final SharedNudges nudges;
    private final LaneWriters hot;
    private final LaneWriters slow;
    private final ReadBacks readBacks;
    private final Seizures seizures;
    private final Adoptions adoptions;
    private final RunClaims runClaims;
    private final JobClaims jobClaims;
    private final JobOrders jobOrders;
    private final OpenJobs openJobs;
    private final QueueTable queues;
    private final Admissions admissions;
    private final Sessions sessions;
    private final FailedJobs buried;
    private final RunReads runReads;
    private final Listings listings;
    private final @Nullable ReplicaViews replica;
    private final Batches batches;
    private final JoinedTransactions joined;
    private final OutboxRelay relay;
    private final TransactionalJobs transactional;
    private final Descriptions descriptions;
    private final AuditRows audit;
    private final LongSupplier nanoTime;
    private final @Nullable DataSource untold;
    private volatile @Nullable EstimatedClock clock;

    PostgresHistoryStore(Builder options) {
        String workerRole = new Grants(options.schema, options.rolePrefix()).workerRole();
        StoreErrors failures = new StoreErrors(options.description(), workerRole);
        nudges = new SharedNudges(
                options.notify ? new NotifyChannel(options.dataSource, options.schema) : NudgeChannel.NONE);
        migration = new Migration(
                options.dataSource,
                options.migrationDataSource,
                options.schema,
                options.rolePrefix,
                failures,
                Ddl.PATIENCE);
        guard = new Guard(options.schema, failures.database());
        schemaMode = options.schemaMode;
        connections = new Connections(options.dataSource, options.schema, failures, guard);
        database = new SameDatabase(connections);
        partitions = new Partitions(connections);
        connections.onMissingPartition(partitions::madeFor);
        hot = LaneWriters.with(LockPatience.SHORT, connections, nudges, options.inboxLimit);
        slow = LaneWriters.with(LockPatience.LONG, connections, nudges, options.inboxLimit);
        readBacks = new ReadBacks(connections);
        seizures = new Seizures(connections, nudges);
        adoptions = new Adoptions(connections);
        runClaims = new RunClaims(connections);
        jobClaims = new JobClaims(connections);
        jobOrders = new JobOrders(connections, nudges);
        openJobs = new OpenJobs(connections);
        queues = new QueueTable(connections, nudges);
        admissions = new Admissions(connections, nudges, options.nanoTime);
        sessions = new Sessions(connections, nudges);
        buried = new FailedJobs(connections, nudges);
        runReads = new RunReads(connections);
        listings = new Listings(connections);
        replica = options.replica == null
                ? null
                : new ReplicaViews(
                        Connections.reading(
                                options.replica,
                                options.schema,
                                new StoreErrors(
                                        StoreErrors.REPLICA + DataSources.describe(options.replica), workerRole),
                                new Guard(options.schema, DataSources.describe(options.replica))),
                        nudges,
                        this);
        batches = new Batches(connections);
        relay = new OutboxRelay(connections, nudges, options.inboxLimit);
        OwnTransactions own = new OwnTransactions(options.dataSource, failures::ofCaller);
        joined = new JoinedTransactions(
                options.transactions == null ? List.of(own) : List.of(own, options.transactions),
                hot.starts(),
                new Outbox(connections, nudges),
                database);
        transactional = new TransactionalJobs(
                connections,
                options.activityTransactions == null ? own : options.activityTransactions,
                nudges,
                DataSources.toSpare(options.dataSource));
        descriptions = new Descriptions(connections);
        audit = new AuditRows(connections);
        nanoTime = options.nanoTime;
        untold = options.transactions == null ? options.dataSource : null;
    }

    /** A store in the schema {@code durable} of this database, which it creates and upgrades when it is opened. */
    public static PostgresHistoryStore of(DataSource dataSource) {
        return builder(dataSource).build();
    }

    /** For another schema, another way of migrating, or without NOTIFY. */
    public static Builder builder(DataSource dataSource) {
        return new Builder(dataSource);
    }

    @Override
    public void open() {
        migration.run(schemaMode);
        if (clock == null) {
            database.learn();
            EstimatedClock opened = new EstimatedClock(this::now, nanoTime);
            connections.onTime(opened::observe);
            clock = opened;
            addPartitions();
        }
    }

    /** A server that can be read only has a client all the same; who is to work there is refused when it begins. */
    private void addPartitions() {
        try {
            partitions.add();
        } catch (StoreUnavailableException e) {
            if (!(e.getCause() instanceof SQLException refused) || !SqlState.isReadOnly(refused)) {
                throw e;
            }
            log.warn("opened for reading: {}", e.getMessage());
        }
    }

    @Override
    public Fitness inspect(@Nullable String installation) {
        if (replica != null) {
            replica.look(connections);
        }
        return connections.ask(connection -> {
            Grants grants = migration.grants();
            List<String> missing = SearchPath.around(connection, grants::missing);
            List<String> problems = missing.isEmpty()
                    ? List.of()
                    : List.of(connections.failures().missingRights(missing, user(connection)));
            return guard.look(connection, installation, problems);
        });
    }

    private static String user(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select current_user")) {
            row.next();
            return row.getString(1);
        }
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
        StoreClock opened = clock;
        if (opened == null) {
            throw new IllegalStateException(
                    "the store is not open yet: call open() first, it reads the database's clock");
        }
        return opened;
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
    public List<JobOrder.Outcome> order(List<JobOrder> orders) {
        return jobOrders.order(orders);
    }

    @Override
    public Writes patient() {
        return slow;
    }

    @Override
    public List<ReadBack.Outcome> readBack(List<ReadBack> attempts) {
        return readBacks.readBack(attempts);
    }

    @Override
    public Optional<RunKey> seize(Seizure seizure) {
        return seizures.seize(seizure);
    }

    @Override
    public boolean pause(RunPause pause) {
        return seizures.pause(pause);
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
    public LimitedClaim claimLimitedJobs(JobClaim claim) {
        return jobClaims.claimLimited(claim);
    }

    @Override
    public Admission admit(String taskQueue) {
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
        return buried.purge(kept, maxDeadLetters, limit);
    }

    @Override
    public List<FailedJobGroup> alertsDue(Duration quiet, int limit) {
        return buried.alertsDue(quiet, limit);
    }

    @Override
    public List<FailedJobGroup> buried(JobFilter filter, int limit) {
        return buried.groups(filter, limit);
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
    public boolean markDead(UUID session, long beat) {
        return sessions.markDead(session, beat);
    }

    @Override
    public int requeueOrphans(int limit) {
        partitions.upkeep();
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
    public List<StoredEvent> history(UUID runId, long fromEventId, int limit) {
        return runReads.history(runId, fromEventId, limit);
    }

    @Override
    public Map<UUID, List<StoredEvent>> histories(Collection<UUID> runIds, int limit) {
        return runReads.histories(runIds, limit);
    }

    @Override
    public Optional<RunRecord> run(UUID runId) {
        return listings.run(runId);
    }

    @Override
    public Optional<RunRecord> latestRun(String workflowId) {
        return listings.latest(workflowId);
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
    public List<AuditEntry> audit(AuditFilter filter, int limit) {
        return audit.page(filter, limit);
    }

    @Override
    public List<RunRecord> runs(RunFilter filter, int limit) {
        return listings.page(filter, limit);
    }

    @Override
    public long count(RunFilter filter, long limit) {
        return listings.count(filter, limit);
    }

    @Override
    public BatchTally batch(String batch) {
        return batches.tally(batch);
    }

    @Override
    public List<BatchMember> members(String batch, int after, int limit) {
        return batches.members(batch, after, limit);
    }

    @Override
    public Set<BatchPlace> held(Map<BatchPlace, RunKey> runs) {
        return batches.held(runs);
    }

    @Override
    public List<OpenJob> jobs(JobFilter filter, int limit) {
        return openJobs.page(filter, limit);
    }

    @Override
    public long count(JobFilter filter, long limit) {
        return openJobs.count(filter, limit);
    }

    @Override
    public Map<WorkflowStatus, Long> tally(RunFilter filter) {
        return listings.tally(filter);
    }

    @Override
    public Optional<RunDetails> details(UUID runId) {
        return descriptions.of(runId);
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
    public Nudges nudges() {
        return nudges;
    }

    /**
     * The DataSource of a store that was told nothing of the transactions that callers have open there; empty where it was,
     * by {@link Builder#transactions}, be it {@link CallerTransactions#NONE}. For containers that know of such transactions.
     */
    public Optional<DataSource> withoutTransactions() {
        return Optional.ofNullable(untold);
    }

    /** Stops listening to other processes. */
    @Override
    public void close() {
        nudges.close();
    }

    /** How a store is made. */
    public static final class Builder {
        private final DataSource dataSource;
        private SchemaName schema = new SchemaName(SchemaName.DEFAULT);
        private @Nullable String rolePrefix;
        private SchemaMode schemaMode = SchemaMode.MIGRATE;
        private @Nullable DataSource migrationDataSource;
        private InboxLimit inboxLimit = InboxLimit.DEFAULT;
        private @Nullable CallerTransactions transactions;
        private @Nullable ActivityTransactions activityTransactions;
        private boolean notify = true;
        private @Nullable DataSource replica;
        private @Nullable String description;
        private LongSupplier nanoTime = System::nanoTime;

        private Builder(DataSource dataSource) {
            this.dataSource = dataSource;
        }

        /** The schema of the tables, {@code durable} unless told: stores on different schemas know nothing of each other. */
        public Builder schema(String name) {
            schema = new SchemaName(name);
            return this;
        }

        /**
         * With what the names of the roles of the schema begin ({@code shop} for {@code shop_worker} and {@code
         * shop_retention}); the name of the schema unless told, or for null. Roles are the server's: two databases with schemas
         * of one name share them unless one of them has other names.
         */
        public Builder rolePrefix(@Nullable String prefix) {
            rolePrefix = prefix == null ? null : new SchemaName(prefix).value();
            return this;
        }

        /** What {@link #open} does about the tables; {@link SchemaMode#MIGRATE} unless told. */
        public Builder schemaMode(SchemaMode mode) {
            schemaMode = mode;
            return this;
        }

        /**
         * Where {@link SchemaMode#MIGRATE} creates and upgrades the tables: connections of the schema's owner, straight to the
         * server and not through a pooler in transaction mode, which can't build an index concurrently. It needs two
         * connections, for as long as {@link #open} takes. The store's own DataSource needs no right to create anything then; it
         * is used for this, too, unless told, and with null.
         */
        public Builder migrationDataSource(@Nullable DataSource owner) {
            migrationDataSource = owner;
            return this;
        }

        /**
         * How many messages may wait for one run before senders get the error that its inbox is full; 10,000 by
         * default.
         */
        public Builder inboxLimit(int messages) {
            inboxLimit = new InboxLimit(messages, inboxLimit.bytes());
            return this;
        }

        /**
         * How many bytes of messages may wait for one run, as they are stored, before senders are told that its inbox is
         * full; 256 MiB unless told. One message goes into an inbox that has not reached it, however large it is.
         */
        public Builder inboxBytes(long bytes) {
            inboxLimit = new InboxLimit(inboxLimit.messages(), bytes);
            return this;
        }

        /** How the store finds the transaction its caller has open, so that starts take part in it; none unless told. */
        public Builder transactions(CallerTransactions finder) {
            transactions = finder;
            return this;
        }

        /** Who runs the transactions of transactional activities; plain ones of this DataSource unless told. */
        public Builder activityTransactions(ActivityTransactions runner) {
            activityTransactions = runner;
            return this;
        }

        /**
         * Whether processes tell each other with NOTIFY that work is due or a run has closed; true unless told. Where
         * somebody listens (an engine does), it keeps one connection of the DataSource. Without it, and behind a pooler
         * in transaction mode, which can't pass it on, processes find each other's work by polling: correct, but slower.
         */
        public Builder notify(boolean tellOthers) {
            notify = tellOthers;
            return this;
        }

        /**
         * Where listings ({@code workflows()}, {@code jobs()}, {@code activities()}, {@code incidents()}), descriptions and
         * histories are read: a replica of the database (streaming replication, a read-only endpoint), so that people and
         * reports cost the primary nothing. The primary unless told.
         *
         * <p>What is shown may be as old as the replica is behind: a run that has just ended may be shown as open, and of a
         * workflow id the run before. What the replica does not know yet is looked up in the primary; while the replica
         * does not answer, these calls throw {@link StoreUnavailableException}, and the engine's {@code problems()} say so, as they
         * do where the database is no replica of this one: of such a one nothing is shown. Nothing is decided by it: starts, signals,
         * {@code result()}, queries, what operators order and all that workers do go to the primary.
         *
         * @param replica connections to it, pooled; not closed by the store
         */
        public Builder readFrom(DataSource replica) {
            this.replica = replica;
            return this;
        }

        /** How errors call the database; its URL without secrets unless told. */
        public Builder description(String text) {
            description = text;
            return this;
        }

        /** The monotonic clock of this process; {@link System#nanoTime} unless told. For test kits that move time. */
        public Builder nanoTime(LongSupplier clock) {
            nanoTime = clock;
            return this;
        }

        public PostgresHistoryStore build() {
            return new PostgresHistoryStore(this);
        }

        private String rolePrefix() {
            return rolePrefix == null ? schema.value() : rolePrefix;
        }

        private String description() {
            return description == null ? DataSources.describe(dataSource) : description;
        }
    }
}
