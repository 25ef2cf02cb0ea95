package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.ConflictPolicy;
import dev.durable.Durable;
import dev.durable.RefusedInputException;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.WorkflowAlreadyStartedException;
import dev.durable.client.DurableClient;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.history.HistoryEvent;
import dev.durable.history.WorkflowStarted;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Many starts of one workflow id within a time become one run. Run on each kind of store. */
abstract class DebouncedStartsTest {
    private static final StartOptions OPTIONS =
            StartOptions.id("index-7").debounce(Duration.ofSeconds(30), Duration.ofMinutes(2));

    @Activity
    interface Indexer {
        void index(String text);
    }

    @Workflow
    static class Index {
        private final List<String> urged = new ArrayList<>();

        @Run
        String run(String text) {
            if (text.equals("slow")) {
                Durable.sleep(Duration.ofHours(1));
            }
            return text + " at " + Durable.now() + " " + urged;
        }

        @Signal
        void urge(String why) {
            urged.add(why);
        }
    }

    private static WorkflowHandle<Index, String> start(DurableClient client, String text) {
        return client.start(Index.class, OPTIONS, w -> w.run(text));
    }

    private static List<String> types(WorkflowHandle<?, ?> run) {
        return run.history().stream().map(HistoryEvent::type).toList();
    }

    private static Instant begun(String result) {
        int from = result.indexOf(" at ") + 4;
        return Instant.parse(result.substring(from, result.indexOf(' ', from)));
    }

    @Test
    void many_starts_are_one_run_with_the_last_arguments_when_none_has_come_for_a_while(TestEngine engine) {
        DurableClient client = engine.register(Index.class).client();
        Instant first = engine.now();
        WorkflowHandle<Index, String> one = start(client, "one");
        engine.advance(Duration.ofSeconds(20));
        WorkflowHandle<Index, String> two = start(client, "two");
        engine.advance(Duration.ofSeconds(20));
        WorkflowHandle<Index, String> three = start(client, "three");
        engine.advance(Duration.ofSeconds(29));
        assertThat(types(client.handle(Index.class, "index-7"))).containsExactly("WorkflowStarted");
        engine.advance(Duration.ofSeconds(2));

        String result = three.result();
        assertThat(result).startsWith("three at");
        assertThat(Duration.between(first, begun(result))).isBetween(Duration.ofSeconds(70), Duration.ofSeconds(72));
        assertThat(one.result()).isEqualTo(result);
        assertThat(two.result()).isEqualTo(result);
        assertThat(types(client.handle(Index.class, "index-7", one.runId())))
                .containsExactly("WorkflowStarted", "WorkflowContinuedAsNew");
    }

    @Test
    void however_many_come_the_run_begins_when_the_longest_time_is_over(TestEngine engine) {
        DurableClient client = engine.register(Index.class).client();
        Instant first = engine.now();
        for (int i = 0; i < 6; i++) {
            start(client, "text-" + i);
            engine.advance(Duration.ofSeconds(20));
        }

        String result = client.handle("index-7").resultAs(String.class);
        assertThat(result).startsWith("text-5 at");
        assertThat(Duration.between(first, begun(result))).isBetween(Duration.ofSeconds(119), Duration.ofSeconds(121));
    }

    @Test
    void a_start_that_comes_when_the_run_has_begun_meets_the_conflict_policy(TestEngine engine) {
        DurableClient client = engine.register(Index.class).client();
        WorkflowHandle<Index, String> slow = start(client, "slow");
        engine.advance(Duration.ofSeconds(31));

        assertThatThrownBy(() -> start(client, "late"))
                .isInstanceOf(WorkflowAlreadyStartedException.class)
                .hasMessageContaining("workflow id index-7 has an open run");
        WorkflowHandle<Index, String> used =
                client.start(Index.class, OPTIONS.conflictPolicy(ConflictPolicy.USE_EXISTING), w -> w.run("late"));
        engine.advance(Duration.ofHours(1));
        assertThat(used.result()).isEqualTo(slow.result()).startsWith("slow at");
    }

