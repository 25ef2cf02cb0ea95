package dev.durable.samples.patterns.ratelimit;

import dev.durable.ConflictPolicy;
import dev.durable.client.DurableClient;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.samples.patterns.Demo;
import java.util.List;
import java.util.stream.IntStream;

/** Ten contacts of a customer that may call five times a second. */
public class SyncDemo implements Demo {
    @Override
    public String name() {
        return "ratelimit";
    }

    @Override
    public List<Class<?>> workflows() {
        return List.of(SyncWorkflow.class);
    }

    @Override
    public List<Object> activities() {
        return List.of(new CrmClient(path -> new Http.Answer(200, 0)));
    }

    @Override
    public List<String> queues() {
        return List.of("default", "crm");
    }

    @Override
    public WorkflowHandle<?, ?> run(DurableClient client) {
        limit(client);
        StartOptions sync = StartOptions.id("sync-of-acme").conflictPolicy(ConflictPolicy.USE_EXISTING);
        List<String> contacts =
                IntStream.range(0, 10).mapToObj(i -> "contact-" + i).toList();
        return client.start(SyncWorkflow.class, sync, w -> w.run("acme", contacts));
    }

    // docs: pattern-ratelimit-limits
    /** Set once; it holds over all workers, and may be changed while they work. */
    static void limit(DurableClient client) {
        client.queues()
                .by("deployment")
                .limits(
                        "crm",
                        crm -> crm.perKey(customer -> customer.ratePerSecond(5).concurrency(2)));
    }
    // docs: end
}
