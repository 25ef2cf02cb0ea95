package dev.durable.internal.upkeep;

import dev.durable.ForeignInstallationException;
import dev.durable.StoreUnavailableException;
import dev.durable.internal.drive.Step;
import dev.durable.store.Fitness;
import dev.durable.store.HistoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks at the start and every ten seconds that the schema belongs to this process's installation and that its
 * database user has the rights it needs, for {@code healthy()} and {@code problems()}. The store itself refuses to
 * write to a schema of another installation; this step is for health checks.
 */
public final class InstallationWatch implements Step {
    private static final Logger log = LoggerFactory.getLogger(InstallationWatch.class);
    private static final Duration INTERVAL = Duration.ofSeconds(10);

    private final HistoryStore store;
    private final @Nullable String installation;
    private volatile Fitness last = Fitness.GOOD;
    private volatile List<String> told = List.of();

    /**
     * @param installation the name of this process's installation; null without a name
     */
    public InstallationWatch(HistoryStore store, @Nullable String installation) {
        this.store = store;
        this.installation = installation;
    }

    /**
     * Checks the store now.
     *
     * @throws StoreUnavailableException where the database does not answer
     */
    public void look() {
        last = store.inspect(installation);
    }

    /** Logs the problems, where they have changed. */
    public void tell() {
        List<String> now = problems();
        if (!now.equals(told)) {
            told = now;
            now.forEach(log::error);
            if (now.isEmpty()) {
                log.info("the store is this process's own, and it has all the rights that it needs");
            }
        }
    }

    /**
     * Refuses work on a store that belongs to another installation.
     *
     * @throws ForeignInstallationException where the last check found that the schema belongs to another installation
     */
    public void mustBeOwn() {
        ForeignInstallationException foreign = last.foreign();
        if (foreign != null) {
            // A new exception, so that its stack shows the caller.
            throw new ForeignInstallationException(String.valueOf(foreign.getMessage()));
        }
    }

    /** Returns the problems of the last check, each with the way out. */
    public List<String> problems() {
        Fitness now = last;
        List<String> problems = new ArrayList<>(now.problems());
        if (now.foreign() != null) {
            problems.addFirst(String.valueOf(now.foreign().getMessage()));
        }
        return problems;
    }

    @Override
    public Duration runOnce() {
        look();
        tell();
        return INTERVAL;
    }
}
