package dev.durable.samples.patterns.entity;

import dev.durable.client.DurableClient;
import dev.durable.client.WorkflowHandle;
import dev.durable.samples.patterns.Demo;
import java.util.List;

/** The first purchase opens the account; it is closed again at once. */
public class PointsDemo implements Demo {
    @Override
    public String name() {
        return "entity";
    }

    @Override
    public List<Class<?>> workflows() {
        return List.of(PointsWorkflow.class);
    }

    @Override
    public List<Object> activities() {
        return List.of();
    }

    @Override
    public WorkflowHandle<?, ?> run(DurableClient client) {
        add(client, "ann", 100);
        add(client, "ann", 20);
        WorkflowHandle<PointsWorkflow, ?> account = client.handle(PointsWorkflow.class, "points-of-ann");
        account.signal(w -> w.close());
        return account;
    }

    // docs: pattern-entity-call
    static int add(DurableClient client, String customer, int points) { // opens the account if there is none
        return client.updateWithStart(PointsWorkflow.class, "points-of-" + customer, w -> w.run(0), w -> w.add(points))
                .update()
                .result();
    }
    // docs: end
}
