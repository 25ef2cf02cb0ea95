package dev.durable.samples.snippets;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.ActivityFailedException;
import dev.durable.CompletablePromise;
import dev.durable.Durable;
import dev.durable.MapResult;
import dev.durable.Promise;
import dev.durable.RetryPolicy;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.WaitTimedOutException;
import dev.durable.Workflow;
import dev.durable.WorkflowFailedException;
import dev.durable.client.WorkflowStatus;
import dev.durable.testing.DurableTest;
import dev.durable.testing.TestEngine;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The constructs of workflow code that put others together, as {@code docs/workflows.md} shows them. */
@DurableTest
class BlocksTest {
    private final Depot depot = new Depot();

    // ── promises that code completes ────────────────────────────────────────────────────────────────────────────────

    // docs: new-promise
    @Workflow
    static class Release {
        private final Parcels parcels;
        private final CompletablePromise<String> released = Durable.newPromise(String.class);

        Release(Parcels parcels) {
            this.parcels = parcels;
        }

        @Run
        String run(String order) {
            Promise<String> label = released.then(by -> parcels.label(order)); // begins when it is released
            return "label " + label.get() + ", released by " + released.get(); // both wait as for any promise
        }

        @Signal
        void release(String by) {
            if (!released.complete(by)) { // the first completion wins and says so
                parcels.tell("it was released before");
            }
        }

        @Signal
        void reject(String why) {
            released.fail(new IllegalStateException(why)); // get() throws it
        }
    }
    // docs: end

    @Test
    void theFirstCompletionWins(TestEngine engine) {
        engine.register(Release.class).activity(Parcels.class, depot);
        var released = engine.client().start(Release.class, "release-1", w -> w.run("7"));
        released.signal(w -> w.release("ann"));
        released.signal(w -> w.reject("too late"));
        assertThat(released.result()).isEqualTo("label L-7, released by ann");
        var rejected = engine.client().start(Release.class, "release-2", w -> w.run("8"));
        rejected.signal(w -> w.reject("not paid"));
        assertThatThrownBy(rejected::result)
                .isInstanceOf(WorkflowFailedException.class)
                .hasMessageContaining("not paid");
    }

    // ── map with failures ───────────────────────────────────────────────────────────────────────────────────────────

    // docs: tolerant-map
    @Workflow
    static class Labels {
        private final Parcels parcels;

        Labels(Parcels parcels) {
            this.parcels = parcels;
        }

        @Run
        List<String> run(List<String> orders) {
            MapResult<String, String> labels =
                    Promise.map(orders, o -> o.atOnce(20).toleratedFailures(orders.size() / 10), parcels::label);
            labels.throwIfFailed(); // more than a tenth failed; those under way were cancelled
            for (MapResult.Failed<String> failed : labels.failures()) { // in the order of the items
                parcels.tell("no label for item " + failed.index());
            }
            return labels.results();
        }
    }
    // docs: end

    @Test
    void aTenthMayFail(TestEngine engine) {
        engine.register(Labels.class).activity(Parcels.class, depot);
        List<String> orders =
                IntStream.range(0, 200).mapToObj(i -> i % 11 == 3 ? "" : "" + i).toList();
        assertThat(engine.client()
                        .start(Labels.class, "labels-1", w -> w.run(orders))
                        .result())
                .hasSize(182)
                .startsWith("L-0", "L-1", "L-2", "L-4");
        assertThat(depot.done).contains("no label for item 3", "no label for item 14");
        var few = engine.client().start(Labels.class, "labels-2", w -> w.run(List.of("", "1")));
        assertThatThrownBy(few::result).hasMessageContaining("Promise.map did not succeed: of 2 items");
    }

    // docs: quorum
    @Workflow
    static class TwoQuotes {
        private final Parcels parcels;

        TwoQuotes(Parcels parcels) {
            this.parcels = parcels;
        }

        @Run
        BigDecimal run(String order, List<String> carriers) {
            return Promise.map(carriers, o -> o.minSuccessful(2), carrier -> parcels.quote(carrier, order))
                    .throwIfFailed()
                    .results()
                    .stream()
                    .min(BigDecimal::compareTo)
                    .orElseThrow(); // the cheaper of the first two; the other carriers were asked to stop
        }
    }
    // docs: end

