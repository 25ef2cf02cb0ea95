package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.ConflictPolicy;
import dev.durable.Durable;
import dev.durable.QueueFullException;
import dev.durable.ReusePolicy;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.TypeRef;
import dev.durable.Workflow;
import dev.durable.WorkflowAlreadyStartedException;
import dev.durable.WorkflowFailedException;
import dev.durable.client.DurableClient;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Signals that start their run where none is open; run on each kind of store. */
abstract class SignalWithStartTest {

    private static final TypeRef<List<String>> WORDS = new TypeRef<>() {};

    @Activity
    interface Mail {
        void send(String to);
    }

    /** Collects as many words as its argument says. */
    @Workflow(name = "Words", aliases = "Sentences")
    static class Words {
        private final List<String> heard = new ArrayList<>();
        private String first = "the handler came first";

        @Run
        List<String> run(String opening, int count) {
            first = opening;
            Durable.await(() -> heard.size() >= count);
            return heard;
        }

        @Signal
        void say(String word) {
            heard.add(first + ": " + word);
        }
    }

    /** The earlier name of {@link Words}. */
    @Workflow(name = "Sentences")
    static class Sentences {
        private boolean said;

        @Run
        void run() {
            Durable.await(() -> said);
        }

        @Signal
        void say(String word) {
            said = true;
        }
    }

    @Workflow
    static class Parcel {
        private boolean sent;

        @Run
        void run() {
            Durable.await(() -> sent);
        }

        @Signal
        void send() {
            sent = true;
        }
    }

    private static WorkflowHandle<Words, List<String>> say(DurableClient client, StartOptions options, String word) {
        return client.signalWithStart(Words.class, options, w -> w.run("ann", 2), w -> w.say(word));
    }

    private static WorkflowHandle<Words, List<String>> say(DurableClient client, String word) {
        return say(client, StartOptions.id("w-1"), word);
    }

    @Test
    void the_first_signal_starts_the_run_and_the_next_goes_to_it(TestEngine engine) {
        DurableClient client = engine.register(Words.class).client();
        var first = say(client, "hello");
        var second = say(client, "world");
        assertThat(second.runId()).isEqualTo(first.runId());
        assertThat(second.result()).containsExactly("ann: hello", "ann: world");
    }

    @Test
    void the_run_comes_to_its_first_wait_before_the_handler(TestEngine engine) {
        DurableClient client = engine.register(Words.class).client();
        var run = client.signalWithStart(Words.class, "w-1", w -> w.run("ann", 1), w -> w.say("hello"));
        assertThat(run.result()).containsExactly("ann: hello");
        assertThat(client.history("w-1").stream().map(event -> event.type()))
                .containsExactly("WorkflowStarted", "SignalReceived", "WorkflowCompleted");
    }

    @Test
    void a_run_that_has_closed_is_followed_by_another(TestEngine engine) {
        DurableClient client = engine.register(Words.class).client();
        say(client, "a");
        var first = say(client, "b");
        assertThat(first.result()).hasSize(2);
        var next = say(client, "c");
        assertThat(next.runId()).isNotEqualTo(first.runId());
        next.signal(w -> w.say("d"));
        assertThat(next.result()).containsExactly("ann: c", "ann: d");
    }

    @Test
    void a_reuse_policy_that_refuses_another_run_refuses_the_signal(TestEngine engine) {
        DurableClient client = engine.register(Words.class).client();
        say(client, "a");
        say(client, "b").result();
        StartOptions once = StartOptions.id("w-1").reusePolicy(ReusePolicy.REJECT_DUPLICATE);
        assertThatThrownBy(() -> say(client, once, "c"))
                .isInstanceOf(WorkflowAlreadyStartedException.class)
                .hasMessageContaining("workflow id w-1 was used before")
                .hasMessageContaining("REJECT_DUPLICATE");
    }

    @Test
    void terminate_existing_replaces_the_open_run_by_one_with_the_signal(TestEngine engine) {
        DurableClient client = engine.register(Words.class).client();
        var first = say(client, "a");
        var next = say(client, StartOptions.id("w-1").conflictPolicy(ConflictPolicy.TERMINATE_EXISTING), "b");
        next.signal(w -> w.say("c"));
        assertThat(next.result()).containsExactly("ann: b", "ann: c");
        assertThatThrownBy(first::result)
                .isInstanceOf(WorkflowFailedException.class)
                .hasMessageContaining("TERMINATE_EXISTING");
    }

