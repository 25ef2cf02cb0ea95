package dev.durable.samples.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Activity;
import dev.durable.Retry;
import dev.durable.client.ActivityHandle;
import dev.durable.client.BatchHandle;
import dev.durable.client.BatchProgress;
import dev.durable.client.BatchResult;
import dev.durable.client.DurableClient;
import dev.durable.client.StartOptions;
import dev.durable.testing.DurableTest;
import dev.durable.testing.TestEngine;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The first background job and the first batch, as {@code docs/jobs.md} shows them. */
@DurableTest
class JobsTest {
    // docs: first-job
    @Activity(startToClose = "5m", retry = @Retry(maxAttempts = 10)) // unless said: 1 minute, and tried for ever
    interface Emails {
        String send(String address);
    }

    static class SmtpEmails implements Emails { // a worker registers an instance of it
        @Override
        public String send(String address) {
            return "sent to " + address;
        }
    }
    // docs: end

    @Activity(retry = @Retry(maxAttempts = 10))
    interface Reports {
        String write(String batch);
    }

    @Test
    void aJobIsEnqueued(TestEngine engine) {
        DurableClient client = engine.register(new SmtpEmails()).client();
        // docs: first-enqueue
        ActivityHandle mail = client.enqueue(
                Emails.class, StartOptions.id("mail-7").startDelay(Duration.ofHours(1)), e -> e.send("ann"));
        mail.control().runNow(); // or cancel("…"), or nothing: in an hour a worker sends it
        String receipt = mail.resultAs(String.class, Duration.ofMinutes(1)); // where the caller wants to wait
        // docs: end
        assertThat(receipt).isEqualTo("sent to ann");
    }

    @Test
    void aBatchHasResultsAndAJobThatFollows(TestEngine engine) {
        DurableClient client = engine.register(new SmtpEmails())
                .activity(Reports.class, batch -> "report of " + batch)
                .client();
        List<String> addresses = List.of("ann", "bob");
        // docs: first-batch
        BatchHandle batch = client.enqueueAll(
                Emails.class, StartOptions.id("newsletter-2026-11"), addresses, (e, address) -> e.send(address));
        String report = batch.onCompletion(Reports.class, r -> r.write("newsletter-2026-11"));

        BatchProgress progress = batch.await(); // until each has ended, or waits as a dead letter
        try (Stream<BatchResult<String>> results = batch.results(String.class)) {
            assertThat(results.map(BatchResult::value)).containsExactly("sent to ann", "sent to bob");
        }
        // docs: end
        assertThat(progress.completed()).isEqualTo(2);
        engine.advance(Duration.ofMinutes(1));
        assertThat(client.job(report).resultAs(String.class)).isEqualTo("report of newsletter-2026-11");
    }
}
