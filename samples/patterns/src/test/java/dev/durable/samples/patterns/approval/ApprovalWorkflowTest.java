package dev.durable.samples.patterns.approval;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.UpdateRejectedException;
import dev.durable.client.WorkflowHandle;
import dev.durable.samples.patterns.approval.ApprovalWorkflow.Decision;
import dev.durable.testing.DurableTest;
import dev.durable.testing.TestEngine;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

@DurableTest
class ApprovalWorkflowTest {
    @Test
    void theFirstPersonDecides(TestEngine engine) {
        var approval = start(engine);
        engine.settle();

        approval.update(w -> w.decide("ann", true));

        assertThat(approval.result()).isEqualTo(new Decision("ann", true));
    }

    @Test
    void aRequestGoesToTheNextPersonAfterADayAndTheFirstMayStillDecide(TestEngine engine) {
        var approval = start(engine);
        engine.advance(Duration.ofDays(1));
        List<String> asked = approval.query(w -> w.asked());
        assertThat(asked).containsExactly("ann", "ben");

        approval.update(w -> w.decide("ann", false));

        assertThat(approval.result()).isEqualTo(new Decision("ann", false));
    }

    @Test
    void whereNoPersonAnswersTheRequestIsRefusedAfterThreeDays(TestEngine engine) {
        Instant begin = engine.now();
        var approval = start(engine);

        assertThat(approval.result()).isEqualTo(new Decision("", false));
        assertThat(Duration.between(begin, engine.now())).isEqualTo(Duration.ofDays(3));
    }

    @Test
    void whoWasNotAskedDoesNotDecide(TestEngine engine) {
        var approval = start(engine);
        engine.settle();

        assertThatThrownBy(() -> approval.update(w -> w.decide("eve", true)))
                .isInstanceOf(UpdateRejectedException.class)
                .hasMessageContaining("eve was not asked");
    }

    private static WorkflowHandle<ApprovalWorkflow, Decision> start(TestEngine engine) {
        engine.register(ApprovalWorkflow.class).activity(Approvers.class, (approver, request) -> {});
        List<String> chain = List.of("ann", "ben", "cy");
        return engine.client().start(ApprovalWorkflow.class, "a-1", w -> w.run("a chair", chain, Duration.ofDays(1)));
    }
}
