package dev.durable.store.postgres;

import dev.durable.StoreUnavailableException;
import dev.durable.store.InboxLimit;
import dev.durable.store.Nudges;
import dev.durable.store.Views;
import dev.durable.store.postgres.internal.nudge.NotifyChannel;
import dev.durable.store.postgres.internal.nudge.NudgeChannel;
import dev.durable.store.postgres.internal.nudge.SharedNudges;
import dev.durable.store.postgres.internal.read.ReplicaViews;
import dev.durable.store.postgres.internal.schema.Ddl;
import dev.durable.store.postgres.internal.schema.Grants;
import dev.durable.store.postgres.internal.schema.Migration;
import dev.durable.store.postgres.internal.schema.Migrations;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.DataSources;
import dev.durable.store.postgres.internal.sql.Guard;
import dev.durable.store.postgres.internal.sql.SchemaName;
import dev.durable.store.postgres.internal.sql.StoreErrors;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Says how a {@link PostgresHistoryStore} is made: its schema, who migrates it, its limits and how it works with its caller. Not thread-safe. */
public final class PostgresHistoryStoreBuilder {
    final DataSource dataSource;
    private SchemaName schema = new SchemaName(SchemaName.DEFAULT);
    private @Nullable String rolePrefix;
    SchemaMode schemaMode = SchemaMode.MIGRATE;
    private @Nullable DataSource migrationDataSource;
    InboxLimit inboxLimit = InboxLimit.DEFAULT;

    @Nullable
    CallerTransactions transactions;

    @Nullable
    ActivityTransactions activityTransactions;

    private boolean notify = true;
    private @Nullable DataSource replica;
    private @Nullable String description;
    LongSupplier nanoTime = System::nanoTime;

    PostgresHistoryStoreBuilder(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /** The schema of the tables, {@code durable} by default: stores on different schemas know nothing of each other. */
    public PostgresHistoryStoreBuilder schema(String name) {
        schema = new SchemaName(name);
        return this;
    }

    /**
     * With what the names of the roles of the schema begin ({@code shop} for {@code shop_worker} and {@code
     * shop_retention}); the name of the schema by default, or for null. Roles are the server's: two databases with schemas
     * of one name share them unless one of them has other names.
     */
    public PostgresHistoryStoreBuilder rolePrefix(@Nullable String prefix) {
        rolePrefix = prefix == null ? null : new SchemaName(prefix).value();
        return this;
    }

    /** What {@link PostgresHistoryStore#open} does about the tables; {@link SchemaMode#MIGRATE} by default. */
    public PostgresHistoryStoreBuilder schemaMode(SchemaMode mode) {
        schemaMode = mode;
        return this;
    }

    /**
     * Where {@link SchemaMode#MIGRATE} creates and upgrades the tables: connections of the schema's owner, straight to the
     * server and not through a pooler in transaction mode, which can't build an index concurrently. It needs two
     * connections, for as long as {@link PostgresHistoryStore#open} takes. The store's own DataSource needs no right to create anything then; it
     * is used for this, too, by default and with null.
     */
    public PostgresHistoryStoreBuilder migrationDataSource(@Nullable DataSource owner) {
        migrationDataSource = owner;
        return this;
    }

    /**
     * How many messages may wait for one run before senders get the error that its inbox is full; 10,000 by
     * default.
     */
    public PostgresHistoryStoreBuilder inboxLimit(int messages) {
        inboxLimit = new InboxLimit(messages, inboxLimit.bytes());
        return this;
    }

    /**
     * How many bytes of messages may wait for one run, as they are stored, before senders are told that its inbox is
     * full; 256 MiB by default. One message goes into an inbox that has not reached it, however large it is.
     */
    public PostgresHistoryStoreBuilder inboxBytes(long bytes) {
        inboxLimit = new InboxLimit(inboxLimit.messages(), bytes);
        return this;
    }

    /** How the store finds the transaction its caller has open, so that starts take part in it; none by default. */
    public PostgresHistoryStoreBuilder transactions(CallerTransactions finder) {
        transactions = finder;
        return this;
    }

    /** Who runs the transactions of transactional activities; plain ones of this DataSource by default. */
    public PostgresHistoryStoreBuilder activityTransactions(ActivityTransactions runner) {
        activityTransactions = runner;
        return this;
    }

    /**
     * Whether processes tell each other with NOTIFY that work is due or a run has closed; true by default. Where
     * somebody listens (an engine does), it keeps one connection of the DataSource. Without it, and behind a pooler
     * in transaction mode, which can't pass it on, processes find each other's work by polling: correct, but slower.
     */
    public PostgresHistoryStoreBuilder notify(boolean tellOthers) {
        notify = tellOthers;
        return this;
    }

    /**
     * Where listings ({@code workflows()}, {@code jobs()}, {@code activities()}, {@code incidents()}), descriptions and
     * histories are read: a replica of the database (streaming replication, a read-only endpoint), so that people and
     * reports cost the primary nothing. The primary by default.
     *
     * <p>What is shown may be as old as the replica is behind: a run that has just ended may be shown as open, and of a
     * workflow id the run before. What the replica does not know yet is looked up in the primary; while the replica
     * does not answer, these calls throw {@link StoreUnavailableException}, and the engine's {@code problems()} say so, as they
     * do where the database is no replica of this one: of such a one nothing is shown. Nothing is decided by it: starts, signals,
     * {@code result()}, queries, what operators order and all that workers do go to the primary.
     *
     * @param replica connections to it, pooled; not closed by the store
     */
    public PostgresHistoryStoreBuilder readFrom(DataSource replica) {
        this.replica = replica;
        return this;
    }

    /** How errors call the database; its URL without secrets by default. */
    public PostgresHistoryStoreBuilder description(String text) {
        description = text;
        return this;
    }

    /** The monotonic clock of this process; {@link System#nanoTime} by default. For test kits that move time. */
    public PostgresHistoryStoreBuilder nanoTime(LongSupplier clock) {
        nanoTime = clock;
        return this;
    }

    /** The store; nothing is connected before {@link PostgresHistoryStore#open}. */
    public PostgresHistoryStore build() {
        StoreErrors failures =
                new StoreErrors(description == null ? DataSources.describe(dataSource) : description, workerRole());
        Guard guard = new Guard(schema, failures.database());
        return new PostgresHistoryStore(
                this,
                guard,
                new Connections(dataSource, schema, failures, guard),
                new SharedNudges(notify ? new NotifyChannel(dataSource, schema) : NudgeChannel.NONE));
    }

    Migration migration(StoreErrors failures) {
        return new Migration(
                dataSource, migrationDataSource, schema, rolePrefix, failures, Ddl.PATIENCE, Migrations.OF_LIBRARY);
    }

    /** What answers listings where a replica was named; null without. */
    @Nullable
    ReplicaViews replicaOf(Views primary, Nudges nudges) {
        if (replica == null) {
            return null;
        }
        String shown = DataSources.describe(replica);
        return new ReplicaViews(
                Connections.reading(
                        replica,
                        schema,
                        new StoreErrors(StoreErrors.REPLICA + shown, workerRole()),
                        new Guard(schema, shown)),
                nudges,
                primary);
    }

    private String workerRole() {
        return new Grants(schema, rolePrefix == null ? schema.value() : rolePrefix).workerRole();
    }
}
