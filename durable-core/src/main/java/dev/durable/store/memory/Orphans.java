package dev.durable.store.memory;

import dev.durable.store.HeldJob;
import java.util.Collection;
import java.util.List;
import java.util.UUID;

/** Puts back or ends the jobs of a session when the session ends or dies. */
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
        orphans.forEach(job -> tables.orphaned(job, job.orphaned().afterCrash(tables.now())));
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

    /** Closes a session in good order: no crash is counted. */
    void release(UUID session) {
        tables.sessions().close(session);
        tables.places().freeAllOf(session::equals);
        tables.runs().disown(session);
        tables.jobs()
                .heldBy(session)
                .forEach(job -> tables.orphaned(job, job.orphaned().afterClose(tables.now())));
    }
}