    @Test
    void twoQuotesAreEnough(TestEngine engine) {
        engine.register(TwoQuotes.class).activity(Parcels.class, depot);
        assertThat(engine.client()
                        .start(TwoQuotes.class, "quotes-1", w -> w.run("7", List.of("aaa", "bb", "cccc")))
                        .result())
                .isBetween(new BigDecimal(2), new BigDecimal(3));
    }

    // ── retry, poll ─────────────────────────────────────────────────────────────────────────────────────────────────

    // docs: retry-block
    @Workflow
    static class FreshQuote {
        private final Parcels parcels;

        FreshQuote(Parcels parcels) {
            this.parcels = parcels;
        }

        @Run
        String run(String order) {
            return Durable.retry(
                    o -> o.maxAttempts(5)
                            .initialInterval(Duration.ofMinutes(10))
                            .within(Duration.ofHours(8)),
                    () -> {
                        BigDecimal price = parcels.quote("post", order); // asked again in each attempt
                        parcels.tell("the price is " + price);
                        return parcels.label(order); // its own retries are used up when it fails here
                    });
        }
    }
    // docs: end

    @Test
    void aBlockIsRunAgain(TestEngine engine) {
        Depot late = new Depot() {
            private int failures = 4;

            @Override
            public String label(String order) {
                if (failures-- > 0) {
                    throw new IllegalStateException("no labels now");
                }
                return super.label(order);
            }
        };
        engine.register(FreshQuote.class).activity(Parcels.class, late);
        Instant before = engine.now();
        assertThat(engine.client()
                        .start(FreshQuote.class, "fresh-1", w -> w.run("7"))
                        .result())
                .isEqualTo("L-7");
        assertThat(Duration.between(before, engine.now())).isBetween(Duration.ofMinutes(8), Duration.ofMinutes(13));
        assertThat(late.done).containsExactly("the price is 4", "the price is 4", "label 7");
    }

    // docs: poll
    @Workflow
    static class Arrival {
        private final Parcels parcels;

        Arrival(Parcels parcels) {
            this.parcels = parcels;
        }

        @Run
        Instant run(String label) {
            RetryPolicy everyTenMinutes = RetryPolicy.fixed(Duration.ofMinutes(10), 0); // no limit of calls
            Durable.poll(everyTenMinutes, () -> parcels.delivered(label), arrived -> arrived);
            return Durable.now();
        }
    }
    // docs: end

    /** Polls with a time limit. */
    @Workflow
    static class PatientArrival {
        private final Parcels parcels;

        PatientArrival(Parcels parcels) {
            this.parcels = parcels;
        }

        @Run
        String run(String label) {
            try {
                Durable.poll(
                        o -> o.policy(RetryPolicy.fixed(Duration.ofHours(1), 0)).within(Duration.ofMinutes(90)),
                        () -> parcels.delivered(label),
                        arrived -> false);
                return "arrived";
            } catch (WaitTimedOutException late) {
                return late.getMessage();
            }
        }
    }

    @Test
    void aPollEndsWhenTheParcelHasArrivedOrTheTimeIsUp(TestEngine engine) {
        engine.register(Arrival.class, PatientArrival.class).activity(Parcels.class, depot);
        Instant before = engine.now();
        Instant arrived = engine.client()
                .start(Arrival.class, "arrival-1", w -> w.run("L-1"))
                .result();
        assertThat(Duration.between(before, arrived)).isBetween(Duration.ofMinutes(20), Duration.ofMinutes(21));
        assertThat(engine.client()
                        .start(PatientArrival.class, "arrival-2", w -> w.run("L-1"))
                        .result())
                .startsWith("Durable.poll gave up after 3 calls in PT1H30M")
                .endsWith("The last value was true, which the condition did not accept.");
    }

    // ── sagas ───────────────────────────────────────────────────────────────────────────────────────────────────────

    // docs: saga-scope
    @Workflow
    static class AllOrNone {
        private final Parcels parcels;

