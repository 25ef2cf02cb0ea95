package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.ConflictPolicy;
import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.WorkflowAlreadyStartedException;
import dev.durable.client.ActivityHandle;
import dev.durable.client.DurableClient;
import dev.durable.client.Queues;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * The calls that the client refuses, as their work would be lost, done twice or for ever; run on each kind of store.
 */
abstract class DoorsTest {

    @Activity
    interface Mail {
        void send(String to);

        @Activity(aliases = "Mail.telegraph")
        void wire(String to);
    }

    @Activity
    interface Mails {
        void mail(String to);
    }

    @Workflow
    static class Letter {
        private boolean done;

        @Run
        public String run() {
            Durable.await(() -> done);
            return "done";
        }

        @Signal
        public void done() {
            done = true;
        }
    }

    /** Calls the client from its own code. */
    @Workflow
    static class Careless {
        static final Map<String, DurableClient> CLIENTS = new ConcurrentHashMap<>();

        static final Map<String, Consumer<DurableClient>> CALLS = Map.ofEntries(
                Map.entry("client.enqueue(…)", c -> c.enqueue(Mail.class, m -> m.send("ann"))),
                Map.entry("client.enqueueAll(…)", c -> c.enqueueAll(Mail.class, List.of("ann"), (m, to) -> m.send(to))),
                Map.entry("client.start(…)", c -> c.start(Letter.class, "other", Letter::run)),
                Map.entry(
                        "client.signalWithStart(…)",
                        c -> c.signalWithStart(Letter.class, "other", Letter::run, Letter::done)),
                Map.entry(
                        "client.updateWithStart(…)",
                        c -> c.updateWithStart(
                                "Letter", StartOptions.id("other"), List.of(), null, "rewrite", Void.class)),
                Map.entry(
                        "handle.signal(…)",
                        c -> c.handle(Letter.class, "letter").signal(Letter::done)),
                Map.entry(
                        "handle.cancel(…)",
                        c -> c.handle(Letter.class, "letter").cancel("no")),
                Map.entry(
                        "handle.terminate(…)",
                        c -> c.handle(Letter.class, "letter").terminate("no")),
                Map.entry(
                        "handle.pause()", c -> c.handle(Letter.class, "letter").pause("no")),
                Map.entry(
                        "handle.result()", c -> c.handle(Letter.class, "letter").result()),
                Map.entry("client.enqueueAgain(…)", c -> c.enqueueAgain("mail-1")),
                Map.entry("client.enqueueAgain(w -> …)", c -> c.enqueueAgain(w -> w)),
                Map.entry("batch.await()", c -> c.batch("b").await()));

        @Run
        public void run(String test, String call) {
            CALLS.get(call).accept(CLIENTS.get(test));
        }
    }

    private final List<String> sent = Collections.synchronizedList(new ArrayList<>());

    private DurableClient set(TestEngine engine) {
        engine.register(Letter.class, Careless.class);
        engine.activity(Mail.class, new Mail() {
            @Override
            public void send(String to) {
                sent.add(to);
            }

            @Override
            public void wire(String to) {
                sent.add("wire to " + to);
            }
        });
        engine.activity(Mails.class, sent::add);
        return engine.client();
    }

    @Test
    void calls_of_the_client_from_workflow_code_are_refused_with_the_way_out(TestEngine engine) {
        DurableClient client = set(engine.withoutReplayCheck());
        String test = UUID.randomUUID().toString();
        Careless.CLIENTS.put(test, client);
        WorkflowHandle<Letter, String> letter = client.start(Letter.class, "letter", Letter::run);
        for (String call : Careless.CALLS.keySet()) {
            WorkflowHandle<Careless, Void> careless =
                    client.startVoid(Careless.class, "careless " + call, w -> w.run(test, call));
            assertThatThrownBy(careless::result)
                    .as(call)
                    .isInstanceOf(WorkflowStalledException.class)
                    .hasMessageContaining(
                            call + " was called by the code of workflow Careless. Workflow code runs again"
                                    + " whenever its run is replayed")
                    .hasMessageContaining("Call it in the body of an activity instead")
                    .hasMessageContaining("DoorsTest.java");
            careless.terminate("the test goes on");
        }
        assertThat(sent).isEmpty();
        assertThat(client.workflows().count()).as("nothing was started").isEqualTo(1 + Careless.CALLS.size());
        assertThat(letter.describe().summary().status()).isEqualTo(WorkflowStatus.RUNNING);
    }

