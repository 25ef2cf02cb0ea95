package dev.durable.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.store.HistoryStore;
import dev.durable.store.memory.InMemoryHistoryStore;
import dev.durable.store.memory.VirtualClock;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RulesWatchTest {
    private final HistoryStore memory = InMemoryHistoryStore.on(new VirtualClock());
    private Runnable meanwhile = () -> {};
    private final RulesWatch rules = new RulesWatch(
            interrupted(), Set.of("default"), new PollPace(Duration.ofSeconds(1), new Random(1)), read -> {});

    @Test
    void rules_that_are_changed_while_they_are_read_are_read_again_and_meanwhile_nothing_begins_without_a_claim() {
        meanwhile = rules::forget;
        assertThat(rules.runOnce()).isEqualTo(Step.AGAIN);
        assertThat(rules.free("default", "Mail.send")).isFalse();

        meanwhile = () -> {};
        assertThat(rules.runOnce()).isPositive();
        assertThat(rules.free("default", "Mail.send")).isTrue();
    }

    /** What was read is on its way back when somebody changes it. */
    private HistoryStore interrupted() {
        return (HistoryStore) Proxy.newProxyInstance(
                HistoryStore.class.getClassLoader(),
                new Class<?>[] {HistoryStore.class},
                (proxy, method, arguments) -> {
                    try {
                        Object answer = method.invoke(memory, arguments);
                        if (method.getName().equals("queueRules")) {
                            meanwhile.run();
                        }
                        return answer;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
