package dev.durable.spring;

import dev.durable.store.postgres.CallerTransactions;
import java.sql.Connection;
import java.util.Optional;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Spring's transaction on the calling thread, where it has a connection of this DataSource. */
final class SpringTransactions implements CallerTransactions {
    private final DataSource dataSource;

    SpringTransactions(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    @Override
    public Optional<Connection> current() {
        return TransactionSynchronizationManager.isActualTransactionActive()
                        && TransactionSynchronizationManager.getResource(dataSource) instanceof ConnectionHolder holder
                ? Optional.of(holder.getConnection())
                : Optional.empty();
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
