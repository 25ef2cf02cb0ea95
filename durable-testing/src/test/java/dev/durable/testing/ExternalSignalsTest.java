package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.CancelledException;
import dev.durable.Durable;
import dev.durable.ExternalWorkflow;
import dev.durable.Query;
import dev.durable.QueryFailedException;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.UsageException;
import dev.durable.Workflow;
import dev.durable.WorkflowFailedException;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.ExternalCancelRequested;
import dev.durable.history.ExternalSignalRequested;
import dev.durable.history.HistoryEvent;
import dev.durable.history.SignalReceived;
import dev.durable.history.WorkflowCancelRequested;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Signals and requests to cancel that workflow code sends to other workflows, and to its own. */
abstract class ExternalSignalsTest {
    private static final Duration DAY = Duration.ofDays(1);

    /** Hears words until it hears the last. */
    @Workflow
    static class Listener {
        private final List<String> heard = new ArrayList<>();

        @Run
        List<String> run() {
            Durable.await(() -> heard.contains("end"));
            return heard;
        }

        @Signal
        void say(String word) {
            heard.add(word);
        }

        @Signal
        void count(int number) {
            heard.add("number " + number);
        }
    }

    /** Sends what its argument says. */
    @Workflow
    static class Speaker {
        private final List<String> heard = new ArrayList<>();

        @Run
        List<String> run(String how) {
            ExternalWorkflow<Listener> listener = Durable.external(Listener.class, "listener");
            switch (how) {
                case "words" -> {
                    listener.signal(w -> w.say("first"));
                    Durable.sleep(DAY);
                    listener.signal("say", "second");
                    listener.signal(w -> w.count(3));
                    listener.signal(w -> w.say("end"));
                }
                case "later" -> {
                    Durable.sleep(DAY);
                    listener.signal(w -> w.say("end"));
                }
                case "cancel" -> listener.cancel("not needed any more");
                case "unknown" -> listener.signal("shout", "x");
                case "wrong" -> listener.signal("say", "x", "y");
                case "large" -> listener.signal(w -> w.say("x".repeat(3_000_000)));
                case "bad id" ->
                    Durable.external(Listener.class, "x".repeat(600)).signal(w -> w.say("x"));
                case "no call" -> listener.signal(w -> {});
                case "in a condition" ->
                    Durable.await(() -> {
                        listener.signal(w -> w.say("x"));
                        return true;
                    });
                case "caught" -> {
                    try {
                        listener.signal("shout", "x");
                    } catch (UsageException e) {
                        heard.add("refused");
                    }
                    Durable.sleep(DAY);
                    listener.signal(w -> w.say("end"));
                }
                case "itself" -> {
                    Durable.external(Speaker.class, "speaker").signal(w -> w.hear("own"));
                    Durable.await(() -> !heard.isEmpty());
                }
                case "itself at the end" ->
                    Durable.external(Speaker.class, "speaker").signal(w -> w.hear("own"));
                case "cancel itself" -> {
                    Durable.external(Speaker.class, "speaker").cancel("enough");
                    Durable.sleep(DAY);
                }
                case "clean up" -> {
                    try {
                        Durable.sleep(DAY);
                    } catch (CancelledException e) {
                        try {
                            listener.signal(w -> w.say("never"));
                        } catch (CancelledException refused) {
                            heard.add("refused");
                        }
                        Durable.detached(() -> listener.signal(w -> w.say("end")));
                        throw e;
                    }
                }
                default -> throw new IllegalArgumentException(how);
            }
            return heard;
        }

        @Signal
        void hear(String word) {
            heard.add(word);
        }

        @Query
        String ask() {
            Durable.external(Listener.class, "listener").signal(w -> w.say("end"));
            return "never";
        }
    }

    private WorkflowHandle<Listener, List<String>> listener(TestEngine engine) {
        engine.register(Listener.class, Speaker.class);
        WorkflowHandle<Listener, List<String>> run = engine.client().start(Listener.class, "listener", Listener::run);
        engine.settle();
        return run;
    }

