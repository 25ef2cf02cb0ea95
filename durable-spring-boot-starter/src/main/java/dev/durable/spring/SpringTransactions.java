package dev.durable.spring;

import dev.durable.UsageException;
import dev.durable.store.postgres.CallerTransactions;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.PostgresHistoryStoreBuilder;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Spring's transaction on the calling thread, where it has a connection of the store's DataSource and can still commit.
 * After its commit or rollback, as in a {@code @TransactionalEventListener}, there is none. Thread-safe.
 */
public final class SpringTransactions implements CallerTransactions {
    private final DataSource dataSource;

    SpringTransactions(DataSource dataSource) {
        this.dataSource = StoreDataSource.target(dataSource);
    }

    /**
     * A store that takes part in Spring's transactions, for applications that declare a {@code HistoryStore} bean of their
     * own: {@code SpringTransactions.store(dataSource, manager).inboxLimit(100).build()}.
     *
     * @param dataSource where the histories are
     * @param manager begins the transactions of transactional activities; a bean, for the same DataSource
     * @throws IllegalArgumentException where the manager is for another DataSource
     */
    public static PostgresHistoryStoreBuilder store(DataSource dataSource, PlatformTransactionManager manager) {
        SpringTransactions transactions = new SpringTransactions(dataSource);
        DataSource managed = StoreDataSource.of(manager);
        if (managed != null && !managed.equals(transactions.dataSource)) {
            throw new IllegalArgumentException("SpringTransactions.store(dataSource, manager): the manager, a "
                    + manager.getClass().getName()
                    + ", begins transactions of another DataSource than the one given, so"
                    + " what is started in them would not take part. Usual cause: the application has several, and the"
                    + " primary manager was injected. Give the manager of this DataSource, by its bean's name.");
        }
        TransactionWatch.over(manager);
        return PostgresHistoryStore.builder(StoreDataSource.connections(transactions.dataSource))
                .transactions(transactions)
                .activityTransactions(new SpringActivityTransactions(() -> manager, transactions));
    }

    @Override
    public Optional<Connection> current() {
        // Synchronization ends before the callbacks after completion.
        if (!TransactionSynchronizationManager.isActualTransactionActive()
                || !TransactionSynchronizationManager.isSynchronizationActive()
                || !(TransactionSynchronizationManager.getResource(dataSource) instanceof ConnectionHolder holder)) {
            return Optional.empty();
        }
        return switch (TransactionWatch.of(holder)) {
            case OPEN -> Optional.of(holder.getConnection());
            case ENDED -> Optional.empty();
            case UNSEEN -> noneOr(holder.getConnection());
        };
    }

    /** With autocommit on there surely is no transaction. */
    private static Optional<Connection> noneOr(Connection connection) {
        try {
            if (connection.getAutoCommit()) {
                return Optional.empty();
            }
        } catch (SQLException e) {
            throw untold(e);
        }
        throw untold(null);
    }

    private static UsageException untold(@Nullable SQLException cause) {
        String name = TransactionSynchronizationManager.getCurrentTransactionName();
        return new UsageException(
                "a connection of Durable's DataSource is bound to this thread"
                        + (name == null ? "" : " (transaction " + name + ")")
                        + ", and no transaction manager that Durable knows has begun a transaction on it, so it can't be"
                        + " told whether what this call writes there would be committed. Nothing was written. Usual cause: a"
                        + " PlatformTransactionManager that is no bean of this application context, or one for another"
                        + " DataSource. Declare the manager as a bean, or call through client.independent(), which stays out of"
                        + " the transaction, or client.joining(connection), which takes part in the one that you hold.",
                cause);
    }

    @Override
    public boolean mayBeElsewhere() {
        return dataSource instanceof AbstractRoutingDataSource;
    }

    @Override
    public void afterCommit(Runnable action) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                action.run();
            }
        });
    }
}
