package dev.durable.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.store.HistoryStore;
import dev.durable.store.QueueRules;
import dev.durable.store.memory.InMemoryHistoryStore;
import dev.durable.store.memory.VirtualClock;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A job whose delay is longer than the half minute that its worker looks ahead. */
class BreakRulesTest {
    private final VirtualClock clock = new VirtualClock();
    private final HistoryStore memory = InMemoryHistoryStore.on(clock);
    private final Instant due = clock.now().plusSeconds(40);
    private final List<Duration> told = new ArrayList<>();
    private final RulesWatch rules = new RulesWatch(
            withDelayedJob(),
            Set.of("default"),
            new PollPace(Duration.ofSeconds(1), new Random(1)),
            read -> told.add(Duration.between(clock.now(), read.nextDelayed().get("default"))));

    @Test
    void who_is_to_wake_up_when_a_delay_ends_is_told_again_when_that_is_near() {
        for (int i = 0; i < 39; i++) {
            rules.runOnce();
            clock.advance(Duration.ofSeconds(1));
        }
        assertThat(told).as("times left of which Activities.wakeAt was told").anyMatch(left -> left.toSeconds() < 30);
    }

    private HistoryStore withDelayedJob() {
        return (HistoryStore) Proxy.newProxyInstance(
                HistoryStore.class.getClassLoader(),
                new Class<?>[] {HistoryStore.class},
                (proxy, method, arguments) -> {
                    try {
                        return method.getName().equals("queueRules")
                                ? new QueueRules(Map.of(), Set.of(), Map.of("default", due))
                                : method.invoke(memory, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
