package dev.durable.samples.patterns.batch;

import dev.durable.Run;
import dev.durable.Workflow;

/** Does all that is to be done with one item. */
@Workflow
public class ItemWorkflow {
    private final Items items;

    ItemWorkflow(Items items) {
        this.items = items;
    }

    @Run
    public void run(int item) {
        items.convert(item);
        items.publish(item);
    }
}
