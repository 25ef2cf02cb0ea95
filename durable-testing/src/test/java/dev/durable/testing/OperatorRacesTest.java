package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.DurableException;
import dev.durable.IncidentNotFoundException;
import dev.durable.OnExhausted;
import dev.durable.Retry;
import dev.durable.client.ActivityHandle;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.ActivityOperated;
import dev.durable.history.HistoryEvent;
import dev.durable.history.IncidentResolved;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.HistoryStore;
import dev.durable.store.JobOrder;
import dev.durable.store.JobOrder.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Operators at the same time, lost answers, locks; on each kind of store. */
abstract class OperatorRacesTest {
    private static final int MANY = 450;

    @Activity(
            retry =
                    @Retry(
                            maxAttempts = 1,
                            initialInterval = "1h",
                            maxInterval = "1h",
                            jitter = 0,
                            onExhausted = OnExhausted.INCIDENT))
    interface Bank {
        String charge(String payment);

        @Activity(retry = @Retry(maxAttempts = 9))
        String slow(String payment);
    }

    private volatile boolean away = true;

    private final class FlakyBank implements Bank {
        @Override
        public String charge(String payment) {
            if (away) {
                throw new IllegalStateException("the bank is away");
            }
            return payment;
        }

        @Override
        public String slow(String payment) {
            return charge(payment);
        }
    }

    private List<ActivityHandle> incidents(TestEngine engine, int count) {
        engine.activity(Bank.class, new FlakyBank());
        List<ActivityHandle> jobs = IntStream.range(0, count)
                .mapToObj(i -> engine.client().enqueue(Bank.class, StartOptions.id("p-" + i), b -> b.charge("p-" + i)))
                .toList();
        engine.settle();
        away = false;
        return jobs;
    }

    private static <E extends HistoryEvent> List<E> events(ActivityHandle job, Class<E> type) {
        return job.history().stream().filter(type::isInstance).map(type::cast).toList();
    }

    /** Another process, whose store is meddled with. */
    private static DurableEngine other(MeddledStore store) {
        return DurableEngine.builder(store.store()).identity("bob").clientOnly().start();
    }

