package dev.durable.internal.engine;

import dev.durable.internal.text.Portion;
import dev.durable.store.HistoryStore;
import dev.durable.store.StreamPage;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The callers of this process that wait for entries of streams, which are {@linkplain PolledAnswers read} with the
 * states of their chains: a chain that has ended appends nothing any more.
 */
final class StreamWaiters {
    private static final int QUESTIONS_PER_QUERY = 50;

    private final PolledAnswers<StreamPage.Question, StreamPage> answers;

    /** @param nudged whether nudges of other processes arrive here, as far as is known */
    StreamWaiters(HistoryStore store, BooleanSupplier nudged) {
        answers = new PolledAnswers<>(
                store.clock(),
                nudged,
                new PolledAnswers.Query<>(
                        questions -> pages(store, questions),
                        StreamPage::asked,
                        StreamWaiters::next,
                        question -> question.chain().runId(),
                        QUESTIONS_PER_QUERY));
    }

    private static List<StreamPage> pages(HistoryStore store, List<StreamPage.Question> questions) {
        return store.streams(questions, Portion.BYTES / questions.size());
    }

    private static StreamPage.Question next(StreamPage page) {
        StreamPage.Question asked = page.asked();
        return new StreamPage.Question(asked.chain(), asked.stream(), page.next(), asked.limit());
    }

    PolledAnswers<StreamPage.Question, StreamPage> loop() {
        return answers;
    }

    /**
     * Returns a page once it has entries, its chain has ended, or another run of the chain is open: the end of that one
     * is then the end of the chain.
     *
     * @param openRun the run of the chain that was open when the caller last read
     */
    CompletableFuture<StreamPage> page(StreamPage.Question question, @Nullable UUID openRun) {
        return answers.answer(
                question,
                openRun,
                page -> !page.entries().isEmpty() || page.isLast() || !Objects.equals(page.openRun(), openRun),
                false);
    }
}
