package dev.durable.spring;

import dev.durable.NonRetryableException;
import dev.durable.StoreUnavailableException;
import dev.durable.store.postgres.ActivityTransactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.function.Supplier;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Transactional activities in Spring's own transactions: what their bodies write through {@code JdbcTemplate}, JPA, jOOQ
 * or {@code @Transactional} beans takes part.
 */
final class SpringActivityTransactions implements ActivityTransactions {
    private final Supplier<PlatformTransactionManager> manager;
    private final SpringTransactions current;

    /**
     * @param manager of the store's DataSource; asked when the first is needed
     * @param current finds the connection of the transaction on this thread
     */
    SpringActivityTransactions(Supplier<PlatformTransactionManager> manager, SpringTransactions current) {
        this.manager = manager;
        this.current = current;
    }

    /**
     * Before the first is needed.
     *
     * @throws SetupException where there is not exactly one manager for them
     */
    void check() {
        Objects.requireNonNull(manager.get());
    }

    @Override
    public void run(Work work) {
        TransactionTemplate template = new TransactionTemplate(manager.get());
        template.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        template.setName("durable activity");
        try {
            template.executeWithoutResult(status -> inside(work, status));
        } catch (UnexpectedRollbackException e) {
            throw new NonRetryableException(
                    "the body of this transactional activity caught what a @Transactional method that it called has thrown,"
                            + " and went on. Spring rolls back the transaction that both share, so nothing of it was"
                            + " written, and the activity is not completed. It is not tried again, as it would meet the"
                            + " same. Let the exception leave the body. To go on after such a failure, give the method a"
                            + " savepoint (propagation = NESTED, by JDBC) or a transaction of its own (REQUIRES_NEW), or"
                            + " say noRollbackFor.",
                    e);
        }
    }

    private void inside(Work work, TransactionStatus status) {
        try {
            if (!work.in(connection())) {
                status.setRollbackOnly();
            }
        } catch (SQLException e) {
            throw new StoreUnavailableException("the transaction of an activity failed: " + e.getMessage(), e);
        }
    }

    private Connection connection() {
        return current.current()
                .orElseThrow(() -> new IllegalStateException("a transactional activity found no connection of Durable's"
                        + " DataSource in the transaction that Spring began for it. Usual cause: the only, or primary,"
                        + " PlatformTransactionManager does not bind one (JTA, or JPA without a DataSource). Give an"
                        + " ActivityTransactions bean that uses the right one."));
    }
}
