package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.ChildOptions;
import dev.durable.Durable;
import dev.durable.Promise;
import dev.durable.Query;
import dev.durable.QueryFailedException;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.client.ActivitySummary;
import dev.durable.client.WorkflowDescription.PendingActivity;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.ActivityScheduled;
import dev.durable.history.ChildStartRequested;
import dev.durable.history.HistoryEvent;
import dev.durable.history.TimerStarted;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Lines for people: what a run is doing, and what its calls are about. Run on each kind of store. */
abstract class DetailsTest {
    private static final Duration HOUR = Duration.ofHours(1);

    /** Says what it is told to say. */
    @Workflow
    static class Talker {
        private int heard;
        private boolean over;

        @Run
        public int run(String first) {
            if (first != null) {
                Durable.details(first);
            }
            Durable.await(() -> over);
            return heard;
        }

        @Signal
        public void say(String line) {
            heard++;
            Durable.details(line);
        }

        @Signal
        public void nod() {
            heard++;
        }

        @Signal
        public void end() {
            over = true;
        }

        @Query
        public String lie() {
            Durable.details("I was asked");
            return "";
        }
    }

    private static WorkflowHandle<Talker, Integer> talker(TestEngine engine, String first) {
        engine.register(Talker.class);
        WorkflowHandle<Talker, Integer> run = engine.client().start(Talker.class, "t-1", w -> w.run(first));
        engine.settle();
        return run;
    }

    private static String shown(WorkflowHandle<?, ?> run) {
        return run.describe().summary().details();
    }

    @Test
    void a_line_is_shown_by_describe_and_listings_from_the_start_on(TestEngine engine) {
        WorkflowHandle<Talker, Integer> run = talker(engine, "waiting for the bank");

        assertThat(shown(run)).isEqualTo("waiting for the bank");
        assertThat(engine.client().workflows().page(10))
                .extracting(row -> row.summary().details())
                .containsExactly("waiting for the bank");
    }

    @Test
    void a_run_that_says_nothing_has_no_line(TestEngine engine) {
        WorkflowHandle<Talker, Integer> run = talker(engine, null);

        run.signal(Talker::nod);
        engine.settle();

        assertThat(shown(run)).isNull();
    }

    @Test
    void a_line_changes_with_the_turn_that_changes_it_and_leaves_no_event(TestEngine engine) {
        WorkflowHandle<Talker, Integer> run = talker(engine, "a");

        run.signal(w -> w.say("b"));
        engine.settle();
        assertThat(shown(run)).isEqualTo("b");
        run.signal(Talker::nod);
        engine.settle();
        assertThat(shown(run)).isEqualTo("b");
        run.signal(w -> w.say(""));
        engine.settle();

        assertThat(shown(run)).isNull();
        assertThat(run.history().stream().map(HistoryEvent::type))
                .containsExactly("WorkflowStarted", "SignalReceived", "SignalReceived", "SignalReceived");
    }

    @Test
    void the_last_line_stays_when_the_run_has_closed(TestEngine engine) {
        WorkflowHandle<Talker, Integer> run = talker(engine, "a");
        run.signal(w -> w.say("done, all is paid"));
        run.signal(Talker::end);

        assertThat(run.result()).isEqualTo(1);

        assertThat(shown(run)).isEqualTo("done, all is paid");
    }

    @Test
    void the_line_of_a_terminated_run_says_what_it_was_doing(TestEngine engine) {
        WorkflowHandle<Talker, Integer> run = talker(engine, "waiting for the bank");

        run.terminate("no longer wanted");

        assertThat(run.describe().summary().status()).isEqualTo(WorkflowStatus.TERMINATED);
        assertThat(shown(run)).isEqualTo("waiting for the bank");
    }

    @Workflow
    static class Brief {
        @Run
        public void run() {
            Durable.details("over before it began");
        }
    }

    @Test
    void a_run_that_ends_in_its_first_turn_keeps_its_line(TestEngine engine) {
        engine.register(Brief.class);
        WorkflowHandle<Brief, ?> run = engine.client().startVoid(Brief.class, "b-1", Brief::run);

        run.result();

        assertThat(shown(run)).isEqualTo("over before it began");
    }

    @Workflow
    static class Chapter {
        private boolean next;

        @Run
        public void run(int number) {
            if (number == 1) {
                Durable.details("chapter " + number);
            }
            Durable.await(() -> next);
            throw Durable.continueAsNew(Chapter.class, w -> w.run(number + 1));
        }

