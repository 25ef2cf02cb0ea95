package dev.durable.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.internal.attempt.ActivityQueue;
import dev.durable.internal.attempt.ActivitySlots;
import dev.durable.internal.engine.EngineBuilder;
import dev.durable.store.memory.InMemoryHistoryStore;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ActivityPoolTest {
    private final ActivitySlots slots = new ActivitySlots(8);
    private final ActivityQueue mail = new ActivityQueue("mail", slots, Runnable::run);
    private final ActivityQueue other = new ActivityQueue("default", slots, Runnable::run);
    private final ActivityPool pool = new ActivityPool("io", slots, Map.of(other, 1, mail, 3));

    @Test
    void slots_are_shared_by_weight() {
        assertThat(pool.share(8, List.of(mail, other))).isEqualTo(Map.of(mail, 6, other, 2));
    }

    @Test
    void one_slot_at_a_time_comes_to_the_same() {
        Map<ActivityQueue, Integer> all = new HashMap<>();
        for (int i = 0; i < 400; i++) {
            pool.share(1, List.of(mail, other)).forEach((queue, share) -> all.merge(queue, share, Integer::sum));
        }
        assertThat(all).isEqualTo(Map.of(mail, 300, other, 100));
    }

    @Test
    void what_one_leaves_the_other_gets() {
        assertThat(pool.share(8, List.of(other))).isEqualTo(Map.of(other, 8));
        assertThat(pool.share(8, List.of())).isEmpty();
    }

    @Test
    void a_pool_that_makes_no_sense_is_refused_with_the_way_out() {
        EngineBuilder builder = new EngineBuilder(new InMemoryHistoryStore());
        assertThatThrownBy(() -> builder.pool("io", p -> p.slots(5)))
                .hasMessage(
                        "pool io has no queue: name those that share its slots, p -> p.slots(50).queue(\"mail\", 3)");
        assertThatThrownBy(() -> builder.pool("io", p -> p.slots(0)))
                .hasMessage("pool io: slots must be at least 1, not 0");
        assertThatThrownBy(() -> builder.pool("io", p -> p.queue("mail", 0)))
                .hasMessage(
                        "pool io: a queue needs a name and a weight of at least 1, not \"mail\" and 0. A queue that is"
                                + " not to be served is left out.");
        builder.pool("io", p -> p.queue("mail", 1));
        assertThatThrownBy(() -> builder.queue("mail", q -> q.slots(1)))
                .hasMessage(
                        "task queue mail is in pool io and served a second time. One process serves a queue once: by"
                                + " queue(…), or in one pool.");
        assertThatThrownBy(() -> builder.pool("cpu", p -> p.queue("mail", 1))).hasMessageContaining("a second time");
    }
}
