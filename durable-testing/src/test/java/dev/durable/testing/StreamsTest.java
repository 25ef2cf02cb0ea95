package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.ActivityStream;
import dev.durable.Durable;
import dev.durable.PayloadException;
import dev.durable.Query;
import dev.durable.RefusedInputException;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.TypeRef;
import dev.durable.Update;
import dev.durable.WaitTimedOutException;
import dev.durable.Workflow;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.ActivityHandle;
import dev.durable.client.StreamEntries;
import dev.durable.client.StreamEntry;
import dev.durable.client.StreamHandle;
import dev.durable.client.StreamReader;
import dev.durable.client.WorkflowHandle;
import dev.durable.history.StreamAppended;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Streams that workflows and activities write, and readers follow. Run on each kind of store. */
abstract class StreamsTest {
    record Chunk(int number, String text) {}

    @Activity
    interface Llm {
        String generate(String prompt);
    }

    /** Appends before, while and after it waits. */
    @Workflow
    static class Story {
        private boolean goOn;

        @Run
        String run(int chunks) {
            var tokens = Durable.stream("tokens", Chunk.class);
            for (int i = 0; i < chunks; i++) {
                tokens.append(new Chunk(i, "t" + i));
                Durable.sleep(Duration.ofHours(1));
            }
            Durable.await(() -> goOn);
            tokens.append(new Chunk(chunks, "end"));
            return "told";
        }

        @Signal
        void goOn() {
            goOn = true;
        }

        @Query
        String ask() {
            Durable.stream("tokens", Chunk.class).append(new Chunk(0, "query"));
            return "";
        }

        @Update
        void add(String text) {
            Durable.stream("tokens", Chunk.class).append(new Chunk(-1, text));
        }

        @Update.Validator("add")
        void mayAdd(String text) {
            if (text.equals("validate")) {
                Durable.stream("tokens", Chunk.class).append(new Chunk(0, text));
            }
        }
    }

    private static WorkflowHandle<Story, String> story(TestEngine engine, int chunks) {
        return engine.register(Story.class).client().start(Story.class, "story-1", w -> w.run(chunks));
    }

    private static <T> List<T> rest(StreamReader<T> reader) {
        List<T> values = new ArrayList<>();
        reader.forEachRemaining(entry -> {
            assertThat(entry.offset() + 1).isEqualTo(reader.offset());
            values.add(entry.value());
        });
        return values;
    }

    @Test
    void a_reader_follows_a_run_over_its_sleeps_to_its_end(TestEngine engine) {
        WorkflowHandle<Story, String> story = story(engine, 3);
        story.signal(Story::goOn);

        try (StreamReader<Chunk> reader = story.stream("tokens", Chunk.class).from(0)) {
            StreamEntry<Chunk> first = reader.next();
            assertThat(first.offset()).isZero();
            assertThat(first.value()).isEqualTo(new Chunk(0, "t0"));
            assertThat(first.attempt()).isNull();
            assertThat(first.toString()).doesNotContain("t0");
            assertThat(rest(reader)).extracting(Chunk::text).containsExactly("t1", "t2", "end");
            assertThat(reader.hasNext()).isFalse();
            assertThatThrownBy(reader::next)
                    .isInstanceOf(NoSuchElementException.class)
                    .hasMessage("stream tokens has no entry 4, as the workflow has ended");
        }
        assertThat(story.result()).isEqualTo("told");
        assertThat(rest(story.stream("tokens", Chunk.class).from(2)))
                .as("later, from any offset")
                .extracting(Chunk::number)
                .containsExactly(2, 3);
    }

    @Test
    void what_code_appends_is_in_the_history_and_replays(TestEngine engine) {
        WorkflowHandle<Story, String> story = story(engine, 1);
        story.signal(Story::goOn);
        story.result();

        assertThat(story.history().stream()
                        .filter(StreamAppended.class::isInstance)
                        .map(StreamAppended.class::cast))
                .extracting(event -> event.stream() + " " + event.value().json())
                .containsExactly("tokens {\"number\":0,\"text\":\"t0\"}", "tokens {\"number\":1,\"text\":\"end\"}");
    }