        @Signal
        public void turn() {
            next = true;
        }
    }

    @Test
    void the_run_that_continues_another_begins_without_its_line(TestEngine engine) {
        engine.register(Chapter.class);
        WorkflowHandle<Chapter, ?> run = engine.client().startVoid(Chapter.class, "c-1", w -> w.run(1));
        engine.settle();

        run.signal(Chapter::turn);
        engine.settle();

        assertThat(shown(run)).isNull();
        assertThat(engine.client().workflows().page(10))
                .extracting(row -> row.summary().details())
                .containsExactlyInAnyOrder(null, "chapter 1");
    }

    @Test
    void a_long_line_is_cut_and_stays_one_line_of_plain_text(TestEngine engine) {
        WorkflowHandle<Talker, Integer> run = talker(engine, "a\nb\u0000c <b>*d*</b> \u2028e" + "x".repeat(1_000));

        assertThat(shown(run)).hasSize(500).startsWith("a b c <b>*d*</b>  ex").endsWith("xx…");
    }

    @Test
    void a_query_is_refused_as_it_must_not_change_the_run(TestEngine engine) {
        WorkflowHandle<Talker, Integer> run = talker(engine, "a");

        assertThatThrownBy(() -> run.query(Talker::lie))
                .isInstanceOf(QueryFailedException.class)
                .hasMessageContaining("Durable.details was called in a query");

        run.signal(Talker::nod);
        engine.settle();
        assertThat(shown(run)).isEqualTo("a");
    }

    // ── summaries ────────────────────────────────────────────────────────────────────────────────────────────────────

    @Activity(startToClose = "1h")
    interface Cards {
        String charge(String card);
    }

    @Workflow
    static class Child {
        @Run
        public void run() {
            Durable.sleep(HOUR.multipliedBy(5));
        }
    }

    @Workflow
    static class Caller {
        @Run
        public String run() {
            Promise<Void> reminder = Durable.timer(HOUR.multipliedBy(2), "remind the customer");
            Durable.startVoidChild(Child.class, ChildOptions.id("shipping").summary("ship the parcel"), Child::run);
            Cards cards = Durable.activities(
                    Cards.class, o -> o.summary("charge the card\nof ann").startToClose(HOUR.multipliedBy(9)));
            Promise<String> charge = Durable.async(cards::charge, "visa");
            Durable.sleep(HOUR, "give the bank an hour");
            reminder.get();
            return charge.get();
        }
    }

    @Test
    void summaries_stand_in_the_events_of_activities_timers_and_children(TestEngine engine) {
        engine.register(Caller.class, Child.class).activity(Cards.class, card -> "paid by " + card);
        WorkflowHandle<Caller, String> run = engine.client().start(Caller.class, "c-1", Caller::run);

        assertThat(run.result()).isEqualTo("paid by visa");

        List<String> summaries = run.history().stream()
                .map(event -> switch (event) {
                    case ActivityScheduled e -> e.options().summary();
                    case TimerStarted e -> e.summary();
                    case ChildStartRequested e -> e.options().summary();
                    default -> null;
                })
                .filter(summary -> summary != null)
                .toList();
        assertThat(summaries)
                .containsExactly(
                        "remind the customer", "ship the parcel", "charge the card of ann", "give the bank an hour");
    }

    @Test
    void the_summary_of_an_open_activity_is_shown_by_describe_and_listings(TestEngine engine) {
        // No worker serves the queue, so the activity waits.
        engine.register(Waiter.class);
        WorkflowHandle<Waiter, ?> run = engine.client().startVoid(Waiter.class, "w-1", Waiter::run);
        engine.settle();

        assertThat(run.describe().activities())
                .extracting(PendingActivity::summary)
                .containsExactly("charge the card of ann", null);
        assertThat(engine.client().activities().page(10).stream()
                        .map(ActivitySummary::options)
                        .map(options -> options.summary()))
                .containsExactlyInAnyOrder("charge the card of ann", null);
    }

    @Workflow
    static class Waiter {
        @Run
        public void run() {
            Cards some = Durable.activities(Cards.class, o -> o.taskQueue("nowhere"));
            Cards told =
                    Durable.activities(Cards.class, o -> o.taskQueue("nowhere").summary("charge the card of ann"));
            Promise.all(Durable.async(told::charge, "visa"), Durable.async(some::charge, "visa"));
        }
    }
}
