package dev.durable.internal.replay.coroutine;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.internal.replay.match.AsideThreads;
import dev.durable.internal.replay.match.StalledException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Nothing waits for the outcome of a coroutine that an event has started. */
class RootsTest {
    private final Dispatcher dispatcher = Dispatcher.of(
            new RunThreads(new UUID(0, 1), "OrderWorkflow order-1", RootsTest.class, true, new AsideThreads()),
            new Restrictions());
    private final PromiseHost run = (PromiseHost) Proxy.newProxyInstance(
            PromiseHost.class.getClassLoader(),
            new Class<?>[] {PromiseHost.class},
            (proxy, method, arguments) -> method.getName().equals("nextSettled") ? 1L : null);
    private final Coroutines coroutines = new Coroutines(run, dispatcher, () -> {}, () -> () -> {});

    @Test
    void what_leaves_one_stalls_the_run() {
        dispatcher.ready(coroutines.root("run", () -> {
            throw new IllegalStateException("no end was made of it");
        }));
        AtomicInteger turns = new AtomicInteger();

        assertThatThrownBy(() -> dispatcher.drive(() -> turns.getAndIncrement() == 0, Duration.ofMinutes(1)))
                .isInstanceOf(StalledException.class)
                .hasMessageStartingWith(
                        "OrderWorkflow order-1 is stalled: java.lang.IllegalStateException: no end was made of it")
                .hasMessageContaining("It came out of the engine's own part of the turn, so it does not fail the run")
                .hasCauseInstanceOf(IllegalStateException.class);
    }
}