    @Test
    void a_wait_with_a_timeout_says_what_did_not_come_and_may_be_repeated(TestEngine engine) {
        WorkflowHandle<Story, String> story = story(engine, 1);

        try (StreamReader<Chunk> reader = story.stream("tokens", Chunk.class).from(0)) {
            assertThat(reader.hasNext(Duration.ofMinutes(1))).isTrue();
            reader.next();
            assertThatThrownBy(() -> reader.hasNext(Duration.ofMinutes(1)))
                    .isInstanceOf(WaitTimedOutException.class)
                    .hasMessage("entry 1 of stream tokens did not come within PT1M");
            story.signal(Story::goOn);
            assertThat(reader.hasNext(Duration.ofHours(2))).isTrue();
            assertThat(reader.next().value().text()).isEqualTo("end");
            assertThat(reader.hasNext(Duration.ofMinutes(1))).isFalse();
        }
    }

    @Test
    void pages_do_not_wait(TestEngine engine) {
        WorkflowHandle<Story, String> story = story(engine, 2);
        engine.settle();
        StreamHandle<Chunk> tokens = story.stream("tokens", Chunk.class);

        StreamEntries<Chunk> page = tokens.page(0, 10);
        assertThat(page.entries()).extracting(StreamEntry::offset).containsExactly(0L);
        assertThat(page.next()).isEqualTo(1);
        assertThat(page.isEnd()).isFalse();
        assertThat(tokens.page(1, 10).entries()).isEmpty();
        story.signal(Story::goOn);
        story.result();

        StreamEntries<Chunk> two = tokens.page(page.next(), 1);
        assertThat(two.entries()).hasSize(1);
        assertThat(two.isEnd()).isFalse();
        assertThat(tokens.page(two.next(), 1).isEnd()).isTrue();
        assertThat(tokens.page(3, 1)).isEqualTo(new StreamEntries<>(List.of(), 3, true));
        assertThat(story.stream("never", Chunk.class).page(0, 1).isEnd()).isTrue();
    }

    @Test
    void many_readers_read_at_once_each_from_where_it_likes(TestEngine engine) {
        WorkflowHandle<Story, String> story = story(engine, 3);
        StreamHandle<Chunk> tokens = story.stream("tokens", Chunk.class);
        story.signal(Story::goOn);
        List<StreamReader<Chunk>> readers =
                IntStream.range(0, 5).mapToObj(tokens::from).toList();

        assertThat(readers.stream().map(StreamsTest::rest).map(List::size)).containsExactly(4, 3, 2, 1, 0);
    }

    @Test
    void a_reader_that_is_closed_lets_its_thread_go(TestEngine engine) throws Exception {
        WorkflowHandle<Story, String> story = story(engine, 0);
        StreamReader<Chunk> reader = story.stream("tokens", Chunk.class).from(0);
        reader.close();

        assertThat(reader.hasNext()).isFalse();
        assertThatThrownBy(reader::next).hasMessage("stream tokens has no entry 0: the reader is closed");
    }

