package dev.durable.spring;

import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.HierarchicalBeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Sees the transactions of one manager begin and end. Spring keeps a connection bound to its thread, and says that a
 * transaction is active, until the last callback after the commit or the rollback has returned: no commit follows for
 * what is written through that connection meanwhile. So the end is noted here, immediately before it is sent.
 *
 * <p>The note is bound to the thread under the connection's holder, of which each transaction has its own: a transaction
 * that is begun in such a callback is another one.
 *
 * @param manager whose transactions
 * @param dataSource whose connections it binds
 */
record TransactionWatch(ConfigurableTransactionManager manager, DataSource dataSource)
        implements TransactionExecutionListener {

    /** The states of a connection's transaction, as far as they are known. */
    enum State {
        /** It has begun and can still commit. */
        OPEN,
        /** It is committed or rolled back, or this is under way. */
        ENDED,
        /** No manager that is watched has begun it. */
        UNSEEN
    }

    /** Watches this manager, if it binds connections and can be watched. Once is enough. */
    static void over(Object proxyOrManager) {
        if (!(StoreDataSource.raw(proxyOrManager) instanceof ConfigurableTransactionManager manager)) {
            return;
        }
        DataSource dataSource = StoreDataSource.of(manager);
        if (dataSource == null) {
            return;
        }
        TransactionWatch watch = new TransactionWatch(manager, dataSource);
        List<TransactionExecutionListener> listeners = new ArrayList<>(manager.getTransactionExecutionListeners());
        if (!listeners.contains(watch)) {
            listeners.add(watch);
            manager.setTransactionExecutionListeners(listeners);
        }
    }

    /** Watches all managers that are beans, from their beginning. */
    static BeanPostProcessor overBeans() {
        return new BeanPostProcessor() {
            @Override
            public Object postProcessAfterInitialization(Object bean, String name) {
                over(bean);
                return bean;
            }
        };
    }

    /** Watches the managers of parent contexts, which were made before. */
    static void overAncestors(HierarchicalBeanFactory beans) {
        if (beans.getParentBeanFactory() instanceof ListableBeanFactory parent) {
            BeanFactoryUtils.beansOfTypeIncludingAncestors(parent, ConfigurableTransactionManager.class)
                    .values()
                    .forEach(TransactionWatch::over);
        }
    }

    static State of(ConnectionHolder holder) {
        return TransactionSynchronizationManager.getResource(holder) instanceof State state ? state : State.UNSEEN;
    }

    @Override
    public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
        if (failure == null) {
            note(transaction, State.OPEN);
        }
    }

    @Override
    public void beforeCommit(TransactionExecution transaction) {
        note(transaction, State.ENDED);
    }

    @Override
    public void beforeRollback(TransactionExecution transaction) {
        note(transaction, State.ENDED);
    }

    @Override
    public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
        note(transaction, null);
    }

    @Override
    public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
        note(transaction, null);
    }

    /** A savepoint, and a method that takes part in what another has begun, is no transaction of its own. */
    private void note(TransactionExecution transaction, @Nullable State state) {
        if (transaction.isNewTransaction()
                && TransactionSynchronizationManager.getResource(dataSource) instanceof ConnectionHolder holder) {
            TransactionSynchronizationManager.unbindResourceIfPossible(holder);
            if (state != null) {
                TransactionSynchronizationManager.bindResource(holder, state);
            }
        }
    }
}
