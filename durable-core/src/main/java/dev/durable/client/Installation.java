package dev.durable.client;

import dev.durable.ForeignInstallationException;
import dev.durable.internal.client.StoreInstallation;
import dev.durable.store.StoreSource;

/**
 * Names the installation whose work a store holds, and makes a copy of a store an installation of its own:
 *
 * <pre>{@code
 * Installation.of(PostgresHistoryStore.of(copy)).by("ann").adopt("staging", OpenWork.CANCEL);
 * }</pre>
 *
 * <p>A store knows the name of its installation ({@link DurableEngine.Builder#installation}), or without a name the database
 * that it was made in. A process of another installation does not work there ({@link ForeignInstallationException}), so a
 * copy of production stands still until an operator adopts it. Thread-safe.
 */
public interface Installation {

    /** The installation whose work stands in this store, which may be a copy. */
    static Installation of(StoreSource store) {
        return StoreInstallation.of(store.historyStore());
    }

    /** Names the operator, for the audit; the user of this process by default. */
    Installation by(String actor);

    /**
     * Makes the store an installation of this name, in one transaction with its row in the audit. Only the owner of the
     * schema may. Processes that call their installation by another name, or have no name for it, do no work there from
     * then on; those that run notice within ten seconds.
     *
     * @param name the name in the configuration of its processes ({@link DurableEngine.Builder#installation}, {@code
     *     durable.installation})
     * @param open what becomes of the work that is open there
     * @return how many runs were ended
     * @throws IllegalStateException where its open work is to be cancelled, and it is the installation of this name already
     * @throws IllegalArgumentException where the name is blank or longer than 100 characters
     */
    long adopt(String name, OpenWork open);

    /** The choices for work that is open in a store that is adopted. */
    enum OpenWork {
        /**
         * All of it ends: each open run is terminated, with its activities, timers and messages, and what waits to be
         * delivered goes. None of its code runs any more, so nothing is compensated. For a copy to test with.
         */
        CANCEL,
        /**
         * It stays as it is, until it is adopted again: no run, activity or timer goes on and calls that write are
         * refused. Processes that work there already notice it within ten seconds, so stop them first. For a copy to
         * look at.
         */
        FREEZE,
        /**
         * It goes on. For a database that took the place of the one that was lost or left: of two that are alive, both do
         * the same work.
         */
        CONTINUE
    }
}
