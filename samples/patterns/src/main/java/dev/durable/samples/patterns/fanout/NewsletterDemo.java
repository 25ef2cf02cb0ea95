package dev.durable.samples.patterns.fanout;

import dev.durable.ConflictPolicy;
import dev.durable.NonRetryableException;
import dev.durable.client.DurableClient;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.samples.patterns.Demo;
import java.util.List;
import java.util.stream.IntStream;

/** Twenty recipients, of whom one can't be reached. */
public class NewsletterDemo implements Demo {
    @Override
    public String name() {
        return "fanout";
    }

    @Override
    public List<Class<?>> workflows() {
        return List.of(NewsletterWorkflow.class);
    }

    @Override
    public List<Object> activities() {
        Newsletters newsletters = recipient -> {
            if (recipient.endsWith("13")) {
                throw new NonRetryableException("unknown address");
            }
            return "message to " + recipient;
        };
        return List.of(newsletters);
    }

    @Override
    public WorkflowHandle<?, ?> run(DurableClient client) {
        StartOptions newsletter = StartOptions.id("newsletter-of-may").conflictPolicy(ConflictPolicy.USE_EXISTING);
        List<String> recipients =
                IntStream.range(0, 20).mapToObj(i -> "reader-" + i).toList();
        return client.start(NewsletterWorkflow.class, newsletter, w -> w.run(recipients));
    }
}