    @Test
    void mistakes_of_readers_are_named(TestEngine engine) {
        WorkflowHandle<Story, String> story = story(engine, 1);
        engine.settle();

        assertThatThrownBy(() -> story.stream(" ", Chunk.class)).isInstanceOf(RefusedInputException.class);
        StreamHandle<Chunk> tokens = story.stream("tokens", Chunk.class);
        assertThatThrownBy(() -> tokens.from(-1))
                .isInstanceOf(RefusedInputException.class)
                .hasMessageStartingWith("stream tokens from offset -1: offsets begin with 0");
        assertThatThrownBy(() -> tokens.page(0, 10_001)).isInstanceOf(RefusedInputException.class);
        StreamReader<Integer> other = story.stream("tokens", Integer.class).from(0);
        assertThatThrownBy(other::next)
                .isInstanceOf(PayloadException.class)
                .hasMessageContaining("entry 0 of stream tokens");
        assertThat(other.offset()).isEqualTo(1);
        StreamHandle<Chunk> none = engine.client().handle(Story.class, "story-9").stream("tokens", Chunk.class);
        assertThatThrownBy(() -> none.from(0)).isInstanceOf(WorkflowNotFoundException.class);
        assertThatThrownBy(() -> none.page(0, 1)).isInstanceOf(WorkflowNotFoundException.class);
    }

    @Test
    void queries_and_validators_may_not_append_and_handlers_may(TestEngine engine) {
        WorkflowHandle<Story, String> story = story(engine, 0);

        assertThatThrownBy(() -> story.query(Story::ask))
                .hasMessageContaining("WorkflowStream.append was called in a query");
        assertThatThrownBy(() -> story.updateVoid(w -> w.add("validate")))
                .hasMessageContaining("in the validator of an update");
        story.updateVoid(w -> w.add("x"));
        assertThat(story.stream("tokens", Chunk.class).page(0, 9).entries())
                .extracting(entry -> entry.value().text())
                .containsExactly("x");
    }

    /** Appends while it names the arguments of the next run. */
    @Workflow
    static class Restless {
        @Run
        String run(int number) {
            throw Durable.continueAsNew(Restless.class, w -> {
                Durable.stream("tokens", String.class).append("next");
                w.run(number + 1);
            });
        }
    }

    @Test
    void the_lambda_of_a_continuation_may_not_append(TestEngine engine) {
        WorkflowHandle<Restless, String> run =
                engine.register(Restless.class).client().start(Restless.class, "r-1", w -> w.run(1));

        assertThatThrownBy(run::result)
                .hasMessageContaining("WorkflowStream.append was called in the lambda of Durable.continueAsNew");
        assertThat(run.stream("tokens", String.class).page(0, 9).entries()).isEmpty();
    }

    // ── activities ──────────────────────────────────────────────────────────────────────────────────────────────────

    /** Has an activity append, and appends itself before and behind it. */
    @Workflow
    static class Writing {
        private final Llm llm;

        Writing(Llm llm) {
            this.llm = llm;
        }

        @Run
        String run() {
            var tokens = Durable.stream("tokens", String.class);
            tokens.append("begin");
            String all = llm.generate("a story");
            tokens.append("end");
            return all;
        }
    }

    @Test
    void an_attempt_that_is_retried_goes_on_behind_what_earlier_ones_have_appended(TestEngine engine) {
        engine.register(Writing.class).activity(Llm.class, prompt -> {
            ActivityStream<String> tokens = ActivityContext.current().stream("tokens", String.class);
            for (long i = tokens.appendedBefore(); i < 3; i++) {
                tokens.append("t" + i);
                if (i == 1 && ActivityContext.current().info().attempt() == 1) {
                    throw new IllegalStateException("cut off");
                }
            }
            return "all";
        });
        WorkflowHandle<Writing, String> run = engine.client().start(Writing.class, "w-1", Writing::run);

        List<StreamEntry<String>> entries = new ArrayList<>();
        run.stream("tokens", String.class).from(0).forEachRemaining(entries::add);

        assertThat(entries).extracting(StreamEntry::value).containsExactly("begin", "t0", "t1", "t2", "end");
        assertThat(entries)
                .extracting(StreamEntry::attempt)
                .containsExactly(
                        null,
                        new StreamEntry.Attempt(run.runId(), 1, 1),
                        new StreamEntry.Attempt(run.runId(), 1, 1),
                        new StreamEntry.Attempt(run.runId(), 1, 2),
                        null);
        assertThat(run.history().stream().filter(StreamAppended.class::isInstance))
                .as("entries of activities are no events")
                .hasSize(2);
    }

