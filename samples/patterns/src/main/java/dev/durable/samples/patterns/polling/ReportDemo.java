package dev.durable.samples.patterns.polling;

import dev.durable.ConflictPolicy;
import dev.durable.client.DurableClient;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.samples.patterns.Demo;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

/** A report that is ready at the third look. */
public class ReportDemo implements Demo {
    @Override
    public String name() {
        return "polling";
    }

    @Override
    public List<Class<?>> workflows() {
        return List.of(ReportWorkflow.class);
    }

    @Override
    public List<Object> activities() {
        return List.of(new PolledReports(new Simulated(), Duration.ofMillis(100)));
    }

    @Override
    public WorkflowHandle<?, ?> run(DurableClient client) {
        StartOptions report = StartOptions.id("report-of-may").conflictPolicy(ConflictPolicy.USE_EXISTING);
        return client.start(ReportWorkflow.class, report, w -> w.run("sales of May", true));
    }

    private static class Simulated implements ReportSystem {
        private final AtomicInteger looks = new AtomicInteger();

        @Override
        public String begin(UUID request, String report) {
            return report;
        }

        @Override
        public Optional<String> result(String job) {
            return looks.incrementAndGet() < 3 ? Optional.empty() : Optional.of("the " + job);
        }

        @Override
        public void abandon(String job) {}
    }
}
