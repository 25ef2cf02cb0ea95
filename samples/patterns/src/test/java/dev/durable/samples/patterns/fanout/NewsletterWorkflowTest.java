package dev.durable.samples.patterns.fanout;

import static dev.durable.testing.DurableAssertions.assertThat;

import dev.durable.client.WorkflowHandle;
import dev.durable.samples.patterns.fanout.NewsletterWorkflow.Report;
import dev.durable.testing.DurableTest;
import dev.durable.testing.TestEngine;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

@DurableTest
class NewsletterWorkflowTest {
    private static final List<String> RECIPIENTS =
            IntStream.range(0, 100).mapToObj(i -> "reader-" + i).toList();

    private final Map<String, Integer> attempts = new ConcurrentHashMap<>();

    @Test
    void everyRecipientGetsOneMessage(TestEngine engine) {
        assertThat(start(engine, recipient -> false).result()).isEqualTo(new Report(100, List.of(), List.of()));
        assertThat(attempts).hasSize(100).doesNotContainValue(2);
    }

    @Test
    void aFewThatCannotBeReachedAreNamedAndTheOthersHaveTheirs(TestEngine engine) {
        var run = start(engine, recipient -> recipient.endsWith("7"));

        assertThat(run.result())
                .isEqualTo(new Report(
                        90, RECIPIENTS.stream().filter(r -> r.endsWith("7")).toList(), List.of()));
        assertThat(attempts).containsEntry("reader-7", 3).containsEntry("reader-8", 1);
    }

    @Test
    void whereNoneCanBeReachedMostAreNotTried(TestEngine engine) {
        Report report = start(engine, recipient -> true).result();

        assertThat(report.sent()).isZero();
        assertThat(report.failed()).hasSize(11);
        assertThat(report.untried()).hasSize(89);
        assertThat(attempts.size()).isLessThan(40);
        assertThat(Collections.max(attempts.values())).isLessThanOrEqualTo(3);
    }

    private WorkflowHandle<NewsletterWorkflow, Report> start(TestEngine engine, Predicate<String> fails) {
        engine.register(NewsletterWorkflow.class).activity(Newsletters.class, recipient -> {
            attempts.merge(recipient, 1, Integer::sum);
            if (fails.test(recipient)) {
                throw new IllegalStateException("mailbox full");
            }
            return "sent";
        });
        return engine.client().start(NewsletterWorkflow.class, "news", w -> w.run(RECIPIENTS));
    }
}