    @Test
    void a_run_without_a_result_and_one_by_names(TestEngine engine) {
        DurableClient client = engine.register(Words.class, Parcel.class).client();
        client.signalWithStartVoid(Parcel.class, "p-1", Parcel::run, Parcel::send)
                .result();
        StartOptions options = StartOptions.id("w-1");
        client.signalWithStart("Words", options, List.of("bob", 2), "say", "hello");
        var run = client.signalWithStart("Words", options, List.of("eve", 2), "say", "world");
        assertThat(run.resultAs(WORDS)).containsExactly("bob: hello", "bob: world");
        assertThatThrownBy(() -> client.signalWithStart("Words", options, List.of("bob", 2), "shout", "hello"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("workflow Words has no signal shout; it has [say]");
    }

    @Test
    void a_run_of_another_type_is_neither_given_nor_told(TestEngine engine) {
        DurableClient client = engine.register(Words.class, Parcel.class).client();
        var parcel = client.startVoid(Parcel.class, "w-1", Parcel::run);
        StartOptions existing = StartOptions.id("w-1").conflictPolicy(ConflictPolicy.USE_EXISTING);
        String text = "workflow id w-1 has an open run, " + parcel.runId() + ", of another type: it is a run of Parcel,"
                + " not of Words, and was left as it is";
        String wayOut = ". USE_EXISTING gives the open run only where its type is the same. Usual cause: two kinds of"
                + " workflow share their ids. Give each kind a prefix of its own, or use"
                + " conflictPolicy(TERMINATE_EXISTING) to replace the open run. Where the type was renamed, add its"
                + " former name: @Workflow(aliases = \"Parcel\").";
        assertThatThrownBy(() -> client.start(Words.class, existing, w -> w.run("ann", 1)))
                .isInstanceOf(WorkflowAlreadyStartedException.class)
                .hasMessage(text + wayOut);
        assertThatThrownBy(() -> client.start("Words", existing, "ann", 1))
                .isInstanceOf(WorkflowAlreadyStartedException.class)
                .hasMessage(text + wayOut);
        assertThatThrownBy(() -> say(client, "hello"))
                .isInstanceOf(WorkflowAlreadyStartedException.class)
                .hasMessage(text + ", without signal say" + wayOut);
        engine.settle();
        assertThat(client.history("w-1").stream().map(event -> event.type())).containsExactly("WorkflowStarted");
        parcel.signal(Parcel::send);
        parcel.result();
    }

    @Test
    void a_background_job_and_a_run_do_not_pass_for_each_other(TestEngine engine) {
        engine.register(Words.class).activity(Mail.class, to -> {});
        DurableClient client = engine.client();
        StartOptions existing = StartOptions.id("w-1").conflictPolicy(ConflictPolicy.USE_EXISTING);
        var run = say(client, "hello");
        assertThatThrownBy(() -> client.enqueue(Mail.class, existing, m -> m.send("ann")))
                .isInstanceOf(WorkflowAlreadyStartedException.class)
                .hasMessageContaining("it is a run of Words, not of a background job");
        run.terminate("the test ends");
    }

    @Test
    void a_run_under_a_former_name_of_the_type_is_given_and_told(TestEngine engine) {
        DurableClient client = engine.register(Words.class).client();
        var old = client.start("Sentences", StartOptions.id("w-1"), "ann", 2);
        StartOptions existing = StartOptions.id("w-1").conflictPolicy(ConflictPolicy.USE_EXISTING);
        assertThat(client.start(Words.class, existing, w -> w.run("bob", 2)).runId())
                .isEqualTo(old.runId());
        assertThat(say(client, "hello").runId()).isEqualTo(old.runId());
        assertThat(say(client, "world").result()).containsExactly("ann: hello", "ann: world");
    }

    @Test
    void a_full_queue_keeps_no_signal_from_a_run_that_is_open(TestEngine engine) {
        engine.register(Words.class).activity(Mail.class, to -> {});
        DurableClient client = engine.client();
        var open = say(client, "hello");
        engine.settle();
        client.queues().pause("default");
        client.queues().limits("default", l -> l.maxDepth(1));
        client.enqueue(Mail.class, m -> m.send("ann"));
        engine.settle();
        assertThatThrownBy(() -> say(client, StartOptions.id("w-2"), "hello")).isInstanceOf(QueueFullException.class);
        say(client, "world");
        client.queues().limits("default", l -> {});
        client.queues().resume("default");
        assertThat(open.result()).containsExactly("ann: hello", "ann: world");
    }
}
