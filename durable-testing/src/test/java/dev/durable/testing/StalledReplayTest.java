package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.history.History;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A history whose code can't go on, given to the replayer. */
@DurableTest
class StalledReplayTest {

    @Workflow(name = "Sleeper")
    static class Sleeper {
        @Run
        String run() {
            Durable.sleep(Duration.ofMinutes(1));
            return "slept";
        }
    }

    @Workflow(name = "Sleeper")
    static class Broken {
        @Run
        String run() {
            throw new AssertionError("a class of the new version is missing");
        }
    }

    @Test
    void a_run_that_stalls_on_the_code_is_told_as_stalled_with_its_id(TestEngine engine) {
        var sleeper = engine.register(Sleeper.class).client().start(Sleeper.class, "sleeper-1", Sleeper::run);
        sleeper.result();
        History history = sleeper.history();
        Replayer.of(Sleeper.class).replay(history);
        assertThatThrownBy(() -> Replayer.of(Broken.class).replay(history))
                .isInstanceOfSatisfying(
                        WorkflowStalledException.class,
                        stalled -> assertThat(stalled.workflowId()).isEqualTo("sleeper-1"))
                .hasMessageContaining("a class of the new version is missing");
    }
}
