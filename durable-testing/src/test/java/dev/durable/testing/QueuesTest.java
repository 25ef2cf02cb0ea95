package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.Durable;
import dev.durable.Promise;
import dev.durable.QueueFullException;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.ActivityHandle;
import dev.durable.client.AuditEntry;
import dev.durable.client.Queues;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.HistoryEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Pauses, limits and depths of queues, from the client to the history; run on each kind of store. */
abstract class QueuesTest {

    @Activity
    interface Mail {
        void send(String to);
    }

    @Activity(scheduleToStart = "1m")
    interface Calls {
        String call(String number);
    }

    @Workflow
    static class Letter {
        private final Mail mail;
        private boolean more;

        Letter(Mail mail) {
            this.mail = mail;
        }

        @Run
        public void run(String to) {
            mail.send(to + " 1");
            Durable.await(() -> more);
            mail.send(to + " 2");
        }

        @Signal
        public void more() {
            more = true;
        }
    }

    @Workflow
    static class Local {
        @Run
        String run() {
            return Durable.activities(Calls.class, o -> o.local(true)).call("112");
        }
    }

    @Workflow
    static class Campaign {
        @Run
        public void run(int letters) {
            List<Promise<Void>> sent = new ArrayList<>();
            for (int i = 0; i < letters; i++) {
                String customer = "customer-" + i % 2;
                Mail mail = Durable.activities(Mail.class, o -> o.limitKey(customer));
                sent.add(Durable.async(mail::send, customer));
            }
            Promise.all(sent);
        }
    }

    /** By several bodies at once. */
    private final List<String> sent = Collections.synchronizedList(new ArrayList<>());

    private Queues set(TestEngine engine) {
        engine.register(Letter.class, Campaign.class, Local.class)
                .activity(Mail.class, sent::add)
                .activity(Calls.class, number -> "spoke to " + number);
        return engine.client().queues().by("ann");
    }

    @Test
    void a_paused_queue_begins_no_job_not_even_one_of_a_run_that_is_here(TestEngine engine) {
        Queues queues = set(engine);
        assertThat(queues.pause("default")).isTrue();
        var letter = engine.client().startVoid(Letter.class, "letter-1", w -> w.run("bob"));
        ActivityHandle job = engine.client().enqueue(Mail.class, m -> m.send("eve"));
        engine.advance(Duration.ofHours(1));
        assertThat(sent).isEmpty();
        assertThat(queues.describe("default").ready()).isEqualTo(2);
        assertThat(queues.describe("default").paused()).isTrue();
        assertThat(letter.describe().activities()).hasSize(1);

        assertThat(queues.resume("default")).isTrue();
        job.await();
        engine.settle();
        assertThat(sent).containsExactlyInAnyOrder("bob 1", "eve");
    }

    @Test
    void a_pause_with_an_end_ends_by_itself(TestEngine engine) {
        Queues queues = set(engine);
        queues.pause("default", engine.now().plus(Duration.ofHours(2)));
        ActivityHandle job = engine.client().enqueue(Mail.class, m -> m.send("eve"));
        engine.advance(Duration.ofHours(1));
        assertThat(sent).isEmpty();
        engine.advance(Duration.ofHours(2));
        assertThat(sent).containsExactly("eve");
        job.await();
    }

    @Test
    void a_paused_activity_is_held_and_all_others_go_on(TestEngine engine) {
        Queues queues = set(engine);
        queues.pauseActivity("Mail.send");
        ActivityHandle mail = engine.client().enqueue(Mail.class, m -> m.send("eve"));
        ActivityHandle call = engine.client().enqueue(Calls.class, c -> c.call("110"));
        assertThat(call.resultAs(String.class)).isEqualTo("spoke to 110");
        engine.advance(Duration.ofMinutes(5));
        assertThat(sent).isEmpty();
        assertThat(queues.pausedActivities())
                .extracting(Queues.PausedActivity::activity)
                .containsExactly("Mail.send");
        queues.resumeActivity("Mail.send");
        mail.await();
        assertThat(sent).containsExactly("eve");
    }

    @Test
    void a_halt_begins_nothing_until_it_ends(TestEngine engine) {
        Queues queues = set(engine);
        assertThat(queues.because("what is this").halt()).isTrue();
        assertThat(queues.halt()).isFalse();
        // The process hears of it within a second.
        engine.advance(Duration.ofSeconds(1));
        var letter = engine.client().startVoid(Letter.class, "letter-1", w -> w.run("bob"));
        var local = engine.client().start(Local.class, "local-1", w -> w.run());
        ActivityHandle job = engine.client().enqueue(Mail.class, m -> m.send("eve"));

        engine.advance(Duration.ofHours(1));

        assertThat(queues.isHalted()).isTrue();
        assertThat(sent).isEmpty();
        assertThat(letter.history()).as("no turn was made").hasSize(1);
        assertThat(local.history()).hasSize(1);
        assertThat(queues.by("bob").endHalt()).isTrue();
        assertThat(queues.endHalt()).isFalse();
        job.await();
        assertThat(local.result()).isEqualTo("spoke to 112");
        engine.settle();
        assertThat(sent).containsExactlyInAnyOrder("bob 1", "eve");
        assertThat(engine.client().audit().where(a -> a.action("halt")).page(5))
                .singleElement()
                .satisfies(entry -> assertThat(entry.actor() + " " + entry.target() + " " + entry.details())
                        .isEqualTo("ann * {\"reason\":\"what is this\"}"));
        assertThat(engine.client().audit().where(a -> a.action("end halt")).page(5))
                .extracting(AuditEntry::actor)
                .containsExactly("bob");
    }

