package dev.durable.samples.patterns.batch;

import dev.durable.ConflictPolicy;
import dev.durable.client.DurableClient;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.samples.patterns.Demo;
import dev.durable.samples.patterns.batch.BatchWorkflow.Progress;
import dev.durable.samples.patterns.batch.BatchWorkflow.Size;
import java.util.List;

/** Thirty items, five at once and ten in each run of the chain; item 13 is broken. */
public class BatchDemo implements Demo {
    @Override
    public String name() {
        return "batch";
    }

    @Override
    public List<Class<?>> workflows() {
        return List.of(BatchWorkflow.class, ItemWorkflow.class);
    }

    @Override
    public List<Object> activities() {
        return List.of(new Simulated());
    }

    @Override
    public WorkflowHandle<?, ?> run(DurableClient client) {
        StartOptions batch = StartOptions.id("batch-of-may").conflictPolicy(ConflictPolicy.USE_EXISTING);
        return client.start(BatchWorkflow.class, batch, w -> w.run(new Size(30, 5, 10), new Progress(0, 0, 0)));
    }

    private static class Simulated implements Items {
        @Override
        public void convert(int item) {}

        @Override
        public void publish(int item) {
            if (item == 13) {
                throw new IllegalStateException("item 13 is broken");
            }
        }
    }
}