    @Test
    void when_the_run_has_ended_the_next_start_waits_anew(TestEngine engine) {
        DurableClient client = engine.register(Index.class).client();
        WorkflowHandle<Index, String> one = start(client, "one");
        engine.advance(Duration.ofSeconds(31));
        assertThat(one.result()).startsWith("one at");
        WorkflowHandle<Index, String> two = start(client, "two");
        engine.advance(Duration.ofSeconds(29));
        assertThat(types(two)).containsExactly("WorkflowStarted");
        engine.advance(Duration.ofSeconds(2));

        assertThat(two.result()).startsWith("two at");
        assertThat(two.runId()).isNotEqualTo(one.runId());
    }

    @Test
    void a_run_that_waits_for_its_own_delay_is_left_alone(TestEngine engine) {
        DurableClient client = engine.register(Index.class).client();
        WorkflowHandle<Index, String> delayed = client.start(
                Index.class, StartOptions.id("index-7").startDelay(Duration.ofMinutes(1)), w -> w.run("delayed"));

        assertThatThrownBy(() -> start(client, "debounced")).isInstanceOf(WorkflowAlreadyStartedException.class);
        engine.advance(Duration.ofMinutes(1));
        assertThat(delayed.result()).startsWith("delayed at");
    }

    @Test
    void a_signal_ends_the_wait_and_moves_along_when_the_start_is_replaced(TestEngine engine) {
        DurableClient client = engine.register(Index.class).client();
        WorkflowHandle<Index, String> one = start(client, "one");
        one.pause("so that the signal waits");
        one.signal(w -> w.urge("now"));
        assertThatThrownBy(() -> start(client, "two"))
                .as("a paused run has more than its start")
                .isInstanceOf(WorkflowAlreadyStartedException.class);
        one.resume();

        assertThat(one.result()).startsWith("one at").endsWith("[now]");
    }

    @Test
    void timeouts_and_headers_are_those_of_the_latest_start(TestEngine engine) {
        DurableClient client = engine.register(Index.class).client();
        start(client, "one");
        WorkflowHandle<Index, String> two = client.start(
                Index.class,
                OPTIONS.runTimeout(Duration.ofMinutes(10))
                        .header("trace", "t-2")
                        .by("ann"),
                w -> w.run("slow"));
        assertThat(two.history().events(WorkflowStarted.class))
                .singleElement()
                .satisfies(e -> assertThat(e.headers()).containsEntry("trace", "t-2"))
                .satisfies(e -> assertThat(e.startedBy()).isEqualTo("ann"));
        engine.advance(Duration.ofMinutes(11));

        assertThatThrownBy(two::result).hasMessageContaining("timed out");
    }

    @Test
    void what_begins_at_once_or_decides_by_itself_is_refused(TestEngine engine) {
        DurableClient client =
                engine.register(Index.class).activity(Indexer.class, text -> {}).client();
        assertThatThrownBy(() -> client.start(Index.class, OPTIONS.startDelay(Duration.ofSeconds(1)), w -> w.run("x")))
                .isInstanceOf(RefusedInputException.class)
                .hasMessageContaining("debounce(…) was given together with startDelay");
        assertThatThrownBy(() -> client.signalWithStart(Index.class, OPTIONS, w -> w.run("x"), w -> w.urge("now")))
                .isInstanceOf(RefusedInputException.class)
                .hasMessageContaining("not for client.signalWithStart(…), which does not wait");
        assertThatThrownBy(() -> client.enqueue(Indexer.class, OPTIONS, w -> w.index("x")))
                .isInstanceOf(RefusedInputException.class)
                .hasMessageContaining("not for client.enqueue(…), which starts a background job");
        assertThatThrownBy(() -> StartOptions.id("x").debounce(Duration.ZERO, Duration.ofSeconds(1)))
                .isInstanceOf(RefusedInputException.class)
                .hasMessageContaining("debounce: quiet must be longer than zero");
    }
}
