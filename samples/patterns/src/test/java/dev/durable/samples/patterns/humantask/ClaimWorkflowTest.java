package dev.durable.samples.patterns.humantask;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.CallbackEndedException;
import dev.durable.client.WorkflowHandle;
import dev.durable.testing.DurableTest;
import dev.durable.testing.TestEngine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

@DurableTest
class ClaimWorkflowTest {
    private final Shown shown = new Shown();

    @Test
    void whatTheAdjusterSaysIsPaid(TestEngine engine) {
        var claim = start(engine);
        engine.settle();

        ClaimDemo.submit(engine.client(), shown.token);

        assertThat(claim.result()).isEqualTo("pay 1200.00, says ann");
        assertThat(shown.calls).containsExactly("show", "remove");
    }

    @Test
    void adjustersAreRemindedEveryThreeDaysAndTheFormCountsOnce(TestEngine engine) {
        var claim = start(engine);
        engine.advance(Duration.ofDays(7));
        ClaimDemo.submit(engine.client(), shown.token);
        ClaimDemo.submit(engine.client(), shown.token); // a second click

        assertThat(claim.result()).isEqualTo("pay 1200.00, says ann");
        assertThat(shown.calls).containsExactly("show", "remind", "remind", "remove");
    }

    @Test
    void aTaskThatNoPersonDoesGoesOnAfterTwoWeeksAndItsFormIsRefused(TestEngine engine) {
        var claim = start(engine);

        assertThat(claim.result()).isEqualTo("to the head of the department");

        assertThat(shown.calls).endsWith("remind", "remove");
        assertThatThrownBy(() -> ClaimDemo.submit(engine.client(), shown.token))
                .isInstanceOf(CallbackEndedException.class);
    }

    private WorkflowHandle<ClaimWorkflow, String> start(TestEngine engine) {
        engine.register(ClaimWorkflow.class).activity(TaskList.class, shown);
        return engine.client().start(ClaimWorkflow.class, "claim", w -> w.run("12"));
    }

    private static class Shown implements TaskList {
        final List<String> calls = new ArrayList<>();
        String token = "";

        @Override
        public void show(String task, String group, String token) {
            calls.add("show");
            this.token = token;
        }

        @Override
        public void remind(String task, String group) {
            calls.add("remind");
        }

        @Override
        public void remove(String task) {
            calls.add("remove");
        }
    }
}
