package dev.durable.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.internal.drive.PollPace;
import dev.durable.internal.drive.Step;
import dev.durable.internal.observe.Tries;
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
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class RulesWatchTest {
    private final VirtualClock clock = new VirtualClock();
    private final HistoryStore memory = InMemoryHistoryStore.on(clock);
    private Runnable meanwhile = () -> {};
    private QueueRules here = QueueRules.NONE;
    /** How long it was until the end of the next delay, each time that the rules were told. */
    private final List<Duration> told = new ArrayList<>();

    private final RulesWatch rules = new RulesWatch(
            interrupted(),
            Set.of("default"),
            new PollPace(Duration.ofSeconds(1), new Random(1)),
            read -> {
                Instant due = read.nextDelayed().get("default");
                if (due != null) {
                    told.add(Duration.between(clock.now(), due));
                }
            },
            new Tries(System::nanoTime, UnaryOperator.identity()));

    @Test
    void rules_that_are_changed_while_they_are_read_are_read_again_and_meanwhile_nothing_begins_without_a_claim() {
        meanwhile = rules::forget;
        assertThat(rules.runOnce()).isEqualTo(Step.AGAIN);
        assertThat(rules.free("default", "Mail.send")).isFalse();

        meanwhile = () -> {};
        assertThat(rules.runOnce()).isPositive();
        assertThat(rules.free("default", "Mail.send")).isTrue();
    }

    @Test
    void the_end_of_a_delay_is_told_when_it_is_known_and_once_more_when_it_is_near() {
        here = new QueueRules(Map.of(), Set.of(), Map.of("default", clock.now().plusSeconds(40)));
        for (int i = 0; i < 39; i++) {
            rules.runOnce();
            clock.advance(Duration.ofSeconds(1));
        }
        assertThat(told).containsExactly(Duration.ofSeconds(40), Duration.ofSeconds(29));
    }

    /** Changes the rules while the answer of a reading is on its way back. */
    private HistoryStore interrupted() {
        return (HistoryStore) Proxy.newProxyInstance(
                HistoryStore.class.getClassLoader(),
                new Class<?>[] {HistoryStore.class},
                (proxy, method, arguments) -> {
                    try {
                        Object answer = method.invoke(memory, arguments);
                        if (method.getName().equals("queueRules")) {
                            meanwhile.run();
                            return here;
                        }
                        return answer;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
