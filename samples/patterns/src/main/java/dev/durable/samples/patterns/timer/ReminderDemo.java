package dev.durable.samples.patterns.timer;

import dev.durable.ConflictPolicy;
import dev.durable.client.DurableClient;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.samples.patterns.Demo;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** A reminder for tomorrow that is moved to now. */
public class ReminderDemo implements Demo {
    @Override
    public String name() {
        return "timer";
    }

    @Override
    public List<Class<?>> workflows() {
        return List.of(ReminderWorkflow.class);
    }

    @Override
    public List<Object> activities() {
        Mails mails = (to, text) -> {};
        return List.of(mails);
    }

    @Override
    public WorkflowHandle<?, ?> run(DurableClient client) {
        StartOptions reminder = StartOptions.id("reminder-of-ann").conflictPolicy(ConflictPolicy.USE_EXISTING);
        Instant now = Instant.now();
        var run = client.start(
                ReminderWorkflow.class, reminder, w -> w.run("ann", "water the plants", now.plus(Duration.ofDays(1))));
        run.updateVoid(w -> w.moveTo(now));
        return run;
    }
}
