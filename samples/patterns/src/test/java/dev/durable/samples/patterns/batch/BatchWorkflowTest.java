package dev.durable.samples.patterns.batch;

import static dev.durable.testing.DurableAssertions.assertThat;

import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowStatus;
import dev.durable.samples.patterns.batch.BatchWorkflow.Progress;
import dev.durable.samples.patterns.batch.BatchWorkflow.Size;
import dev.durable.testing.DurableTest;
import dev.durable.testing.TestEngine;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DurableTest
class BatchWorkflowTest {
    private static final int ITEMS = Integer.getInteger("patterns.items", 300);

    private final Map<Integer, Integer> published = new ConcurrentHashMap<>();

    @Test
    @Timeout(1800) // for a hundred thousand items
    void everyItemOfALargeBatchIsDoneOnce(TestEngine engine) {
        if (ITEMS > 1_000) {
            engine.withoutReplayCheck(); // of so many histories
        }
        int itemsOfRun = Math.max(50, ITEMS / 100);
        var batch = start(engine, new Size(ITEMS, 20, itemsOfRun), -1);

        assertThat(batch.result()).isEqualTo(new Progress(ITEMS, ITEMS, 0));

        assertThat(published).hasSize(ITEMS).containsValue(1).doesNotContainValue(2);
        assertThat(engine.client()
                        .workflows()
                        .where(w -> w.type(BatchWorkflow.class))
                        .count())
                .as("runs of the chain")
                .isEqualTo((ITEMS + itemsOfRun - 1) / itemsOfRun);
    }

    @Test
    void aBrokenItemIsCountedAndHoldsUpNoOther(TestEngine engine) {
        var batch = start(engine, new Size(40, 4, 10), 13);

        assertThat(batch.result()).isEqualTo(new Progress(40, 39, 1));

        assertThat(new TreeMap<>(published)).hasSize(39).doesNotContainKey(13);
        var broken = engine.client()
                .workflows()
                .where(w -> w.type(ItemWorkflow.class).status(WorkflowStatus.FAILED))
                .page(10);
        assertThat(broken)
                .singleElement()
                .satisfies(row -> assertThat(row.summary().workflowId()).isEqualTo("batch-13"));
    }

    private WorkflowHandle<BatchWorkflow, Progress> start(TestEngine engine, Size size, int broken) {
        engine.register(BatchWorkflow.class, ItemWorkflow.class).activity(Items.class, new Items() {
            @Override
            public void convert(int item) {
                if (item == broken) {
                    throw new IllegalStateException("broken");
                }
            }

            @Override
            public void publish(int item) {
                published.merge(item, 1, Integer::sum);
            }
        });
        return engine.client().start(BatchWorkflow.class, "batch", w -> w.run(size, new Progress(0, 0, 0)));
    }
}
