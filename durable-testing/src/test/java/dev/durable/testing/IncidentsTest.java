package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.ActivityFailedException;
import dev.durable.IncidentNotFoundException;
import dev.durable.OnExhausted;
import dev.durable.PayloadException;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.client.ActivityHandle;
import dev.durable.client.ActivityState;
import dev.durable.client.Incident;
import dev.durable.client.IncidentGroup;
import dev.durable.client.StartOptions;
import dev.durable.history.ActivityCompleted;
import dev.durable.history.ActivityScheduled;
import dev.durable.history.HistoryEvent;
import dev.durable.history.IncidentResolved;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The actions of operators on incidents and dead letters, from the client's call to the history; on each kind of store.
 */
abstract class IncidentsTest {

    @Activity(
            startToClose = "1h",
            retry = @Retry(maxAttempts = 2, initialInterval = "1m", jitter = 0, onExhausted = OnExhausted.INCIDENT))
    interface Bank {
        String charge(String payment, int amount) throws Declined;

        @Activity(scheduleToClose = "2h")
        String hurried(String payment);

        int balance(String account);

        @Activity(retry = @Retry(onExhausted = OnExhausted.DEAD_LETTER))
        String report(String day);
    }

    static class Declined extends Exception {
        final String why;

        Declined(String why) {
            super(why);
            this.why = why;
        }
    }

    /** The bank is away as long as this says. */
    private volatile boolean away = true;

    private final List<String> calls = Collections.synchronizedList(new ArrayList<>());

    private final class FlakyBank implements Bank {
        private String answer(String call) {
            calls.add(call + " " + ActivityContext.current().info().attempt());
            if (away) {
                throw new IllegalStateException("the bank is away");
            }
            return call;
        }

        @Override
        public String charge(String payment, int amount) {
            return answer(payment + " " + amount);
        }

        @Override
        public String hurried(String payment) {
            return answer(payment);
        }

        @Override
        public int balance(String account) {
            return answer(account).length();
        }

        @Override
        public String report(String day) {
            return answer(day);
        }
    }

    @Workflow
    static class Paying {
        private final Bank bank;

        Paying(Bank bank) {
            this.bank = bank;
        }

        @Run
        String run(String payment) {
            try {
                return bank.charge(payment, 7);
            } catch (Declined e) {
                return "declined: " + e.why;
            } catch (ActivityFailedException e) {
                return "failed: " + e.getMessage();
            }
        }
    }

    private TestEngine set(TestEngine engine) {
        return engine.register(Paying.class).activity(Bank.class, new FlakyBank());
    }

    private ActivityHandle charge(TestEngine engine, String id) {
        return engine.client().enqueue(Bank.class, StartOptions.id(id), b -> {
            try {
                b.charge(id, 7);
            } catch (Declined e) {
                throw new IllegalStateException(e);
            }
        });
    }

    /** Both its attempts have failed. */
    private ActivityHandle incident(TestEngine engine, String id) {
        ActivityHandle job = charge(engine, id);
        engine.settle();
        engine.advance(Duration.ofMinutes(2));
        return job;
    }

    private static <E extends HistoryEvent> E only(ActivityHandle job, Class<E> type) {
        List<E> found =
                job.history().stream().filter(type::isInstance).map(type::cast).toList();
        assertThat(found).hasSize(1);
        return found.getFirst();
    }

    // ── tried again ──────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void an_incident_that_is_retried_has_all_its_attempts_and_their_delays_again(TestEngine engine) {
        ActivityHandle job = incident(set(engine), "p-1");

        engine.client()
                .incidents()
                .one("p-1", 1)
                .by("ann")
                .because("bank is back")
                .retry();
        engine.settle();
        assertThat(calls).endsWith("p-1 7 3");
        assertThat(engine.client().activity("p-1", 1).describe().nextAttemptAt())
                .as("the delay of the first retry")
                .isBetween(engine.now().plusSeconds(55), engine.now().plusSeconds(61));
        away = false;
        engine.advance(Duration.ofMinutes(2));