    @Test
    void a_limited_queue_lets_through_what_its_rate_allows(TestEngine engine) {
        Queues queues = set(engine);
        queues.limits("default", l -> l.ratePerSecond(3).concurrency(2));
        IntStream.range(0, 8).forEach(i -> engine.client().enqueue(Mail.class, m -> m.send("a")));
        engine.settle();
        assertThat(sent).hasSizeLessThanOrEqualTo(3);
        // A rate is nothing that becomes due: time is moved on in small steps.
        IntStream.range(0, 5).forEach(i -> engine.advance(Duration.ofSeconds(2)));
        assertThat(sent).hasSize(8);
    }

    @Test
    void activities_with_limit_keys_all_come_through(TestEngine engine) {
        Queues queues = set(engine);
        queues.limits("default", l -> l.perKey(k -> k.concurrency(1)));
        var run = engine.client().startVoid(Campaign.class, "campaign", w -> w.run(10));
        run.result(Duration.ofMinutes(1));
        assertThat(sent).hasSize(10);
    }

    @Test
    void queues_that_share_slots_get_them_by_weight_and_what_one_leaves_the_other_takes(TestEngine engine) {
        engine.pool("io", p -> p.slots(4).queue("mail", 3).queue("default", 1));
        Queues queues = set(engine);
        queues.pauseActivity("Mail");
        for (int i = 0; i < 30; i++) {
            int number = i;
            engine.client().enqueue(Mail.class, m -> m.send("default"));
            engine.client()
                    .enqueue(Mail.class, StartOptions.id("mail-" + number).taskQueue("mail"), m -> m.send("mail"));
        }
        queues.resumeActivity("Mail");
        engine.settle();
        engine.advance(Duration.ofSeconds(10));
        assertThat(sent).hasSize(60);
        assertThat(sent.subList(0, 32)).filteredOn("mail"::equals).hasSizeBetween(20, 26);
    }

    @Test
    void a_full_queue_refuses_starts_and_says_so_but_running_workflows_schedule(TestEngine engine) {
        Queues queues = set(engine);
        queues.pause("default");
        queues.limits("default", l -> l.maxDepth(2));
        engine.client().startVoid(Letter.class, "letter-1", w -> w.run("bob"));
        engine.client().enqueue(Mail.class, m -> m.send("eve"));
        engine.settle();
        assertThat(queues.describe("default").depth()).isEqualTo(2);
        assertThatThrownBy(() -> engine.client().enqueue(Mail.class, StartOptions.id("mail-3"), m -> m.send("zoe")))
                .isInstanceOf(QueueFullException.class)
                .hasMessageContaining("task queue default is full: its maxDepth is 2")
                .hasMessageContaining("mail-3 was not started")
                .hasMessageContaining("client.queues().limits(\"default\"");
        assertThatThrownBy(() -> engine.client().startVoid(Letter.class, "letter-2", w -> w.run("bob")))
                .isInstanceOf(QueueFullException.class);
        queues.resume("default");
        engine.settle();
        engine.client().enqueue(Mail.class, m -> m.send("zoe")).await();
        assertThat(sent).contains("zoe");
    }

    @Test
    void work_that_is_not_begun_in_time_expires(TestEngine engine) {
        Queues queues = set(engine);
        queues.pause("default");
        ActivityHandle call = engine.client().enqueue(Calls.class, c -> c.call("110"));
        engine.advance(Duration.ofMinutes(2));
        assertThatThrownBy(() -> call.resultAs(String.class))
                .hasMessageContaining("ran out of its schedule-to-start timeout");
        StartOptions soon = StartOptions.id("mail").expiresAt(engine.now().plusSeconds(60));
        ActivityHandle mail = engine.client().enqueue(Mail.class, soon, m -> m.send("eve"));
        engine.advance(Duration.ofMinutes(5));
        queues.resume("default");
        engine.advance(Duration.ofHours(3));
        assertThat(sent).isEmpty();
        assertThat(mail.describe().summary().status()).isIn(WorkflowStatus.FAILED, WorkflowStatus.TIMED_OUT);
    }

    @Test
    void a_paused_run_keeps_what_comes_for_it_until_it_is_resumed(TestEngine engine) {
        set(engine);
        WorkflowHandle<Letter, Void> letter = engine.client().startVoid(Letter.class, "letter-1", w -> w.run("bob"));
        engine.settle();
        letter.pause("the address is checked");
        letter.pause("again");
        letter.signal(Letter::more);
        engine.advance(Duration.ofHours(1));
        assertThat(sent).containsExactly("bob 1");

        letter.resume();
        letter.result(Duration.ofMinutes(1));
        assertThat(sent).containsExactly("bob 1", "bob 2");
        assertThat(letter.history().stream().map(HistoryEvent::type))
                .containsOnlyOnce("WorkflowPaused", "WorkflowResumed")
                .containsSubsequence("ActivityCompleted", "WorkflowPaused", "WorkflowResumed", "SignalReceived");
        assertThatThrownBy(letter::pause)
                .isInstanceOf(WorkflowNotFoundException.class)
                .hasMessage("there is no open run of workflow id letter-1 to pause with run id " + letter.runId());
    }

    @Test
    void a_run_that_was_paused_before_anybody_ran_it_begins_when_it_is_resumed(TestEngine engine) {
        set(engine);
        var letter = engine.client()
                .startVoid(
                        Letter.class, StartOptions.id("letter-1").startDelay(Duration.ofMinutes(1)), w -> w.run("bob"));
        letter.pause();
        engine.advance(Duration.ofHours(1));
        assertThat(sent).isEmpty();
        letter.resume();
        engine.settle();
        letter.signal(Letter::more);
        letter.result(Duration.ofMinutes(1));
        assertThat(sent).containsExactly("bob 1", "bob 2");
    }
}
