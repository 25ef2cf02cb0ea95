package dev.durable.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.ActivityHandle;
import dev.durable.DurableClient;
import dev.durable.OnExhausted;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.StartOptions;
import dev.durable.Workflow;
import dev.durable.WorkflowHandle;
import dev.durable.WorkflowStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** Jobs whose code is replayed, and doors that stand open. */
@DurableTest
class BreakJobsTest {

    @Activity(taskQueue = "mails", retry = @Retry(maxAttempts = 1, onExhausted = OnExhausted.FAIL))
    interface Mail {
        void send(String to);
    }

    @Activity(retry = @Retry(maxAttempts = 1, onExhausted = OnExhausted.FAIL))
    interface Plain {
        void send(String to);
    }

    private final List<String> sent = Collections.synchronizedList(new ArrayList<>());
    private volatile boolean away = true;

    private DurableClient set(TestEngine engine) {
        engine.queue("default", q -> q.slots(2)).queue("mails", q -> q.slots(2)).queue("bulk", q -> q.slots(2));
        engine.activity(Mail.class, to -> {
            sent.add(to);
            if (away) {
                throw new IllegalStateException("away");
            }
        });
        engine.activity(Plain.class, to -> {
            sent.add(to);
            if (away) {
                throw new IllegalStateException("away");
            }
        });
        return engine.client();
    }

    @Test
    void a_job_with_an_expiry_that_is_enqueued_again_fails_as_any_other(TestEngine engine) {
        DurableClient client = set(engine);
        StartOptions options = StartOptions.id("p-1").expiresAt(engine.now().plus(Duration.ofMinutes(5)));
        client.enqueue(Plain.class, options, m -> m.send("ann"));
        engine.settle();
        assertThat(client.job("p-1").describe().summary().status()).isEqualTo(WorkflowStatus.FAILED);
        engine.advance(Duration.ofHours(1));

        client.enqueueAgain("p-1");
        engine.settle();
        assertThat(sent).hasSize(2);
        assertThat(client.job("p-1").describe().summary().status()).isEqualTo(WorkflowStatus.FAILED);
    }

    @Test
    void a_job_in_another_queue_than_its_activitys_fails_as_any_other(TestEngine engine) {
        DurableClient client = set(engine);
        client.enqueue(Mail.class, StartOptions.id("m-1").taskQueue("bulk"), m -> m.send("ann"));
        engine.settle();
        assertThat(client.job("m-1").describe().summary().status()).isEqualTo(WorkflowStatus.FAILED);
    }

    @Workflow
    static class Careless {
        static final Map<String, DurableClient> CLIENTS = new ConcurrentHashMap<>();

        @Run
        long run(String test, boolean all) {
            DurableClient client = CLIENTS.get(test);
            return all ? client.enqueueAgain(w -> w) : client.enqueueAgain("p-1").getMostSignificantBits();
        }
    }

    @Test
    void enqueue_again_from_workflow_code_is_refused(TestEngine engine) {
        engine.register(Careless.class).withoutReplayCheck();
        DurableClient client = set(engine);
        ActivityHandle job = client.enqueue(Plain.class, StartOptions.id("p-1"), m -> m.send("ann"));
        assertThatThrownBy(job::await);
        String test = UUID.randomUUID().toString();
        Careless.CLIENTS.put(test, client);
        for (boolean all : List.of(true, false)) {
            WorkflowHandle<Careless, Long> careless =
                    client.start(Careless.class, "careless-" + all, w -> w.run(test, all));
            assertThatThrownBy(careless::result)
                    .as(all ? "by filter" : "by id")
                    .isInstanceOf(WorkflowStalledException.class);
            careless.terminate("the test goes on");
        }
    }
}
