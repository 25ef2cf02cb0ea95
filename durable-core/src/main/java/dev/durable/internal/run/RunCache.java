package dev.durable.internal.run;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Policy;
import com.github.benmanes.caffeine.cache.RemovalCause;
import dev.durable.store.RunKey;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The runs that this process keeps in memory, bounded by their estimated size; those that are little used are dropped.
 * Dropping one costs a replay, never correctness: its actor finishes the transition under way, and later events of the
 * run go through the store.
 */
public final class RunCache {
    private final Cache<UUID, RunActor> actors;

    /** Creates a cache whose evictions are not reported. */
    RunCache(long maxBytes) {
        this(maxBytes, () -> {});
    }

    /**
     * @param maxBytes the estimated size from which on runs are dropped
     * @param onEvict called for each dropped run
     */
    public RunCache(long maxBytes, Runnable onEvict) {
        this.actors = Caffeine.newBuilder()
                .maximumWeight(maxBytes)
                .weigher((UUID id, RunActor actor) -> actor.weight().weigh())
                .executor(Runnable::run)
                .evictionListener((@Nullable UUID id, @Nullable RunActor actor, RemovalCause cause) -> {
                    if (actor != null) {
                        actor.post(new RunMail.Evict());
                        onEvict.run();
                    }
                })
                .build();
    }

    Optional<RunActor> get(UUID runId) {
        return Optional.ofNullable(actors.getIfPresent(runId));
    }

    RunActor getOrAdd(RunKey run, RunServices host, RunActorLoop turns) {
        return actors.get(run.runId(), id -> new RunActor(run, host, turns));
    }

    /** Returns the runs that wait for local activities. */
    List<RunKey> pinned() {
        return actors.asMap().values().stream()
                .filter(actor -> actor.weight().isPinned())
                .map(RunActor::key)
                .toList();
    }

    /**
     * Weighs a run anew. A run that was taken out while a claim was on its way to it is in the cache again afterwards.
     */
    void touch(RunActor actor) {
        actors.put(actor.key().runId(), actor);
    }

    void remove(RunActor actor) {
        actors.asMap().remove(actor.key().runId(), actor);
    }

    /** Sets the estimated size from which on runs are dropped; runs beyond it are dropped at once. */
    public void maxBytes(long bytes) {
        bound().setMaximum(bytes);
    }

    long maxBytes() {
        return bound().getMaximum();
    }

    /** Returns the bytes of all runs that can be dropped. */
    long bytes() {
        return bound().weightedSize().orElseThrow();
    }

    private Policy.Eviction<UUID, RunActor> bound() {
        return actors.policy().eviction().orElseThrow();
    }

    long size() {
        return actors.estimatedSize();
    }

    /** Removes all runs. Their coroutines stay parked until {@link RunActorLoop#close}. */
    void clear() {
        actors.invalidateAll();
    }
}
