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

/**
 * Builds a {@link PostgresHistoryStore}: its schema, its migration, its limits and its use of callers' transactions.
 * Not thread-safe.
 */
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

    /** The schema of the tables, {@code durable} by default: stores on different schemas are independent. */
    public PostgresHistoryStoreBuilder schema(String name) {
        schema = new SchemaName(name);
        return this;
    }

    /**
     * The prefix of the names of the schema's roles ({@code shop} for {@code shop_worker}, {@code shop_retention} and {@code shop_operator});
     * the name of the schema by default, or for null. Roles belong to the server: two databases with schemas of one
     * name share them unless one of the databases has another prefix.
     */
    public PostgresHistoryStoreBuilder rolePrefix(@Nullable String prefix) {
        rolePrefix = prefix == null ? null : new SchemaName(prefix).value();
        return this;
    }

    /** The action of {@link PostgresHistoryStore#open} on the tables; {@link SchemaMode#MIGRATE} by default. */
    public PostgresHistoryStoreBuilder schemaMode(SchemaMode mode) {
        schemaMode = mode;
        return this;
    }

    /**
     * The DataSource by which {@link SchemaMode#MIGRATE} creates and upgrades the tables: connections of the schema's
     * owner, straight to the server and not through a pooler in transaction mode, which can't build an index
     * concurrently. It needs two connections, for as long as {@link PostgresHistoryStore#open} takes. The store's own
     * DataSource then needs no right to create objects. By default, and with null, the store's own DataSource is used.
     */
    public PostgresHistoryStoreBuilder migrationDataSource(@Nullable DataSource owner) {
        migrationDataSource = owner;
        return this;
    }

    /** How many messages may wait for one run before senders are told that its inbox is full; 10,000 by default. */
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

    /**
     * The way in which the store finds the transaction that its caller has open, so that starts take part in it; none
     * by default.
     */
    public PostgresHistoryStoreBuilder transactions(CallerTransactions finder) {
        transactions = finder;
        return this;
    }

    /** The runner of the transactions of transactional activities; by default plain transactions of this DataSource. */
    public PostgresHistoryStoreBuilder activityTransactions(ActivityTransactions runner) {
        activityTransactions = runner;
        return this;
    }

    /**
     * Sets whether processes notify each other with NOTIFY that work is due or a run has closed; true by default. While the
     * process listens, as an engine makes it do, it keeps one connection of the DataSource. Without it, and behind a
     * pooler in transaction mode, which can't pass it on, processes find each other's work by polling: correct, but
     * slower.
     */
    public PostgresHistoryStoreBuilder notify(boolean tellOthers) {
        notify = tellOthers;
        return this;
    }

    /**
     * The database from which listings ({@code workflows()}, {@code jobs()}, {@code activities()}, {@code
     * incidents()}), descriptions and histories are read: a replica of the database (streaming replication, a read-only
     * endpoint), so that people and reports cost the primary nothing. The primary by default.
     *
     * <p>The values shown may be as old as the replica is behind: a run that has just ended may be shown as open, and a
     * workflow id with the run before its latest. A run that the replica does not have yet is read from the primary.
     * While the replica does not answer, these calls throw {@link StoreUnavailableException}, and the engine's {@code
     * problems()} say so. If the database is no replica of this one, {@code problems()} say so, too, and nothing is
     * shown from it. No decision depends on the replica: starts, signals, {@code result()}, queries, actions of
     * operators and all calls of workers go to the primary.
     *
     * @param replica connections to it, pooled; not closed by the store
     */
    public PostgresHistoryStoreBuilder readFrom(DataSource replica) {
        this.replica = replica;
        return this;
    }

    /** The name of the database in errors; its URL without secrets by default. */
    public PostgresHistoryStoreBuilder description(String text) {
        description = text;
        return this;
    }

    /** The monotonic clock of this process; {@link System#nanoTime} by default. It is for test kits that move time. */
    public PostgresHistoryStoreBuilder nanoTime(LongSupplier clock) {
        nanoTime = clock;
        return this;
    }

    /** Builds the store; nothing is connected before {@link PostgresHistoryStore#open}. */
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

    /** The views that answer listings if a replica was named; null without one. */
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
