package dev.durable.replay;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.Durable;
import dev.durable.HandlerUnfinishedPolicy;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import org.junit.jupiter.api.Test;

/** A usage error of run while it promised to wait for a handler. */
class BreakStallTest {

    @Workflow
    static class Waiting {
        private boolean go;
        private boolean done;

        @Run
        void run(String x) {
            Durable.await(() -> go);
            Durable.await(() -> Durable.uuid() == null);
        }

        @Signal(unfinishedPolicy = HandlerUnfinishedPolicy.WAIT)
        void slow(String x) {
            Durable.await(() -> done);
        }

        @Signal
        void go(String x) {
            go = true;
        }
    }

    /** What is written can't be mended: code that calls something there gives other commands than the history. */
    @Test
    void a_usage_error_stalls_before_its_turn_is_written_whatever_handlers_are_under_way() {
        try (GivenRun run = GivenRun.of(Waiting.class, "x")) {
            run.signal("slow", "x");
            assertThatThrownBy(() -> run.signal("go", "x")).isInstanceOf(StalledException.class);
        }
    }
}
