package dev.durable.samples.patterns.approval;

import dev.durable.ActivityContext;
import dev.durable.ConflictPolicy;
import dev.durable.client.DurableClient;
import dev.durable.client.StartOptions;
import dev.durable.client.WaitFor;
import dev.durable.client.WorkflowHandle;
import dev.durable.samples.patterns.Demo;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Ann does not answer within a second; Ben does. */
public class ApprovalDemo implements Demo, Approvers {
    private volatile @Nullable DurableClient client;

    @Override
    public String name() {
        return "approval";
    }

    @Override
    public List<Class<?>> workflows() {
        return List.of(ApprovalWorkflow.class);
    }

    @Override
    public List<Object> activities() {
        return List.of(this);
    }

    @Override
    public WorkflowHandle<?, ?> run(DurableClient client) {
        this.client = client;
        StartOptions request = StartOptions.id("request-of-a-chair").conflictPolicy(ConflictPolicy.USE_EXISTING);
        return client.start(
                ApprovalWorkflow.class, request, w -> w.run("a chair", List.of("ann", "ben"), Duration.ofSeconds(1)));
    }

    @Override
    public void ask(String approver, String request) {
        if (approver.equals("ben")) {
            Objects.requireNonNull(client)
                    .handle(
                            ApprovalWorkflow.class,
                            ActivityContext.current().info().workflowId())
                    .startUpdate(w -> w.decide("ben", true), WaitFor.SENT);
        }
    }
}
