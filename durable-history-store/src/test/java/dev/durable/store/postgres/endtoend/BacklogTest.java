package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.client.DurableEngine;
import dev.durable.client.WorkflowHandle;
import dev.durable.store.ClaimedRuns;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests messages and starts that were sent while no worker ran. */
@Timeout(300)
class BacklogTest {
    private static final int MESSAGES = 2 * ClaimedRuns.MAX_MESSAGES + 50;

    @Workflow(name = "Counter")
    static class Counter {
        private final List<Integer> heard = new ArrayList<>();

        @Run
        List<Integer> run() {
            Durable.await(() -> heard.size() == MESSAGES);
            return heard;
        }

        @Signal
        void number(int number) {
            heard.add(number);
        }
    }

    @Test
    void a_run_hears_more_messages_than_a_claim_brings_each_once_and_in_order() {
        try (Bench bench = new Bench()) {
            try (DurableEngine sender =
                    bench.engine().register(Counter.class).clientOnly().start()) {
                WorkflowHandle<Counter, List<Integer>> run =
                        sender.client().start(Counter.class, "count", w -> w.run());
                IntStream.range(0, MESSAGES).forEach(n -> run.signal(w -> w.number(n)));

                try (DurableEngine worker =
                        bench.engine().register(Counter.class).start()) {
                    assertThat(run.result(Bench.SOON))
                            .containsExactlyElementsOf(
                                    IntStream.range(0, MESSAGES).boxed().toList());
                }
            }
        }
    }
}