    @Test
    void readers_see_what_an_activity_has_appended_while_it_runs(TestEngine engine) {
        CompletableFuture<String> shown = new CompletableFuture<>();
        engine.register(Writing.class).activity(Llm.class, prompt -> {
            ActivityContext.current().stream("tokens", String.class).append("token");
            return shown.join();
        });
        WorkflowHandle<Writing, String> run = engine.client().start(Writing.class, "w-1", Writing::run);

        StreamReader<String> reader = run.stream("tokens", String.class).from(1);
        assertThat(reader.next().value()).isEqualTo("token");
        shown.complete("seen");
        assertThat(run.result()).isEqualTo("seen");
    }

    @Activity(local = true)
    interface Near {
        String say();
    }

    @Workflow
    static class Local {
        private final Near near;

        Local(Near near) {
            this.near = near;
        }

        @Run
        String run() {
            return near.say();
        }
    }

    @Test
    void a_local_activity_is_refused_with_the_way_out(TestEngine engine) {
        engine.register(Local.class).activity(Near.class, () -> {
            try {
                ActivityContext.current().stream("tokens", String.class);
                return "went through";
            } catch (IllegalStateException e) {
                return e.getMessage();
            }
        });

        assertThat(engine.client().start(Local.class, "l-1", Local::run).result())
                .isEqualTo("stream(\"tokens\", …) in local activity Near.say: a local activity has no job whose lease"
                        + " could guard what it appends. Take local = true away, or return the values and let the"
                        + " workflow append them: Durable.stream(…).");
    }

    @Test
    void a_background_job_appends_to_the_stream_of_its_run(TestEngine engine) {
        engine.activity(Llm.class, prompt -> {
            ActivityContext.current().stream("tokens", String.class).append(prompt);
            return "done";
        });
        ActivityHandle job = engine.client().enqueue(Llm.class, llm -> llm.generate("token"));

        assertThat(rest(engine.client().handle(job.id()).stream("tokens", String.class)
                        .from(0)))
                .containsExactly("token");
    }

    // ── chains ──────────────────────────────────────────────────────────────────────────────────────────────────────

    @Workflow
    static class Links {
        @Run
        String run(int left) {
            Durable.stream("log", new TypeRef<List<Integer>>() {}).append(List.of(left));
            if (left > 0) {
                throw Durable.continueAsNew(Links.class, w -> w.run(left - 1));
            }
            return "done";
        }
    }

    @Test
    void a_stream_goes_on_over_the_runs_of_a_chain_and_any_of_their_handles_reads_it(TestEngine engine) {
        WorkflowHandle<Links, String> run =
                engine.register(Links.class).client().start(Links.class, "links-1", w -> w.run(3));
        TypeRef<List<Integer>> type = new TypeRef<>() {};

        assertThat(rest(run.stream("log", type).from(0)))
                .containsExactly(List.of(3), List.of(2), List.of(1), List.of(0));
        WorkflowHandle<Links, ?> last = engine.client()
                .handle(Links.class, "links-1", run.describe().summary().runId());
        assertThat(rest(last.stream("log", type).from(1))).hasSize(3);

        WorkflowHandle<Links, String> again = engine.client().start(Links.class, "links-1", w -> w.run(0));
        assertThat(rest(again.stream("log", type).from(0)))
                .as("a stream of its own")
                .containsExactly(List.of(0));
        assertThat(rest(run.stream("log", type).from(3))).containsExactly(List.of(0));
    }

    @Test
    void a_reader_ends_with_a_run_that_is_terminated(TestEngine engine) {
        WorkflowHandle<Story, String> story = story(engine, 1);
        StreamReader<Chunk> reader = story.stream("tokens", Chunk.class).from(0);
        reader.next();

        story.terminate("enough");

        assertThat(reader.hasNext()).isFalse();
    }
}
