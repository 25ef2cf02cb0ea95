package dev.durable.internal.engine;

import dev.durable.client.UpkeepStep;
import dev.durable.internal.drive.Drive;
import dev.durable.internal.observe.Tries;
import dev.durable.internal.upkeep.InstallationWatch;
import dev.durable.store.HistoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Says in words what keeps an engine from its work: an outage of the database, actions that fail at every try, a loop that
 * hangs, chores of upkeep that are late, a store that is not the process's own. Asks no database.
 */
final class EngineHealth {
    /**
     * How long an outage lasts before health reports it; a shorter one is none to act upon. The store is checked every
     * ten seconds.
     */
    private static final Duration AWAY = Duration.ofSeconds(15);

    private static final Duration HUNG = Duration.ofMinutes(1);

    private final HistoryStore store;
    private final Drive drive;
    private final InstallationWatch watch;
    private final Tries tries;
    private final Supplier<List<UpkeepStep>> upkeep;
    private final BooleanSupplier halted;

    EngineHealth(
            HistoryStore store,
            Drive drive,
            InstallationWatch watch,
            Tries tries,
            Supplier<List<UpkeepStep>> upkeep,
            BooleanSupplier halted) {
        this.store = store;
        this.drive = drive;
        this.watch = watch;
        this.tries = tries;
        this.upkeep = upkeep;
        this.halted = halted;
    }

    /** Returns all problems, also those of an outage that may pass. */
    List<String> problems(boolean closed) {
        List<String> problems = new ArrayList<>(lasting(closed));
        if (!closed) {
            if (!isAway()) {
                store.trouble().ifPresent(problems::addFirst);
            }
            store.nudges().trouble().ifPresent(problems::add);
            if (halted.getAsBoolean()) {
                problems.add("everything is halted: no run is claimed and no body begins, until an operator calls"
                        + " client.queues().endHalt(). The audit says who has halted it, when and why.");
            }
        }
        return problems;
    }

    /** Returns the problems with which the process should get no requests. */
    List<String> lasting(boolean closed) {
        if (closed) {
            return List.of("the engine is closed");
        }
        List<String> problems = new ArrayList<>(watch.problems());
        if (isAway()) {
            problems.addFirst("the database could not be used for "
                    + store.troubledFor().toSeconds() + " s: " + store.trouble().orElse("it does not answer"));
        }
        failing().stream().map(Tries.Lasting::text).forEach(problems::add);
        Duration still = Duration.ofNanos(drive.nanosSinceProgress());
        if (still.compareTo(HUNG) >= 0) {
            problems.add("a loop has made no progress for " + still.toSeconds()
                    + " s: it hangs, or the machine stands still. Take a thread dump, and restart the process; nothing is"
                    + " lost.");
        }
        upkeep.get().stream()
                .filter(UpkeepStep::late)
                .map(step -> "upkeep step \"" + step.name() + "\" is late, last done "
                        + (step.lastRun() == null ? "never" : "at " + step.lastRun())
                        + ": the database does not answer or refuses it, or a loop hangs. The log says which.")
                .forEach(problems::add);
        return problems;
    }

    /**
     * Returns the actions that have failed at every try for a minute; during an outage of the database, without those
     * that fail only because of it.
     */
    List<Tries.Lasting> failing() {
        boolean away = isAway();
        return tries.lasting().stream().filter(each -> !(away && each.away())).toList();
    }

    private boolean isAway() {
        return store.troubledFor().compareTo(AWAY) >= 0;
    }
}
