package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.Durable;
import dev.durable.RefusedInputException;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.client.ActivityHandle;
import dev.durable.client.BatchHandle;
import dev.durable.client.DurableClient;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.history.ActivityScheduled;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Starts that make their own ids; run on each kind of store. */
abstract class GeneratedIdsTest {
    private static final StartOptions ANY = StartOptions.generatedId();

    @Workflow
    static class Report {
        private String by = "none";

        @Run
        String run(String month) {
            Durable.sleep(Duration.ofMinutes(1));
            return month + " by " + by;
        }

        @Signal
        void signed(String name) {
            by = name;
        }
    }

    @Workflow
    static class Sweep {
        @Run
        void run() {}
    }

    @Activity
    interface Mail {
        String send(String to);
    }

    private static DurableClient client(TestEngine engine) {
        return engine.register(Report.class, Sweep.class)
                .activity(Mail.class, to -> "sent to " + to)
                .client();
    }

    @Test
    void each_start_with_the_same_options_has_an_id_of_its_own(TestEngine engine) {
        DurableClient client = client(engine);
        List<WorkflowHandle<?, ?>> runs = new ArrayList<>();
        runs.add(client.start(Report.class, ANY, w -> w.run("May")));
        runs.add(client.start(Report.class, ANY.startDelay(Duration.ofDays(1)), w -> w.run("May")));
        runs.add(client.start("Report", ANY, "May"));
        runs.add(client.signalWithStart(Report.class, ANY, w -> w.run("May"), w -> w.signed("ann")));
        runs.add(client.signalWithStart("Report", ANY, List.of("May"), "signed", "ann"));
        List<String> results =
                runs.stream().map(run -> run.resultAs(String.class)).toList();
        assertThat(results).containsExactly("May by none", "May by none", "May by none", "May by ann", "May by ann");
        WorkflowHandle<Sweep, ?> nothing = client.startVoid(Sweep.class, ANY, Sweep::run);
        runs.add(nothing);

        List<String> ids = runs.stream().map(WorkflowHandle::workflowId).toList();
        assertThat(new HashSet<>(ids)).hasSize(6);
        assertThat(ids)
                .allSatisfy(id -> assertThat(UUID.fromString(id).version()).isEqualTo(7));
        assertThat(client.handle(Report.class, ids.get(3)).resultAs(String.class))
                .isEqualTo("May by ann");
        assertThat(client.history(ids.getFirst()).getFirst().toString()).contains(ids.getFirst());
    }

    @Test
    void so_has_each_job_and_batch_and_its_options_may_be_a_lambda(TestEngine engine) {
        DurableClient client = client(engine);
        ActivityHandle plain = client.enqueue(Mail.class, m -> m.send("ann"));
        ActivityHandle options = client.enqueue(Mail.class, ANY, m -> m.send("ann"));
        ActivityHandle lambda = client.enqueue(
                Mail.class, o -> o.priority(3).startDelay(Duration.ofHours(1)).memo("to", "ann"), m -> m.send("ann"));
        ActivityHandle named = client.enqueue(Mail.class, o -> o.withId("mail-7"), m -> m.send("ann"));
        for (ActivityHandle job : List.of(plain, options, lambda)) {
            assertThat(job.id()).matches("Mail\\.send-[0-9a-f-]{36}");
            assertThat(job.resultAs(String.class)).isEqualTo("sent to ann");
        }
        assertThat(named.id()).isEqualTo("mail-7");
        assertThat(client.history(lambda.id())
                        .events(ActivityScheduled.class)
                        .findFirst()
                        .orElseThrow()
                        .options()
                        .priority())
                .isEqualTo(3);

        List<BatchHandle> batches = List.of(
                client.enqueueAll(Mail.class, ANY, List.of("a", "b"), Mail::send),
                client.enqueueAll(Mail.class, ANY, List.of("a", "b"), Mail::send));
        assertThat(batches).extracting(BatchHandle::added).containsExactly(2L, 2L);
        assertThat(batches).extracting(BatchHandle::id).doesNotHaveDuplicates().allMatch(id -> id.startsWith("Mail-"));
    }

    @Test
    void an_id_that_was_forgotten_is_still_refused(TestEngine engine) {
        assertThatThrownBy(() -> StartOptions.id(""))
                .isInstanceOf(RefusedInputException.class)
                .hasMessage(
                        "workflow id must be 1 to 512 characters, not blank and without NUL; this one has 0. Use a short"
                                + " business key such as \"order-42\", or StartOptions.generatedId().");
        assertThatThrownBy(() -> ANY.withId(" ")).isInstanceOf(RefusedInputException.class);
        assertThatThrownBy(() -> client(engine).enqueue(Mail.class, o -> null, m -> m.send("ann")))
                .hasMessage("enqueue(…, o -> …): its lambda returned no options");
    }
}
