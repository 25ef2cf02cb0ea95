package dev.durable.samples.snippets;

import static dev.durable.testing.DurableAssertions.assertThat;

import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.ActivityStream;
import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.client.StreamReader;
import dev.durable.client.WorkflowHandle;
import dev.durable.testing.DurableTest;
import dev.durable.testing.TestEngine;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Streams, as {@code docs/workflows.md} shows them. */
@DurableTest
class StreamTest {
    record Chunk(String text) {}

    interface Model {
        Stream<String> tokens(String prompt, long from);
    }

    @Activity
    interface Writer {
        int write(String prompt);
    }

    // docs: stream-activity
    static class ModelWriter implements Writer {
        private final Model model;

        ModelWriter(Model model) {
            this.model = model;
        }

        @Override
        public int write(String prompt) {
            ActivityStream<Chunk> answer = ActivityContext.current().stream("answer", Chunk.class);
            long before = answer.appendedBefore(); // by attempts that were cut off
            model.tokens(prompt, before).forEach(token -> answer.append(new Chunk(token)));
            return (int) before;
        }
    }
    // docs: end

    // docs: stream-workflow
    @Workflow
    static class Chat {
        private final Writer writer;

        Chat(Writer writer) {
            this.writer = writer;
        }

        @Run
        void run(String prompt) {
            Durable.stream("answer", Chunk.class).append(new Chunk("thinking…"));
            writer.write(prompt);
            Durable.stream("answer", Chunk.class).append(new Chunk("."));
        }
    }
    // docs: end

    private static void show(WorkflowHandle<Chat, ?> chat, List<String> page) {
        // docs: stream-reader
        try (StreamReader<Chunk> answer = chat.stream("answer", Chunk.class).from(0)) {
            while (answer.hasNext()) { // waits for the next entry, and is false when the workflow has ended
                page.add(answer.next().value().text());
            }
        }
        // docs: end
    }

    @Test
    void aReaderSeesEachTokenOnceThoughTheModelIsCutOff(TestEngine engine) {
        List<String> story = List.of("Once", "upon", "a", "time");
        Model model = (prompt, from) -> from == 0
                ? Stream.concat(story.stream().limit(2), Stream.of("").peek(x -> {
                    throw new IllegalStateException("cut off");
                }))
                : story.stream().skip(from);
        engine.register(Chat.class, new ModelWriter(model));
        WorkflowHandle<Chat, ?> chat = engine.client().startVoid(Chat.class, "chat-1", w -> w.run("a story"));

        List<String> page = new ArrayList<>();
        show(chat, page);

        assertThat(page).containsExactly("thinking…", "Once", "upon", "a", "time", ".");
    }
}
