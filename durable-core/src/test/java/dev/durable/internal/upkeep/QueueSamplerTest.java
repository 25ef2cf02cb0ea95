package dev.durable.internal.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.observe.EngineObserver;
import dev.durable.observe.QueueSample;
import dev.durable.store.HistoryStore;
import dev.durable.store.memory.InMemoryHistoryStore;
import dev.durable.store.memory.VirtualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class QueueSamplerTest {
    private static final Duration LEASE = Duration.ofSeconds(30);

    private final VirtualClock clock = new VirtualClock();
    private final HistoryStore store = InMemoryHistoryStore.on(clock);
    private final List<String> told = new ArrayList<>();
    private final UUID oldest = opened("oldest");
    private final UUID younger = opened("younger");
    private final QueueSampler ofOldest = sampler("oldest", oldest);
    private final QueueSampler ofYounger = sampler("younger", younger);

    private UUID opened(String identity) {
        UUID session = UUID.randomUUID();
        store.openSession(session, identity, LEASE);
        clock.advance(Duration.ofSeconds(1));
        return session;
    }

    private QueueSampler sampler(String identity, UUID session) {
        EngineObserver observer = new EngineObserver() {
            @Override
            public void queuesSampled(QueueSample sample) {
                told.add(identity + " samples");
            }

            @Override
            public void queuesLeftToOthers() {
                told.add(identity + " leaves it to others");
            }
        };
        return new QueueSampler(store, () -> session, observer, () -> 0, new Random(1));
    }

    @Test
    void one_process_reads_the_queues_for_all_and_another_follows_when_it_stops() {
        ofYounger.runOnce();
        ofOldest.runOnce();
        assertThat(told).containsExactly("oldest samples");
        assertThat(ofOldest.samples()).isTrue();
        assertThat(ofYounger.samples()).isFalse();

        store.closeSession(oldest);
        ofYounger.runOnce();

        assertThat(told).containsExactly("oldest samples", "younger samples");
    }

    @Test
    void a_process_that_was_declared_dead_leaves_it_to_others() {
        ofOldest.runOnce();

        store.markDead(oldest, 0);
        ofOldest.runOnce();
        ofYounger.runOnce();

        assertThat(told).containsExactly("oldest samples", "oldest leaves it to others", "younger samples");
    }
}
