package dev.durable.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Activity;
import dev.durable.ActivityHandle;
import dev.durable.BatchHandle;
import dev.durable.DurableClient;
import dev.durable.OnExhausted;
import dev.durable.Retry;
import dev.durable.StartOptions;
import dev.durable.history.WorkflowCancelRequested;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The same on each kind of store. */
abstract class BreakStoresTest {

    @Activity(retry = @Retry(maxAttempts = 1, onExhausted = OnExhausted.FAIL))
    interface Plain {
        void send(String to);
    }

    private DurableClient set(TestEngine engine) {
        engine.activity(Plain.class, to -> {
            throw new IllegalStateException("away");
        });
        return engine.client();
    }

    @Test
    void a_batch_lists_each_of_its_jobs_once_also_where_one_was_enqueued_again(TestEngine engine) {
        DurableClient client = set(engine);
        BatchHandle batch = client.enqueueAll(Plain.class, StartOptions.id("b"), List.of("x", "y"), Plain::send);
        batch.await();
        engine.advance(Duration.ofSeconds(1));
        client.enqueueAgain("b/0");
        batch.await();
        assertThat(batch.progress().total()).isEqualTo(2);
        assertThat(batch.jobs().count()).isEqualTo(2);
    }

    @Test
    void who_cancels_a_job_by_its_control_stands_in_the_history(TestEngine engine) {
        DurableClient client = set(engine);
        ActivityHandle job =
                client.enqueue(Plain.class, StartOptions.id("p").startDelay(Duration.ofHours(1)), p -> p.send("x"));
        client.job("p").control().by("ann").cancel("not needed");
        engine.settle();
        assertThat(job.history().stream()
                        .filter(WorkflowCancelRequested.class::isInstance)
                        .map(event -> ((WorkflowCancelRequested) event).by()))
                .containsExactly("ann");
    }
}
