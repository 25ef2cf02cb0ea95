package dev.durable.store.memory;

import dev.durable.store.HeldJob;
import java.util.Collection;
import java.util.List;
import java.util.UUID;

/** Jobs by the session that runs them: what it holds, and what becomes of it when the session goes. */
final class Orphans {
    private final Tables tables;

    Orphans(Tables tables) {
        this.tables = tables;
    }

    int requeue(int limit) {
        List<Job> orphans = tables.jobs().holders().stream()
                .filter(session -> !tables.sessions().isAlive(session))
                .map(tables.jobs()::heldBy)
                .flatMap(Collection::stream)
                .limit(limit)
                .toList();
        orphans.forEach(tables::crash);
        tables.places().freeAllOf(session -> !tables.sessions().isAlive(session));
        tables.sessions().forgetDead(tables.jobs().holders());
        return orphans.size();
    }

    List<HeldJob> held(UUID session) {
        return tables.jobs().heldBy(session).stream().map(Job::held).toList();
    }

    boolean markDead(UUID session, long beat) {
        boolean died = tables.sessions().markDead(session, beat);
        if (died) {
            tables.runs().disown(session);
        }
        return died;
    }

    /** It says goodbye itself: no crash. */
    void release(UUID session) {
        tables.sessions().close(session);
        tables.places().freeAllOf(session::equals);
        tables.runs().disown(session);
        tables.jobs().heldBy(session).forEach(tables::release);
    }
}
