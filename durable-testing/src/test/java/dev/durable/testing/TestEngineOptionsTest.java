package dev.durable.testing;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.Run;
import dev.durable.Workflow;
import org.junit.jupiter.api.Test;

/** The options of a test's engine have the effects of the application's builder. */
class TestEngineOptionsTest {
    @Workflow
    static class Unready {
        @Run
        String run() {
            throw new IllegalStateException("no rate for today");
        }
    }

    @Test
    void an_exception_may_stall_runs() throws Exception {
        try (TestEngine engine = TestEngine.create().stallOn(IllegalStateException.class)) {
            engine.register(Unready.class);

            assertThatThrownBy(() -> engine.client()
                            .start(Unready.class, "run-1", Unready::run)
                            .result())
                    .isInstanceOf(WorkflowStalledException.class)
                    .hasMessageContaining("no rate for today");
        }
    }
}