    // ── what it costs ────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void jobs_of_a_selection_that_are_cancelled_share_commits(TestEngine engine) {
        engine.activity(Bank.class, new FlakyBank());
        IntStream.range(0, MANY)
                .forEach(i -> engine.client()
                        .enqueue(
                                Bank.class,
                                StartOptions.id("p-" + i).startDelay(Duration.ofHours(1)),
                                b -> b.charge("p-" + i)));
        MeddledStore store = new MeddledStore(engine.store());
        try (DurableEngine other = other(store)) {
            assertThat(other.client().activities().cancel("no")).isEqualTo(MANY);
            assertThat(store.calls().stream().filter("deliver"::equals).count())
                    .as("commits")
                    .isLessThan(MANY / 5);
        }
        engine.settle();
        assertThat(engine.client()
                        .workflows()
                        .where(w -> w.status(WorkflowStatus.CANCELLED))
                        .count())
                .isEqualTo(MANY);
    }

    @Test
    void a_selection_takes_one_read_and_one_commit_a_page(TestEngine engine) {
        incidents(engine, MANY);
        MeddledStore store = new MeddledStore(engine.store());
        try (DurableEngine other = other(store)) {
            assertThat(other.client().incidents().count()).isEqualTo(MANY);
            assertThat(store.calls()).containsExactly("count");
            store.calls().clear();

            assertThat(other.client().incidents().retry()).isEqualTo(MANY);

            assertThat(store.calls()).containsExactly("jobs", "order", "jobs", "order", "jobs", "order");
        }
    }

    @Test
    void activities_that_wait_are_retried_and_paused_page_by_page_too(TestEngine engine) {
        engine.activity(Bank.class, new FlakyBank());
        List<ActivityHandle> jobs = IntStream.range(0, MANY)
                .mapToObj(i -> engine.client().enqueue(Bank.class, StartOptions.id("p-" + i), b -> b.slow("p")))
                .toList();
        engine.settle();
        away = false;
        MeddledStore store = new MeddledStore(engine.store());
        try (DurableEngine other = other(store)) {
            assertThat(other.client().activities().pause()).isEqualTo(MANY);
            assertThat(other.client().activities().resume()).isEqualTo(MANY);
            assertThat(other.client().activities().retry()).isEqualTo(MANY);
            assertThat(store.calls()).hasSize(3 * 6).containsOnly("jobs", "order");
        }
        engine.settle();
        assertThat(jobs.get(MANY - 1).resultAs(String.class)).isEqualTo("p");
        assertThat(events(jobs.getFirst(), ActivityOperated.class))
                .extracting(ActivityOperated::action)
                .containsExactly("pause", "resume", "retry");
    }

    @Test
    void large_values_go_in_small_batches(TestEngine engine) {
        List<ActivityHandle> jobs = incidents(engine, 5);
        String large = "x".repeat(1_500_000);
        MeddledStore store = new MeddledStore(engine.store());
        try (DurableEngine other = other(store)) {
            assertThat(other.client()
                            .incidents()
                            .where(i -> i.activity("Bank.charge"))
                            .retryWith(large))
                    .isEqualTo(5);
            assertThat(store.calls()).containsExactly("jobs", "order", "order", "order", "order", "order");
        }
        engine.settle();
        assertThat(jobs.get(4).resultAs(String.class)).isEqualTo(large);
    }

    // ── who is first ─────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void what_ann_resolves_while_bob_goes_through_all_is_not_resolved_twice(TestEngine engine) {
        List<ActivityHandle> jobs = incidents(engine, 3);
        DurableClient ann = engine.client();
        MeddledStore store = new MeddledStore(engine.store()) {
            @Override
            List<Outcome> order(List<JobOrder> orders, HistoryStore real) {
                if (ann.incidents().count() == 3) {
                    ann.incidents().by("ann").one("p-1", 1).complete("cash");
                }
                return super.order(orders, real);
            }
        };
        try (DurableEngine other = other(store)) {
            assertThat(other.client().incidents().retry()).isEqualTo(2);
        }
        engine.settle();

        assertThat(jobs.get(1).resultAs(String.class)).isEqualTo("cash");
        assertThat(jobs.get(2).resultAs(String.class)).isEqualTo("p-2");
        assertThat(jobs)
                .allSatisfy(
                        job -> assertThat(events(job, IncidentResolved.class)).hasSize(1));
    }

    @Test
    void what_changes_meanwhile_and_is_still_wanted_gets_its_order_too(TestEngine engine) {
        List<ActivityHandle> jobs = incidents(engine, 3);
        DurableClient ann = engine.client();
        AtomicBoolean changed = new AtomicBoolean();
        List<String> ordered = new ArrayList<>();
        MeddledStore store = new MeddledStore(engine.store()) {
            @Override
            List<Outcome> order(List<JobOrder> orders, HistoryStore real) {
                if (!changed.getAndSet(true)) {
                    ann.activity("p-1", 1).updateOptions(o -> o.startToClose(Duration.ofHours(9)));
                }
                orders.forEach(order -> ordered.add(((JobOrder.Revive) order).options()));
                return super.order(orders, real);
            }
        };
        try (DurableEngine other = other(store)) {
            assertThat(other.client().incidents().retry()).isEqualTo(3);
            assertThat(store.calls()).as("only the one is looked at again").hasSize(4);
        }
        assertThat(ordered).hasSize(4);
        assertThat(ordered.getLast()).as("what was changed stays").contains("PT9H");
        engine.settle();
        assertThat(jobs.get(1).resultAs(String.class)).isEqualTo("p-1");
    }

    @Test
    void who_is_second_is_told_and_writes_nothing(TestEngine engine) {
        ActivityHandle job = incidents(engine, 1).getFirst();
        away = true;
        DurableClient ann = engine.client();
        AtomicBoolean first = new AtomicBoolean(true);
        MeddledStore store = new MeddledStore(engine.store()) {
            @Override
            List<Outcome> order(List<JobOrder> orders, HistoryStore real) {
                if (first.getAndSet(false)) {
                    ann.incidents()
                            .by("ann")
                            .because("bank is back")
                            .one("p-0", 1)
                            .retry(2);
                    engine.settle();
                }
                return super.order(orders, real);
            }
        };
        try (DurableEngine other = other(store)) {
            assertThatThrownBy(() -> other.client().incidents().one("p-0", 1).discard())
                    .isInstanceOf(IncidentNotFoundException.class)
                    .hasMessageStartingWith("activity 1 of workflow p-0 is no incident: Bank.charge is DELAYED, at"
                            + " attempt 3. It was retried at ")
                    .hasMessageEndingWith(" by ann, because: bank is back. Nothing was written.");
        }
        away = false;
        ann.activity("p-0", 1).retry();
        assertThat(job.resultAs(String.class)).isEqualTo("p-0");
        assertThat(events(job, IncidentResolved.class))
                .extracting(IncidentResolved::by)
                .containsExactly("ann");
    }

    @Test
    void a_run_that_is_terminated_meanwhile_takes_no_resolution(TestEngine engine) {
        ActivityHandle job = incidents(engine, 1).getFirst();
        MeddledStore store = new MeddledStore(engine.store()) {
            @Override
            List<Outcome> order(List<JobOrder> orders, HistoryStore real) {
                engine.client().handle("p-0").terminate("wrong customer");
                return super.order(orders, real);
            }
        };
        try (DurableEngine other = other(store)) {
            assertThatThrownBy(() -> other.client().incidents().one("p-0", 1).complete("late"))
                    .isInstanceOf(IncidentNotFoundException.class)
                    .hasMessage("activity 1 of workflow p-0 is no incident: the run is closed, TERMINATED. Nothing was"
                            + " written.");
        }
        assertThat(job.describe().summary().status()).isEqualTo(WorkflowStatus.TERMINATED);
        assertThat(events(job, IncidentResolved.class)).isEmpty();
    }

    @Test
    void of_two_operators_who_resolve_the_same_at_once_each_is_resolved_by_one(TestEngine engine) throws Exception {
        List<ActivityHandle> jobs = incidents(engine, MANY);
        try (DurableEngine ann = other(new MeddledStore(engine.store()));
                DurableEngine bob = other(new MeddledStore(engine.store()))) {
            CompletableFuture<Long> retried = CompletableFuture.supplyAsync(
                    () -> ann.client().incidents().by("ann").retry());
            CompletableFuture<Long> completed = CompletableFuture.supplyAsync(
                    () -> bob.client().incidents().by("bob").discard());
            assertThat(retried.get() + completed.get()).isEqualTo(MANY);
        }
        engine.settle();
        assertThat(jobs).allSatisfy(job -> {
            IncidentResolved resolved = events(job, IncidentResolved.class).getFirst();
            assertThat(events(job, IncidentResolved.class)).hasSize(1);
            assertThat(job.resultAs(String.class)).isEqualTo(resolved.by().equals("bob") ? null : job.id());
        });
    }

    // ── lost answers, locks ──────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void an_order_whose_answer_is_lost_is_carried_out_once(TestEngine engine) {
        List<ActivityHandle> jobs = incidents(engine, 3);
        AtomicBoolean lost = new AtomicBoolean();
        MeddledStore store = new MeddledStore(engine.store()) {
            @Override
            List<Outcome> order(List<JobOrder> orders, HistoryStore real) {
                List<Outcome> outcomes = super.order(orders, real);
                if (!lost.getAndSet(true)) {
                    throw new CommitUnknownException("the answer to COMMIT never came", null);
                }
                return outcomes;
            }
        };
        try (DurableEngine other = other(store)) {
            assertThat(other.client().incidents().retry()).isEqualTo(3);
        }
        engine.settle();
        assertThat(jobs).allSatisfy(job -> {
            assertThat(job.resultAs(String.class)).isEqualTo(job.id());
            assertThat(events(job, IncidentResolved.class)).hasSize(1);
        });
    }

    @Test
    void what_stays_locked_keeps_no_other_from_its_order_and_is_told(TestEngine engine) {
        incidents(engine, 3);
        MeddledStore store = new MeddledStore(engine.store()) {
            @Override
            List<Outcome> order(List<JobOrder> orders, HistoryStore real) {
                List<Outcome> outcomes = new ArrayList<>();
                for (JobOrder order : orders) {
                    boolean locked = order.key().run().workflowId().equals("p-1");
                    outcomes.add(
                            locked
                                    ? Outcome.LOCKED
                                    : super.order(List.of(order), real).getFirst());
                }
                return outcomes;
            }
        };
        try (DurableEngine other = other(store)) {
            assertThatThrownBy(() -> other.client().incidents().retry())
                    .isInstanceOf(DurableException.class)
                    .hasMessage("of the selected activities 1 stayed locked, first of them activity 1 of workflow p-1:"
                            + " nothing was done to them. Usually another transaction has locked them. 2 others were"
                            + " changed. Do it again in a moment.");
            assertThatThrownBy(() -> other.client().incidents().one("p-1", 1).retry())
                    .hasMessageStartingWith("LOCKED: another transaction has the job of activity 1 of workflow p-1");
        }
        assertThat(engine.client().incidents().retry()).isOne();
        engine.settle();
    }
}