    private static WorkflowHandle<Speaker, List<String>> speaker(TestEngine engine, String how) {
        WorkflowHandle<Speaker, List<String>> run = engine.client().start(Speaker.class, "speaker", w -> w.run(how));
        engine.settle();
        return run;
    }

    private static <E extends HistoryEvent> List<E> events(WorkflowHandle<?, ?> run, Class<E> type) {
        return run.history().stream().filter(type::isInstance).map(type::cast).toList();
    }

    private static List<String> types(WorkflowHandle<?, ?> run) {
        return run.history().stream().map(HistoryEvent::type).toList();
    }

    @Test
    void signals_of_a_workflow_reach_another_in_their_order_and_stand_in_both_histories(TestEngine engine) {
        WorkflowHandle<Listener, List<String>> listener = listener(engine);
        WorkflowHandle<Speaker, List<String>> speaker = speaker(engine, "words");

        assertThat(listener.result()).containsExactly("first", "second", "number 3", "end");
        assertThat(speaker.result()).isEmpty();
        assertThat(events(speaker, ExternalSignalRequested.class))
                .extracting(ExternalSignalRequested::number)
                .containsExactly(1L, 2L, 3L, 4L);
        assertThat(events(speaker, ExternalSignalRequested.class).getFirst())
                .returns("listener", ExternalSignalRequested::workflowId)
                .returns("say", ExternalSignalRequested::signal)
                .returns("[\"first\"]", event -> event.input().json());
        assertThat(events(listener, SignalReceived.class))
                .extracting(SignalReceived::messageId)
                .doesNotHaveDuplicates()
                .hasSize(4);
    }

    @Test
    void a_signal_arrives_without_time_going_on(TestEngine engine) {
        WorkflowHandle<Listener, List<String>> listener = listener(engine);
        speaker(engine, "words");

        assertThat(events(listener, SignalReceived.class)).hasSize(1);
        assertThat(Duration.between(
                        events(listener, SignalReceived.class).getFirst().at(), engine.now()))
                .isLessThan(Duration.ofMinutes(10));
    }

    @Test
    void a_request_to_cancel_says_which_workflow_asked_and_why(TestEngine engine) {
        WorkflowHandle<Listener, List<String>> listener = listener(engine);
        WorkflowHandle<Speaker, List<String>> speaker = speaker(engine, "cancel");

        assertThatThrownBy(listener::result)
                .isInstanceOf(WorkflowFailedException.class)
                .hasMessageContaining("not needed any more");
        assertThat(events(listener, WorkflowCancelRequested.class))
                .singleElement()
                .returns("workflow speaker", WorkflowCancelRequested::by)
                .returns("not needed any more", WorkflowCancelRequested::reason);
        assertThat(events(speaker, ExternalCancelRequested.class))
                .singleElement()
                .returns("listener", ExternalCancelRequested::workflowId)
                .returns("not needed any more", ExternalCancelRequested::reason);
    }

    @Test
    void a_signal_to_no_open_workflow_is_dropped_and_its_sender_goes_on(TestEngine engine) {
        engine.register(Listener.class, Speaker.class);

        assertThat(speaker(engine, "later").result()).isEmpty();
        engine.settle();
        WorkflowHandle<Listener, List<String>> late = engine.client().start(Listener.class, "listener", Listener::run);
        engine.settle();
        assertThat(late.history()).hasEventTypes("WorkflowStarted");
    }

    @Test
    void a_signal_to_itself_is_fed_in_the_next_turn(TestEngine engine) {
        listener(engine);
        WorkflowHandle<Speaker, List<String>> speaker = speaker(engine, "itself");

        assertThat(speaker.result()).containsExactly("own");
        assertThat(types(speaker))
                .containsExactly("WorkflowStarted", "ExternalSignalRequested", "SignalReceived", "WorkflowCompleted");
    }

    @Test
    void a_signal_to_itself_from_the_last_line_is_handled_before_the_run_closes(TestEngine engine) {
        listener(engine);
        WorkflowHandle<Speaker, List<String>> speaker = speaker(engine, "itself at the end");

        assertThat(speaker.result()).isEmpty();
        assertThat(types(speaker))
                .containsExactly("WorkflowStarted", "ExternalSignalRequested", "SignalReceived", "WorkflowCompleted");
    }

