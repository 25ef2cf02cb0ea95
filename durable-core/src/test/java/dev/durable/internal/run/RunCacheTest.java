package dev.durable.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.store.RunKey;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The actor that is found for a run. */
class RunCacheTest {
    private final RunCache cache = new RunCache(1_000_000);
    private final RunKey run = new RunKey(new UUID(1, 2), "order-1");

    /** A run that lost its fence to a claim of this process leaves the cache; then the claim arrives, at that very actor. */
    @Test
    void an_actor_that_was_taken_out_and_goes_on_is_found_again() {
        RunActor actor = cache.getOrAdd(run, null, new RunActorLoop());
        cache.remove(actor);
        assertThat(cache.get(run.runId())).isEmpty();

        cache.touch(actor);

        assertThat(cache.get(run.runId())).containsSame(actor);
    }
}
