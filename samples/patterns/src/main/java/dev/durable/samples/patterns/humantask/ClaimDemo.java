package dev.durable.samples.patterns.humantask;

import dev.durable.ConflictPolicy;
import dev.durable.client.DurableClient;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.samples.patterns.Demo;
import dev.durable.samples.patterns.humantask.ClaimWorkflow.Assessment;
import java.math.BigDecimal;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** An adjuster who answers as soon as the task is shown. */
public class ClaimDemo implements Demo, TaskList {
    private volatile @Nullable DurableClient client;

    @Override
    public String name() {
        return "humantask";
    }

    @Override
    public List<Class<?>> workflows() {
        return List.of(ClaimWorkflow.class);
    }

    @Override
    public List<Object> activities() {
        return List.of(this);
    }

    @Override
    public WorkflowHandle<?, ?> run(DurableClient client) {
        this.client = client;
        StartOptions claim = StartOptions.id("claim-12").conflictPolicy(ConflictPolicy.USE_EXISTING);
        return client.start(ClaimWorkflow.class, claim, w -> w.run("12"));
    }

    @Override
    public void show(String task, String group, String token) {
        submit(Objects.requireNonNull(client), token);
    }

    // docs: pattern-humantask-form
    /** What the web application does with the form. It knows the token, and no workflow. */
    static void submit(DurableClient client, String token) {
        client.callback(token).complete(new Assessment("ann", new BigDecimal("1200.00")));
    }
    // docs: end

    @Override
    public void remind(String task, String group) {}

    @Override
    public void remove(String task) {}
}