        assertThat(job.resultAs(String.class)).isEqualTo("p-1 7");
        assertThat(calls).endsWith("p-1 7 4");
        assertThat(only(job, IncidentResolved.class)).satisfies(e -> {
            assertThat(e.resolution()).isEqualTo("retried");
            assertThat(e.by()).isEqualTo("ann");
            assertThat(e.reason()).isEqualTo("bank is back");
            assertThat(e.attempts()).isEqualTo(2);
            assertThat(e.input()).isNull();
        });
    }

    @Test
    void after_its_fresh_attempts_it_is_an_incident_again_and_gets_as_many_once_more(TestEngine engine) {
        ActivityHandle job = incident(set(engine), "p-1");
        for (int attempts = 4; attempts <= 6; attempts += 2) {
            engine.client().incidents().one("p-1", 1).retry();
            engine.advance(Duration.ofMinutes(2));
            assertThat(calls).hasSize(attempts);
            assertThat(engine.client().incidents().count()).isOne();
        }
        away = false;
        engine.client().incidents().one("p-1", 1).retry();
        job.await();
        assertThat(calls).hasSize(7);
    }

    @Test
    void an_incident_is_retried_as_often_as_the_operator_says(TestEngine engine) {
        incident(set(engine), "p-1");

        engine.client().incidents().one("p-1", 1).retry(3);
        engine.advance(Duration.ofHours(1));

        assertThat(calls).hasSize(2 + 3);
        assertThat(engine.client()
                        .incidents()
                        .one("p-1", 1)
                        .describe()
                        .activity()
                        .attempt())
                .isEqualTo(6);
        assertThatThrownBy(() -> engine.client().incidents().one("p-1", 1).retry(0))
                .hasMessage("retry(0): at least one attempt; to end it without any, fail or discard it");
        engine.client().incidents().discard();
    }

    @Test
    void one_whose_schedule_to_close_is_over_has_all_of_it_again(TestEngine engine) {
        set(engine);
        ActivityHandle job = engine.client().enqueue(Bank.class, StartOptions.id("p-1"), b -> b.hurried("p-1"));
        engine.advance(Duration.ofHours(5));
        assertThat(engine.client().incidents().count())
                .as("nobody waits for it to be in time")
                .isOne();

        away = false;
        assertThat(engine.client().activity("p-1", 1).retry()).isTrue();

        assertThat(job.resultAs(String.class)).isEqualTo("p-1");
        assertThat(only(job, IncidentResolved.class).resolution()).isEqualTo("retried");
    }

    /** Long after it was scheduled it has another two hours; its third attempt has failed. */
    private ActivityHandle hurriedAgain(TestEngine engine) {
        ActivityHandle job = set(engine).client().enqueue(Bank.class, StartOptions.id("p-1"), b -> b.hurried("p-1"));
        engine.settle();
        engine.advance(Duration.ofMinutes(2));
        assertThat(calls).containsExactly("p-1 1", "p-1 2");
        engine.advance(Duration.ofHours(5));
        engine.client().incidents().one("p-1", 1).retry();
        engine.settle();
        assertThat(engine.client().activity("p-1", 1).describe().state()).isEqualTo(ActivityState.DELAYED);
        return job;
    }

    @Test
    void whatever_else_is_changed_leaves_it_the_time_it_was_given_back(TestEngine engine) {
        ActivityHandle job = hurriedAgain(engine);

        engine.client().activity("p-1", 1).updateTimeout(Duration.ofMinutes(30));
        engine.client().activity("p-1", 1).updateOptions(o -> o.heartbeatTimeout(Duration.ofMinutes(9)));
        away = false;
        engine.advance(Duration.ofMinutes(2));

        assertThat(job.resultAs(String.class)).isEqualTo("p-1");
        assertThat(calls).endsWith("p-1 4");
    }

    @Test
    void a_longer_schedule_to_close_lengthens_the_time_it_was_given_back(TestEngine engine) {
        ActivityHandle job = hurriedAgain(engine);
        engine.client().activity("p-1", 1).pause();

        engine.client().activity("p-1", 1).updateOptions(o -> o.scheduleToClose(Duration.ofHours(3)));

        engine.advance(Duration.ofMinutes(170));
        assertThat(engine.client().activity("p-1", 1).describe().state()).isEqualTo(ActivityState.PAUSED);
        engine.advance(Duration.ofMinutes(20));
        assertThatThrownBy(job::await).hasMessageContaining("schedule-to-close");
    }

    @Test
    void an_incident_is_retried_with_other_arguments_and_the_history_tells_both(TestEngine engine) {
        set(engine);
        var run = engine.client().start(Paying.class, "order-1", w -> w.run("expired"));
        engine.settle();
        engine.advance(Duration.ofMinutes(2));
        assertThat(engine.client().incidents().one("order-1", 1).describe().arguments())
                .isEqualTo("[\"expired\",7]");

        away = false;
        engine.client().incidents().one("order-1", 1).by("ann").retryWith("visa", 8);

        assertThat(run.result()).isEqualTo("visa 8");
        assertThat(run.history()
                        .events(ActivityScheduled.class)
                        .findFirst()
                        .orElseThrow()
                        .input()
                        .json())
                .as("what the code gave: a replay compares it")
                .isEqualTo("[\"expired\",7]");
        IncidentResolved resolved =
                run.history().events(IncidentResolved.class).findFirst().orElseThrow();
        assertThat(resolved.resolution()).isEqualTo("retried with other arguments");
        assertThat(resolved.input().json()).isEqualTo("[\"visa\",8]");
    }

    @Test
    void arguments_that_the_activity_does_not_take_are_refused_and_nothing_is_written(TestEngine engine) {
        incident(set(engine), "p-1");
        var incident = engine.client().incidents().one("p-1", 1);

        assertThatThrownBy(() -> incident.retryWith("visa"))
                .isInstanceOf(PayloadException.class)
                .hasMessage("Bank.charge takes 2 arguments and was given 1");
        assertThatThrownBy(() -> incident.retryWith("visa", "eight"))
                .isInstanceOf(PayloadException.class)
                .hasMessageContaining("argument 2")
                .hasMessageContaining("of Bank.charge");
        assertThatThrownBy(() -> incident.retryWith("x".repeat(3_000_000), 8))
                .isInstanceOf(PayloadException.class)
                .hasMessageContaining("is 3,000,002 bytes, the limit is 2,097,152");
        assertThatThrownBy(() -> incident.complete("x".repeat(3_000_000)))
                .isInstanceOf(PayloadException.class)
                .hasMessageContaining("the result of Bank.charge is 3,000,002 bytes");

        assertThat(incident.describe().arguments()).isEqualTo("[\"p-1\",7]");
        incident.discard();
    }

    // ── ended ────────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void an_incident_is_completed_by_hand(TestEngine engine) {
        ActivityHandle job = incident(set(engine), "p-1");

        engine.client()
                .incidents()
                .one("p-1", 1)
                .by("ann")
                .because("paid in cash")
                .complete("cash");

        assertThat(job.resultAs(String.class)).isEqualTo("cash");
        assertThat(only(job, ActivityCompleted.class).worker()).isEqualTo("ann");
        assertThat(only(job, ActivityCompleted.class).attempt()).isEqualTo(2);
        assertThat(only(job, IncidentResolved.class).resolution()).isEqualTo("completed");
        assertThat(only(job, IncidentResolved.class).reason()).isEqualTo("paid in cash");
    }

    @Test
    void an_incident_fails_in_the_operators_words_or_with_what_the_workflow_understands(TestEngine engine) {
        set(engine);
        var words = engine.client().start(Paying.class, "order-1", w -> w.run("a"));
        var declined = engine.client().start(Paying.class, "order-2", w -> w.run("b"));
        engine.settle();
        engine.advance(Duration.ofMinutes(2));

        engine.client().incidents().one("order-1", 1).fail("customer is gone");
        engine.client().incidents().one("order-2", 1).fail(new Declined("no cover"));

        assertThat(words.result())
                .startsWith("failed: ")
                .contains("customer is gone. Its last failure: ")
                .contains("the bank is away");
        assertThat(declined.result()).isEqualTo("declined: no cover");
        assertThat(words.history()
                        .events(IncidentResolved.class)
                        .findFirst()
                        .orElseThrow()
                        .reason())
                .isEqualTo("customer is gone");
    }

    @Test
    void a_discarded_incident_ends_with_null_unless_it_returns_a_primitive(TestEngine engine) {
        ActivityHandle job = incident(set(engine), "p-1");
        engine.client().enqueue(Bank.class, StartOptions.id("b-1"), b -> b.balance("a"));
        engine.settle();
        engine.advance(Duration.ofMinutes(2));

        engine.client().incidents().one("p-1", 1).discard();

        assertThat(job.resultAs(String.class)).isNull();
        assertThat(only(job, IncidentResolved.class).resolution()).isEqualTo("discarded");
        assertThatThrownBy(() -> engine.client().incidents().one("b-1", 1).discard())
                .isInstanceOf(PayloadException.class)
                .hasMessageStartingWith("the result of Bank.balance is null, and int can't be.");
        engine.client().incidents().one("b-1", 1).complete(3);
    }

    @Test
    void who_can_not_have_a_value_keeps_none_of_the_others_from_it(TestEngine engine) {
        set(engine);
        for (String id : List.of("b-1", "b-2")) {
            engine.client().enqueue(Bank.class, StartOptions.id(id), b -> b.balance("a"));
            engine.settle();
        }
        ActivityHandle discarded = incident(engine, "p-1");

        assertThatThrownBy(() -> engine.client().incidents().discard())
                .isInstanceOf(PayloadException.class)
                .hasMessageMatching("of the selected activities 2 can't have this value, first of them activity 1 of"
                        + " workflow b-[12], Bank\\.balance: nothing was done to them\\. the result of Bank\\.balance is"
                        + " null, and int can't be\\. .* 1 others were changed\\. Narrow the selection by activity, and"
                        + " give each what it can have\\.");

        assertThat(discarded.resultAs(String.class)).isNull();
        charge(engine, "p-2");
        engine.settle();
        engine.advance(Duration.ofMinutes(2));
        assertThatThrownBy(() -> engine.client().incidents().complete(null))
                .hasMessageContaining(" 1 others were changed");
        assertThat(engine.client()
                        .incidents()
                        .where(i -> i.activity("Bank.balance"))
                        .complete(3))
                .isEqualTo(2);
    }

    @Test
    void whoever_ends_it_as_any_activity_resolves_it_too(TestEngine engine) {
        ActivityHandle completed = incident(set(engine), "p-1");
        ActivityHandle failed = incident(engine, "p-2");

        engine.client().activity("p-1", 1).by("ann").complete("cash");
        assertThat(engine.client()
                        .activities()
                        .where(a -> a.state(ActivityState.INCIDENT))
                        .by("ann")
                        .fail(new IllegalStateException("customer is gone")))
                .isOne();

        assertThat(completed.resultAs(String.class)).isEqualTo("cash");
        assertThatThrownBy(failed::await).hasMessageContaining("customer is gone");
        assertThat(only(completed, IncidentResolved.class).resolution()).isEqualTo("completed");
        assertThat(only(failed, IncidentResolved.class).resolution()).isEqualTo("failed");
        assertThat(only(failed, IncidentResolved.class).by()).isEqualTo("ann");
    }

    // ── selections ───────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void incidents_and_dead_letters_are_listed_counted_and_grouped_apart(TestEngine engine) {
        set(engine);
        Instant before = engine.now();
        incident(engine, "p-1");
        incident(engine, "p-2");
        engine.client().enqueue(Bank.class, StartOptions.id("r-1"), b -> b.report("monday"));
        engine.advance(Duration.ofMinutes(2));

        var incidents = engine.client().incidents();
        assertThat(incidents.count()).isEqualTo(2);
        assertThat(incidents.stream().map(i -> i.activity().workflowId())).containsExactly("p-1", "p-2");
        Incident first = incidents.page(1).getFirst();
        assertThat(first.activity().state()).isEqualTo(ActivityState.INCIDENT);
        assertThat(first.activity().lastFailure()).contains("the bank is away");
        assertThat(first.since()).isAfter(before);
        assertThat(first.fingerprint()).startsWith("Bank.charge: java.lang.IllegalStateException at ");
        assertThat(first.arguments()).as("not in a listing").isNull();
        assertThat(engine.client().deadLetters().page(9)).singleElement().satisfies(dead -> {
            assertThat(dead.activity().state()).isEqualTo(ActivityState.DEAD);
            assertThat(dead.activity().activity()).isEqualTo("Bank.report");
        });

        List<IncidentGroup> groups = incidents.groups(10);
        assertThat(groups).singleElement().satisfies(group -> {
            assertThat(group.fingerprint()).isEqualTo(first.fingerprint());
            assertThat(group.activity()).isEqualTo("Bank.charge");
            assertThat(group.count()).isEqualTo(2);
            assertThat(group.firstSeen()).isEqualTo(first.since());
            assertThat(group.lastSeen()).isAfter(first.since());
            assertThat(group.lastFailure()).contains("the bank is away");
            assertThat(group.workflowId()).isEqualTo("p-2");
        });
        incidents.discard();
        engine.client().deadLetters().discard();
    }

    @Test
    void a_selection_is_by_workflow_activity_queue_fingerprint_and_time(TestEngine engine) {
        set(engine).queue("default", q -> q.slots(5)).queue("slow", q -> q.slots(5));
        incident(engine, "p-1");
        Instant between = engine.now();
        engine.client().start(Paying.class, StartOptions.id("order-1").taskQueue("slow"), w -> w.run("a"));
        engine.settle();
        engine.advance(Duration.ofMinutes(2));
        var all = engine.client().incidents();
        String fingerprint = all.page(1).getFirst().fingerprint();

        assertThat(all.where(i -> i.workflowId("p-1")).count()).isOne();
        assertThat(all.where(i -> i.workflowType(Paying.class)).page(9))
                .singleElement()
                .satisfies(i -> assertThat(i.activity().workflowId()).isEqualTo("order-1"));
        assertThat(all.where(i -> i.activity("Bank.charge")).count()).isEqualTo(2);
        assertThat(all.where(i -> i.activity("Bank.refund")).count()).isZero();
        assertThat(all.where(i -> i.taskQueue("slow")).count()).isOne();
        assertThat(all.where(i -> i.fingerprint(fingerprint)).count()).isEqualTo(2);
        assertThat(all.where(i -> i.since(between)).page(9))
                .singleElement()
                .satisfies(i -> assertThat(i.activity().workflowId()).isEqualTo("order-1"));
        assertThat(all.where(i -> i.before(between)).page(9))
                .singleElement()
                .satisfies(i -> assertThat(i.activity().workflowId()).isEqualTo("p-1"));
        all.discard();
    }

    @Test
    void all_of_a_selection_are_resolved_at_once(TestEngine engine) {
        set(engine);
        List<ActivityHandle> jobs =
                IntStream.range(0, 450).mapToObj(i -> charge(engine, "p-" + i)).toList();
        engine.settle();
        engine.advance(Duration.ofMinutes(2));
        var incidents = engine.client().incidents().by("ann").because("bank is back");
        assertThat(incidents.count()).isEqualTo(450);
        assertThat(incidents.count(10)).hasToString("more than 10");

        away = false;
        assertThat(incidents.where(i -> i.workflowId("p-7")).complete(null)).isOne();
        assertThat(incidents.where(i -> i.activity("Bank.charge")).retryWith("again", 9))
                .isEqualTo(449);
        assertThat(incidents.retry()).as("none is left").isZero();

        engine.settle();
        assertThat(jobs.get(7).resultAs(String.class)).isNull();
        assertThat(jobs.get(449).resultAs(String.class)).isEqualTo("again 9");
        assertThat(only(jobs.get(100), IncidentResolved.class).by()).isEqualTo("ann");
    }

    @Test
    void what_only_one_activity_takes_is_not_given_to_several(TestEngine engine) {
        set(engine);

        assertThatThrownBy(() -> engine.client().incidents().retryWith("a"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("retryWith(…) gives the same arguments to all that are selected, so they must be of one"
                        + " activity: narrow them first, where(i -> i.activity(\"Payments.charge\"))");
        assertThatThrownBy(() -> engine.client().deadLetters().complete("a"))
                .hasMessageStartingWith("complete(…) gives the same result to all that are selected");
        assertThatThrownBy(() -> engine.client().incidents().where(i -> null))
                .hasMessageContaining("must return the filter it was given");
        assertThatThrownBy(() -> engine.client().incidents().by(" "))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "by(\" \"): an actor needs a name, as the audit shows it. Usual cause: no user is logged in."
                                + " Leave by(…) out where it is the process itself that acts.");
        assertThatThrownBy(() -> engine.client().activities().by(null))
                .hasMessageStartingWith("by(null): an actor needs a name");
        assertThatThrownBy(() -> engine.client().queues().by("")).hasMessageStartingWith("by(\"\"): an actor needs");
        assertThatThrownBy(() -> engine.client().handle("somebody's").by(null))
                .hasMessageStartingWith("by(null): an actor needs a name");
    }

    // ── who comes too late ───────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void who_resolves_one_that_another_has_resolved_is_told_who_it_was(TestEngine engine) {
        incident(set(engine), "p-1");
        engine.client()
                .incidents()
                .one("p-1", 1)
                .by("ann")
                .because("bank is back")
                .retry();
        engine.settle();

        assertThatThrownBy(() ->
                        engine.client().incidents().one("p-1", 1).by("bob").discard())
                .isInstanceOf(IncidentNotFoundException.class)
                .hasMessageStartingWith(
                        "activity 1 of workflow p-1 is no incident: Bank.charge is DELAYED, at attempt 4."
                                + " It was retried at ")
                .hasMessageEndingWith(" by ann, because: bank is back. Nothing was written.");

        engine.client().activity("p-1", 1).complete("by hand");
        engine.settle();
    }

    @Test
    void one_that_failed_again_is_not_the_one_that_was_seen(TestEngine engine) {
        incident(set(engine), "p-1");
        Incident seen = engine.client().incidents().page(1).getFirst();
        engine.client().incidents().one("p-1", 1).by("ann").retry(1);
        engine.settle();
        assertThat(engine.client().incidents().count()).isOne();

        assertThatThrownBy(() -> engine.client().incidents().one(seen).by("bob").discard())
                .isInstanceOf(IncidentNotFoundException.class)
                .hasMessageContaining(
                        "the one that was seen, since " + seen.since() + ", was resolved, and Bank.charge is"
                                + " INCIDENT; its next attempt would be 4. It was retried at ")
                .hasMessageEndingWith(" by ann. Look at it again. Nothing was written.");

        engine.client()
                .incidents()
                .one(engine.client().incidents().page(1).getFirst())
                .discard();
    }

    @Test
    void what_has_ended_or_never_was_is_not_resolved_and_the_error_tells_why(TestEngine engine) {
        set(engine);
        var run = engine.client().start(Paying.class, "order-1", w -> w.run("a"));
        engine.settle();
        assertThatThrownBy(() -> engine.client().incidents().one("order-1", 1).retry())
                .hasMessage("activity 1 of workflow order-1 is no incident: Bank.charge is DELAYED, at attempt 2."
                        + " Nothing was written.");
        assertThatThrownBy(() -> engine.client().incidents().one("order-1", 9).retry())
                .hasMessage(
                        "activity 9 of workflow order-1 is no incident: it has ended, or there never was one of that"
                                + " number. Usually an operator completed, failed or discarded it meanwhile, its workflow cancelled"
                                + " it, or its retention was over: its end stands in client.history(\"order-1\"). Nothing was"
                                + " written.");
        assertThatThrownBy(() -> engine.client().deadLetters().one("nobody", 1).describe())
                .hasMessage("activity 1 of workflow nobody is no dead letter: there is no run of that workflow id."
                        + " Nothing was written.");
        engine.advance(Duration.ofMinutes(2));
        assertThatThrownBy(() -> engine.client().deadLetters().one("order-1", 1).retry())
                .hasMessage(
                        "activity 1 of workflow order-1 is no dead letter: Bank.charge is INCIDENT; its next attempt would be 3. It is"
                                + " found by client.incidents(). Nothing was written.");
        Incident seen = engine.client().incidents().page(1).getFirst();
        run.terminate("enough");
        assertThatThrownBy(() -> engine.client().incidents().one(seen).retry())
                .hasMessage("activity 1 of workflow order-1 is no incident: the run is closed, TERMINATED. Nothing was"
                        + " written.");
        assertThat(engine.client().incidents().count()).isZero();
    }
}
