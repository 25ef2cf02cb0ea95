package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.CancelledException;
import dev.durable.Durable;
import dev.durable.Promise;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.WorkflowFailedException;
import dev.durable.history.ActivityAttemptFailed;
import dev.durable.history.ActivityCompleted;
import dev.durable.history.ActivityFailed;
import dev.durable.history.ActivityScheduled;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Local activities, from the call to the history; run on each kind of store. */
abstract class LocalActivitiesTest {

    @Activity(local = true, retry = @Retry(maxAttempts = 3, initialInterval = "1m", jitter = 0))
    interface Lookups {
        int price(String article) throws OutOfStock;

        @Activity(startToClose = "10s", retry = @Retry(maxAttempts = 1))
        String slow();
    }

    @Activity
    interface Shop {
        String order(int total);
    }

    static class OutOfStock extends Exception {
        OutOfStock(String message) {
            super(message);
        }
    }

    @Workflow
    static class Basket {
        private final Lookups lookups;
        private final Shop shop;

        Basket(Lookups lookups, Shop shop) {
            this.lookups = lookups;
            this.shop = shop;
        }

        @Run
        String run(List<String> articles) throws OutOfStock {
            int total = 0;
            for (String article : articles) {
                total += lookups.price(article);
            }
            List<Promise<Integer>> again = new ArrayList<>();
            for (String article : articles) {
                again.add(Durable.async(lookups::price, article));
            }
            for (Promise<Integer> price : again) {
                total += price.get();
            }
            return shop.order(total);
        }
    }

    @Workflow
    static class Impatient {
        private final Lookups lookups;

        Impatient(Lookups lookups) {
            this.lookups = lookups;
        }

        @Run
        String run(Duration patience) {
            Promise<String> slow = Durable.async(lookups::slow);
            if (!patience.isZero()) {
                Durable.sleep(patience);
            }
            slow.cancel();
            try {
                return slow.get();
            } catch (CancelledException e) {
                return "gave up";
            }
        }
    }

    private final List<String> asked = new ArrayList<>();
    private final AtomicInteger failures = new AtomicInteger();
    private final AtomicInteger cancelled = new AtomicInteger();

    private final Lookups lookups = new Lookups() {
        @Override
        public int price(String article) throws OutOfStock {
            asked.add(article + " " + ActivityContext.current().info().attempt());
            if (failures.getAndDecrement() > 0) {
                throw new IllegalStateException("the price list is being printed");
            }
            if (article.equals("moon")) {
                throw new OutOfStock("no more moons");
            }
            return article.length();
        }

        @Override
        public String slow() {
            while (!ActivityContext.current().cancelRequested()) {
                Thread.onSpinWait();
            }
            cancelled.incrementAndGet();
            ActivityContext.current().heartbeat(null);
            return "never";
        }
    };

    private void set(TestEngine engine) {
        engine.register(Basket.class, Impatient.class)
                .activity(Lookups.class, lookups)
                .activity(Shop.class, total -> "ordered for " + total);
    }

    @Test
    void a_local_call_is_one_event_that_says_all(TestEngine engine) {
        set(engine);
        var h = engine.client().start(Basket.class, "b-1", w -> w.run(List.of("egg", "milk")));
        assertThat(h.result()).isEqualTo("ordered for 14");
        assertThat(h.history().events(ActivityScheduled.class)).hasSize(1);
        assertThat(h.history())
                .isCompleted()
                .completedActivities("Lookups.price", "Lookups.price", "Lookups.price", "Lookups.price", "Shop.order");
        assertThat(h.history().events(ActivityCompleted.class))
                .first()
                .satisfies(event -> assertThat(event.local().input().json()).isEqualTo("[\"egg\"]"));
        assertThat(asked).hasSize(4);
    }

    @Test
    void failed_attempts_are_retried_and_noted(TestEngine engine) {
        set(engine);
        failures.set(2);
        var h = engine.client().start(Basket.class, "b-1", w -> w.run(List.of("egg")));
        assertThat(h.result()).isEqualTo("ordered for 6");
        assertThat(asked).startsWith("egg 1", "egg 2", "egg 3");
        assertThat(h.history().events(ActivityAttemptFailed.class)).hasSize(2);
    }

    @Test
    void a_named_exception_comes_back_as_itself_after_all_attempts(TestEngine engine) {
        set(engine);
        var h = engine.client().start(Basket.class, "b-1", w -> w.run(List.of("moon")));
        assertThatThrownBy(h::result)
                .isInstanceOf(WorkflowFailedException.class)
                .hasRootCauseInstanceOf(OutOfStock.class);
        assertThat(h.history()).failedActivities("Lookups.price");
        assertThat(asked).containsExactly("moon 1", "moon 2", "moon 3");
    }

    @Test
    void one_that_is_cancelled_before_it_began_never_runs(TestEngine engine) {
        set(engine);
        var h = engine.client().start(Impatient.class, "i-1", w -> w.run(Duration.ZERO));
        assertThat(h.result()).isEqualTo("gave up");
        assertThat(cancelled).hasValue(0);
    }

    @Test
    void a_run_that_was_terminated_calls_nothing_any_more(TestEngine engine) {
        set(engine);
        failures.set(2);
        var h = engine.client().start(Basket.class, "b-1", w -> w.run(List.of("egg")));
        engine.settle();
        assertThat(asked).containsExactly("egg 1");

        h.terminate("as the test wants it");
        engine.advance(Duration.ofSeconds(10));
        engine.advance(Duration.ofMinutes(10));

        assertThat(asked).containsExactly("egg 1");
    }

    @Test
    void a_worker_without_the_local_activity_stalls_the_run_and_says_so(TestEngine engine) {
        engine.register(Impatient.class);
        var h = engine.client().start(Impatient.class, "i-1", w -> w.run(Duration.ofDays(1)));
        assertThatThrownBy(engine::settle)
                .isInstanceOf(WorkflowStalledException.class)
                .hasMessageContaining("local activity Lookups.slow can't be begun on this worker");
        assertThat(h.describe().stalledBy()).contains("local activity Lookups.slow can't be begun on this worker");
        h.terminate("seen");
    }

    @Test
    void a_local_activity_cannot_checkpoint(TestEngine engine) {
        engine.register(Impatient.class).activity(Lookups.class, new Lookups() {
            @Override
            public int price(String article) {
                return 0;
            }

            @Override
            public String slow() {
                ActivityContext.current().checkpoint("row 1");
                return "kept";
            }
        });
        var h = engine.client().start(Impatient.class, "i-1", w -> w.run(Duration.ofSeconds(1)));
        engine.settle();
        assertThat(h.history().stream().filter(ActivityFailed.class::isInstance))
                .singleElement()
                .satisfies(
                        failed -> assertThat(((ActivityFailed) failed).failure().message())
                                .contains("a local activity has no job that could keep it"));
        h.terminate("seen");
    }
}