        AllOrNone(Parcels parcels) {
            this.parcels = parcels;
        }

        @Run
        String run(List<String> orders) {
            try {
                Durable.sagaVoid(saga -> {
                    for (String order : orders) {
                        String label = parcels.label(order);
                        saga.compensate(() -> parcels.scrap(label)); // if this saga fails or is cancelled
                    }
                });
                return "all of " + orders.size();
            } catch (ActivityFailedException e) { // all is undone when the exception comes out of it
                return "none of " + orders.size();
            }
        }
    }
    // docs: end

    // docs: saga-undo
    @Workflow
    static class IfCheap {
        private final Parcels parcels;

        IfCheap(Parcels parcels) {
            this.parcels = parcels;
        }

        @Run
        boolean run(String order, BigDecimal limit) {
            return Durable.saga(saga -> {
                saga.parallel(); // undo all at once instead of in reverse order
                String label = parcels.label(order);
                saga.compensate(() -> parcels.scrap(label));
                if (parcels.quote("post", order).compareTo(limit) > 0) {
                    saga.undo(); // undone now, and it completes all the same
                    return false;
                }
                return true;
            });
        }
    }
    // docs: end

    @Test
    void aSagaIsUndoneWhenItFailsOrSaysSo(TestEngine engine) {
        engine.register(AllOrNone.class, IfCheap.class).activity(Parcels.class, depot);
        assertThat(engine.client()
                        .start(AllOrNone.class, "all-1", w -> w.run(List.of("1", "2", "")))
                        .result())
                .isEqualTo("none of 3");
        assertThat(depot.done).containsExactly("label 1", "label 2", "scrap L-2", "scrap L-1");
        depot.done.clear();
        assertThat(engine.client()
                        .start(IfCheap.class, "cheap-1", w -> w.run("1", BigDecimal.ONE))
                        .result())
                .isFalse();
        assertThat(depot.done).containsExactly("label 1", "scrap L-1");
    }

    // ── queue, lock, semaphore ──────────────────────────────────────────────────────────────────────────────────────

    // docs: queue-lock-semaphore
    @Workflow
    static class Packer {
        private final Parcels parcels;
        private final Deque<String> queue = new ArrayDeque<>();
        private boolean locked;
        private int free = 2;

        Packer(Parcels parcels) {
            this.parcels = parcels;
        }

        @Run
        void run(int orders) {
            List<Promise<Void>> packing = new ArrayList<>();
            while (packing.size() < orders) {
                Durable.await(() -> !queue.isEmpty()); // take from a queue
                String order = queue.removeFirst();
                packing.add(Durable.async(() -> pack(order)));
            }
            Promise.all(packing);
        }

        private void pack(String order) {
            Durable.await(() -> free > 0); // a semaphore of two, first come first served
            free--;
            try {
                String label = parcels.label(order);
                Durable.await(() -> !locked); // a lock
                locked = true;
                try {
                    parcels.tell("packing " + label);
                    parcels.tell("packed " + label);
                } finally {
                    locked = false;
                }
            } finally {
                free++;
            }
        }

        @Signal
        void order(String order) {
            Durable.await(() -> queue.size() < 100); // put into a queue of a hundred
            queue.addLast(order);
        }
    }
    // docs: end

    @Test
    void twoArePackedAtOnceAndOneIsTold(TestEngine engine) {
        engine.register(Packer.class).activity(Parcels.class, depot);
        var packer = engine.client().startVoid(Packer.class, "packer-1", w -> w.run(4));
        for (String order : List.of("1", "2", "3", "4")) {
            packer.signal(w -> w.order(order));
        }
        packer.result();
        assertThat(packer.describe().summary().status()).isEqualTo(WorkflowStatus.COMPLETED);
        List<String> told =
                depot.done.stream().filter(text -> text.startsWith("pack")).toList();
        assertThat(told).hasSize(8);
        for (int i = 0; i < told.size(); i += 2) {
            assertThat(told.get(i + 1)).isEqualTo(told.get(i).replace("packing", "packed"));
        }
    }
}
