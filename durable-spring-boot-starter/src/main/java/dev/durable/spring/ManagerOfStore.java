package dev.durable.spring;

import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * Chooses the transaction manager that begins the transactions of transactional activities: the one for the store's
 * DataSource. Chosen when first asked, as managers may be made later than the store. Thread-safe.
 */
final class ManagerOfStore implements Supplier<PlatformTransactionManager> {
    private final ListableBeanFactory beans;
    private final DataSource dataSource;
    private volatile @Nullable PlatformTransactionManager chosen;

    ManagerOfStore(ListableBeanFactory beans, DataSource dataSource) {
        this.beans = beans;
        this.dataSource = dataSource;
    }

    /** @throws SetupException where several fit and none of them is primary */
    @Override
    public PlatformTransactionManager get() {
        PlatformTransactionManager known = chosen;
        if (known == null) {
            known = choose();
            TransactionWatch.over(known);
            chosen = known;
        }
        return known;
    }

    /**
     * One that does not tell its DataSource is taken where it is the only or primary one, and refused where it is one of
     * several. Where all are for others, Durable alone begins transactions of this DataSource.
     */
    private PlatformTransactionManager choose() {
        Map<String, PlatformTransactionManager> fitting = StoreDataSource.managers(beans, dataSource);
        PlatformTransactionManager primary =
                beans.getBeanProvider(PlatformTransactionManager.class).getIfUnique();
        if (primary != null && (fitting.containsValue(primary) || StoreDataSource.of(primary) == null)) {
            return primary;
        }
        if (fitting.size() > 1) {
            throw new SetupException(
                    "Durable runs transactional activities in transactions of its DataSource, and there are "
                            + fitting.size() + " PlatformTransactionManager beans for it, none of them primary: "
                            + String.join(", ", fitting.keySet()) + ".",
                    "Mark the one whose transactions the application's code takes part in as @Primary, or give an"
                            + " ActivityTransactions bean.");
        }
        if (!fitting.isEmpty()) {
            return fitting.values().iterator().next();
        }
        Set<String> silent = StoreDataSource.silentManagers(beans);
        if (!silent.isEmpty()) {
            throw new SetupException(
                    "Durable runs transactional activities in transactions of its DataSource, and none of the "
                            + "PlatformTransactionManager beans that may be for it tells its DataSource: "
                            + String.join(", ", silent) + ".",
                    "Mark the one whose transactions the application's code takes part in as @Primary, or give an"
                            + " ActivityTransactions bean.");
        }
        return new JdbcTransactionManager(dataSource);
    }
}