    @Test
    void a_workflow_cancels_itself(TestEngine engine) {
        listener(engine);
        WorkflowHandle<Speaker, List<String>> speaker = speaker(engine, "cancel itself");

        assertThatThrownBy(speaker::result).hasMessageContaining("enough");
        assertThat(speaker.describe().summary().status()).isEqualTo(WorkflowStatus.CANCELLED);
    }

    @Test
    void a_paused_workflow_hears_its_signals_when_it_is_resumed(TestEngine engine) {
        WorkflowHandle<Listener, List<String>> listener = listener(engine);
        listener.pause("audit");
        assertThat(speaker(engine, "words").result()).isEmpty();
        assertThat(events(listener, SignalReceived.class)).isEmpty();

        listener.resume();
        assertThat(listener.result()).containsExactly("first", "second", "number 3", "end");
    }

    @Test
    void a_cancelled_workflow_sends_from_detached_code_only(TestEngine engine) {
        WorkflowHandle<Listener, List<String>> listener = listener(engine);
        WorkflowHandle<Speaker, List<String>> speaker = speaker(engine, "clean up");
        speaker.cancel("stop");

        assertThat(listener.result()).containsExactly("end");
        assertThatThrownBy(speaker::result).hasMessageContaining("stop");
        assertThat(events(speaker, ExternalSignalRequested.class)).hasSize(1);
    }

    // ── refused calls ────────────────────────────────────────────────────────────────────────────────────────────────

    private void stalls(TestEngine engine, String how, String... texts) {
        listener(engine);

        assertThatThrownBy(() -> speaker(engine, how))
                .isInstanceOf(WorkflowStalledException.class)
                .hasMessageContainingAll(texts);
        assertThat(engine.client().history("speaker")).hasEventTypes("WorkflowStarted");
    }

    @Test
    void an_unknown_signal_is_refused_at_the_call(TestEngine engine) {
        stalls(engine, "unknown", "sent nothing", "workflow Listener has no signal shout; it has [count, say]");
    }

    @Test
    void arguments_that_do_not_fit_the_signal_are_refused_at_the_call(TestEngine engine) {
        stalls(engine, "wrong", "sent nothing", "say");
    }

    @Test
    void a_payload_that_is_too_large_is_refused_at_the_call(TestEngine engine) {
        stalls(engine, "large", "sent nothing", "say");
    }

    @Test
    void an_id_that_no_workflow_can_have_is_refused_at_the_call(TestEngine engine) {
        stalls(engine, "bad id", "sent nothing", "512");
    }

    @Test
    void a_lambda_without_a_call_is_refused(TestEngine engine) {
        stalls(engine, "no call", "sent nothing", "made no call");
    }

    @Test
    void a_signal_in_a_condition_is_refused(TestEngine engine) {
        stalls(engine, "in a condition", "ExternalWorkflow.signal was called in a condition of Durable.await");
    }

    @Test
    void a_signal_in_a_query_is_refused_and_not_sent(TestEngine engine) {
        WorkflowHandle<Listener, List<String>> listener = listener(engine);
        WorkflowHandle<Speaker, List<String>> speaker = speaker(engine, "later");

        assertThatThrownBy(() -> speaker.query(Speaker::ask))
                .isInstanceOf(QueryFailedException.class)
                .hasMessageContaining("ExternalWorkflow.signal was called in a query");
        assertThat(events(listener, SignalReceived.class)).isEmpty();
    }

    @Test
    void a_refusal_that_the_code_catches_is_made_again_on_replay(TestEngine engine) {
        WorkflowHandle<Listener, List<String>> listener = listener(engine);
        WorkflowHandle<Speaker, List<String>> speaker = speaker(engine, "caught");

        assertThat(speaker.result()).containsExactly("refused");
        assertThat(listener.result()).containsExactly("end");
        Replayer.of(Speaker.class).replay(speaker.history());
    }
}