    @Test
    void an_open_job_of_another_activity_is_not_used(TestEngine engine) {
        DurableClient client = set(engine);
        StartOptions later = StartOptions.id("mail-1").startDelay(Duration.ofHours(1));
        StartOptions existing = StartOptions.id("mail-1").conflictPolicy(ConflictPolicy.USE_EXISTING);
        ActivityHandle job = client.enqueue(Mail.class, later, m -> m.send("ann"));
        assertThatThrownBy(() -> client.enqueue(Mail.class, existing, m -> m.wire("ann")))
                .isInstanceOf(WorkflowAlreadyStartedException.class)
                .hasMessage(
                        "id mail-1 has an open job, " + job.runId() + ", of another activity: it runs Mail.send, not"
                                + " Mail.wire, and was left as it is. USE_EXISTING gives the open job only where its activity is"
                                + " the same. Usual cause: two kinds of jobs share their ids. Give each kind a prefix of its own,"
                                + " or use conflictPolicy(TERMINATE_EXISTING) to replace the open job. Where the activity was"
                                + " renamed, add its former name: @Activity(aliases = \"Mail.send\").");
        assertThatThrownBy(() -> client.enqueue(Mails.class, existing, m -> m.mail("ann")))
                .isInstanceOf(WorkflowAlreadyStartedException.class);
        assertThat(client.enqueue(Mail.class, existing, m -> m.send("bob")).runId())
                .isEqualTo(job.runId());
        engine.advance(Duration.ofHours(2));
        assertThat(sent).containsExactly("ann");
    }

    @Test
    void an_open_run_of_a_workflow_is_no_job_and_an_open_job_no_workflow(TestEngine engine) {
        DurableClient client = set(engine);
        StartOptions existing = StartOptions.id("letter").conflictPolicy(ConflictPolicy.USE_EXISTING);
        WorkflowHandle<Letter, String> letter = client.start(Letter.class, "letter", Letter::run);
        assertThatThrownBy(() -> client.enqueue(Mail.class, existing, m -> m.send("ann")))
                .isInstanceOf(WorkflowAlreadyStartedException.class)
                .hasMessageContaining("it is a run of Letter, not of a background job");
        StartOptions job = StartOptions.id("job");
        client.enqueue(Mail.class, job.startDelay(Duration.ofHours(1)), m -> m.send("ann"));
        assertThatThrownBy(
                        () -> client.start(Letter.class, job.conflictPolicy(ConflictPolicy.USE_EXISTING), Letter::run))
                .isInstanceOf(WorkflowAlreadyStartedException.class)
                .hasMessageContaining("it is a run of a background job, not of Letter");
        letter.signal(Letter::done);
        assertThat(letter.result()).isEqualTo("done");
    }

    @Test
    void a_pause_of_what_nobody_knows_is_refused(TestEngine engine) {
        Queues queues = set(engine).queues();
        assertThatThrownBy(() -> queues.pause("defualt"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("task queue defualt is not known: no living worker serves it, and nothing waits in the"
                        + " store for it. Known are [default]. Usual cause: a misspelt name. If its workers are still to be"
                        + " started, start them first.");
        assertThatThrownBy(() -> queues.pauseActivity("Mail.sned"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("activity Mail.sned is not known: no living worker implements it")
                .hasMessageContaining("Mail.send");
        assertThatThrownBy(() -> queues.pauseActivity("Male")).isInstanceOf(IllegalArgumentException.class);
        assertThat(queues.pausedActivities()).isEmpty();
        assertThat(queues.pauseActivity("Mail")).isTrue();
        assertThat(queues.pauseActivity("Mail.telegraph")).as("a former name").isTrue();
        assertThat(queues.pause("default")).isTrue();
        engine.client().enqueue(Mail.class, StartOptions.id("m").taskQueue("night"), m -> m.send("ann"));
        assertThat(queues.pause("night")).as("a job waits there").isTrue();
    }

    @Test
    void times_in_the_past_are_refused(TestEngine engine) {
        DurableClient client = set(engine);
        engine.advance(Duration.ofDays(1));
        StartOptions past = StartOptions.id("letter").expiresAt(engine.now().minusSeconds(1));
        assertThatThrownBy(() -> client.start(Letter.class, past, Letter::run))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("letter expires at ")
                .hasMessageContaining("which has passed");
        assertThatThrownBy(() -> client.enqueue(Mail.class, past, m -> m.send("ann")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("it would never run");
        assertThatThrownBy(() -> client.queues().pause("default", engine.now().minusSeconds(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("would be over already");
        assertThatThrownBy(
                        () -> client.queues().pauseActivity("Mail", engine.now().minusSeconds(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("would be over already");
        assertThat(client.workflows().count()).isZero();
    }
}
