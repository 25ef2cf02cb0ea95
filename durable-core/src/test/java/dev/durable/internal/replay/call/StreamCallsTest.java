package dev.durable.internal.replay.call;

import dev.durable.CancelledException;
import dev.durable.Durable;
import dev.durable.TypeRef;
import dev.durable.UsageException;
import dev.durable.WorkflowStream;
import dev.durable.internal.replay.GivenRun;
import dev.durable.internal.replay.Scripted;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Appends of workflow code: commands in the order of the calls, for which nothing waits. */
class StreamCallsTest {
    record Chunk(int number, String text) {}

    @Test
    void appends_are_commands_in_the_order_of_the_calls() {
        try (GivenRun run = GivenRun.of(w -> {
            WorkflowStream<Chunk> tokens = Durable.stream("tokens", Chunk.class);
            tokens.append(new Chunk(1, "Once"));
            Durable.stream("log", new TypeRef<List<String>>() {}).append(List.of("a", "b"));
            Durable.sleep(Duration.ofHours(1));
            tokens.append(new Chunk(2, "upon"));
            return tokens.name();
        })) {
            run.expect(
                    "append to tokens {\"number\":1,\"text\":\"Once\"}", "append to log [\"a\",\"b\"]", "timer 1 PT1H");
            run.fired(1).expect("append to tokens {\"number\":2,\"text\":\"upon\"}");
            run.expectClose("completed \"tokens\"");
        }
    }

    @Test
    void coroutines_and_handlers_append_to_the_same_stream() {
        try (GivenRun run = GivenRun.of(w -> {
            w.onSignal((self, text) -> Durable.stream("tokens", String.class).append(text));
            Durable.async(() -> Durable.stream("tokens", String.class).append("async"));
            Durable.await(() -> false);
            return "";
        })) {
            run.expect("append to tokens \"async\"");
            run.tell("signal").expect("append to tokens \"signal\"");
        }
    }

    @Test
    void a_name_that_is_none_and_a_value_that_is_too_large_are_refused_and_nothing_is_recorded() {
        try (GivenRun run = GivenRun.of(w -> {
            refused(w, () -> Durable.stream(" tokens", String.class));
            refused(w, () -> Durable.stream("tokens", String.class).append("x".repeat(3_000_000)));
            Durable.stream("tokens", String.class).append("y");
            return "";
        })) {
            run.expect("append to tokens \"y\"");
            run.expectSeen(
                    "Durable.stream: the stream \" tokens\" has blanks around it, w",
                    "WorkflowStream.append sent nothing. an entry of stream token");
        }
    }

    @Test
    @SuppressWarnings("NullAway") // callers without null checks may pass null
    void a_missing_name_is_refused_where_it_is_given() {
        try (GivenRun run = GivenRun.of(w -> {
            refused(w, () -> Durable.stream(null, String.class));
            return "";
        })) {
            run.expectSeen("Durable.stream(null, class java.lang.String): give the name ");
        }
    }

    @Test
    void a_stream_belongs_to_the_run_that_asked_for_it() {
        AtomicReference<WorkflowStream<String>> kept = new AtomicReference<>();
        try (GivenRun first = GivenRun.of(w -> {
            kept.compareAndSet(null, Durable.stream("tokens", String.class));
            Durable.await(() -> false);
            return "";
        })) {
            first.expect();
            try (GivenRun second = GivenRun.of(w -> {
                refused(w, () -> kept.get().append("x"));
                return "";
            })) {
                second.expectSeen("WorkflowStream.append was called on a stream of another run.");
            }
        }
    }

    @Test
    void a_cancelled_coroutine_appends_nothing_but_in_its_clean_up() {
        try (GivenRun run = GivenRun.of(w -> {
            try {
                Durable.await(() -> false);
            } catch (CancelledException e) {
                try {
                    Durable.stream("tokens", String.class).append("refused");
                } catch (CancelledException again) {
                    w.see("refused");
                }
                Durable.detached(() -> Durable.stream("tokens", String.class).append("clean-up"));
            }
            return "";
        })) {
            run.expect();
            run.cancelRequested("no need").expect("append to tokens \"clean-up\"");
            run.expectSeen("refused");
        }
    }

    @Test
    void conditions_and_side_effects_may_not_append() {
        try (GivenRun run = GivenRun.of(w -> {
            Durable.await(() -> {
                refused(w, () -> Durable.stream("tokens", String.class).append("x"));
                return true;
            });
            return "";
        })) {
            run.expect();
            run.expectSeen("WorkflowStream.append was called in a condition of Durable.a");
        }
    }

    private static void refused(Scripted w, Runnable call) {
        try {
            call.run();
            w.see("went through");
        } catch (UsageException e) {
            w.see(e.getMessage().substring(0, 60));
        }
    }
}
