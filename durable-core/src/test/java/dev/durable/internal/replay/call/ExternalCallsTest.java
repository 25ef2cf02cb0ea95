package dev.durable.internal.replay.call;

import dev.durable.Durable;
import dev.durable.ExternalWorkflow;
import dev.durable.UsageException;
import dev.durable.internal.replay.GivenRun;
import dev.durable.internal.replay.Scripted;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Messages to other workflows as commands: numbered in their order, and the same on replay after each turn. */
class ExternalCallsTest {

    private static ExternalWorkflow<Addressee> to(String workflowId) {
        return Durable.external(Addressee.class, workflowId);
    }

    @Test
    void messages_are_commands_with_numbers_that_count_on_from_turn_to_turn() {
        try (GivenRun run = GivenRun.of(w -> {
            to("a").signal(x -> x.hear("1"));
            to("b").cancel("why");
            Durable.sleep(Duration.ofHours(1));
            to("a").signal("hear", "2");
            to("b").cancel();
            return "";
        })) {
            run.expect("signal 1 a hear[\"1\"]", "cancel workflow 2 b: why", "timer 1 PT1H");
            run.fired(1).expect("signal 3 a hear[\"2\"]", "cancel workflow 4 b: no reason given");
            run.expectClose("completed \"\"");
        }
    }

    @Test
    void coroutines_and_handlers_count_together() {
        try (GivenRun run = GivenRun.of(w -> {
            w.onSignal((self, text) -> to(text).signal("hear", text));
            Durable.async(() -> to("a").signal("hear", "async"));
            Durable.await(() -> false);
            return "";
        })) {
            run.expect("signal 1 a hear[\"async\"]");
            run.tell("b").expect("signal 2 b hear[\"b\"]");
        }
    }

    @Test
    void a_call_that_is_refused_takes_no_number() {
        try (GivenRun run = GivenRun.of(w -> {
            refused(w, () -> to("a").signal("shout", "x"));
            refused(w, () -> to("a").signal("hear"));
            refused(w, () -> to("a").cancel("x\0"));
            to("a").signal("hear", "y");
            return "";
        })) {
            run.expect("signal 1 a hear[\"y\"]");
        }
    }

    @Test
    void a_handle_belongs_to_the_run_that_asked_for_it() {
        AtomicReference<ExternalWorkflow<Addressee>> kept = new AtomicReference<>();
        try (GivenRun first = GivenRun.of(w -> {
            kept.compareAndSet(null, to("a"));
            Durable.await(() -> false);
            return "";
        })) {
            first.expect();
            try (GivenRun second = GivenRun.of(w -> {
                refused(w, () -> kept.get().cancel());
                return "";
            })) {
                second.expectSeen("ExternalWorkflow.cancel was called on a handle of another run. Get it by"
                        + " Durable.external(…) where it is used, never from a static field.");
            }
        }
    }

    @Test
    void a_class_that_is_no_workflow_is_refused() {
        try (GivenRun run = GivenRun.of(w -> {
            try {
                Durable.external(String.class, "a");
            } catch (UsageException e) {
                w.see(e.getMessage().substring(0, 34));
            }
            return "";
        })) {
            run.expectSeen("Durable.external(String.class, …):");
        }
    }

    @Test
    @SuppressWarnings("NullAway") // callers without null checks may pass null
    void a_workflow_id_that_is_missing_is_refused_where_it_is_given() {
        try (GivenRun run = GivenRun.of(w -> {
            refused(w, () -> to(" "));
            refused(w, () -> to(null));
            return "";
        })) {
            run.expectSeen(
                    "Durable.external(Addressee.class, …) was given a blank text as the workflow id. Give the id by"
                            + " which the other workflow was started; usual cause: a field of an argument that was not set.",
                    "Durable.external(Addressee.class, …) was given null as the workflow id. Give the id by"
                            + " which the other workflow was started; usual cause: a field of an argument that was not set.");
        }
    }

    private static void refused(Scripted w, Runnable call) {
        try {
            call.run();
            w.see("went through");
        } catch (UsageException e) {
            w.see(e.getMessage());
        }
    }
}
