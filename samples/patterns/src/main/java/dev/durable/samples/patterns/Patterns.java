package dev.durable.samples.patterns;

import dev.durable.WorkflowFailedException;
import dev.durable.client.DurableEngine;
import dev.durable.client.WorkflowHandle;
import dev.durable.samples.patterns.agent.AgentDemo;
import dev.durable.samples.patterns.approval.ApprovalDemo;
import dev.durable.samples.patterns.batch.BatchDemo;
import dev.durable.samples.patterns.entity.PointsDemo;
import dev.durable.samples.patterns.fanout.NewsletterDemo;
import dev.durable.samples.patterns.humantask.ClaimDemo;
import dev.durable.samples.patterns.polling.ReportDemo;
import dev.durable.samples.patterns.ratelimit.SyncDemo;
import dev.durable.samples.patterns.saga.TripDemo;
import dev.durable.samples.patterns.statemachine.ParcelDemo;
import dev.durable.samples.patterns.timer.ReminderDemo;
import dev.durable.samples.patterns.transfer.TransferDemo;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.embedded.PostgresSource;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Runs patterns by their names: {@code samples/patterns/run saga transfer}. */
public final class Patterns {
    static final List<Demo> ALL = List.of(
            new TripDemo(),
            new TransferDemo(),
            new ReportDemo(),
            new ReminderDemo(),
            new BatchDemo(),
            new ApprovalDemo(),
            new PointsDemo(),
            new NewsletterDemo(),
            new ParcelDemo(),
            new SyncDemo(),
            new ClaimDemo(),
            new AgentDemo());

    private static final String USAGE = "usage: samples/patterns/run [--export FOLDER] NAME …, with the names ";

    private Patterns() {}

    public static void main(String[] arguments) {
        Deque<String> words = new ArrayDeque<>(List.of(arguments));
        Path folder = null;
        if (words.size() > 1 && words.getFirst().equals("--export")) {
            words.removeFirst();
            folder = Path.of(words.removeFirst());
        }
        List<Demo> chosen =
                ALL.stream().filter(demo -> words.remove(demo.name())).toList();
        if (chosen.isEmpty() || !words.isEmpty()) {
            System.err.println(USAGE + ALL.stream().map(Demo::name).collect(Collectors.joining(", ")));
            System.exit(2);
        }
        try (PostgresSource postgres = PostgresSource.open()) {
            for (Demo demo : chosen) {
                run(demo, postgres, folder);
            }
        }
    }

    private static void run(Demo demo, PostgresSource postgres, @Nullable Path folder) {
        DurableEngine.Builder builder = DurableEngine.builder(PostgresHistoryStore.of(postgres.dataSource()))
                .register(demo.workflows().toArray())
                .register(demo.activities().toArray())
                .sessionLease(Duration.ofSeconds(5)); // what a killed process had is free after that
        demo.queues().forEach(queue -> builder.queue(queue, options -> {}));
        try (DurableEngine engine = builder.start()) {
            WorkflowHandle<?, ?> run = demo.run(engine.client());
            System.out.println(demo.name() + ": " + run.workflowId() + " " + outcome(run));
            if (folder != null) {
                engine.client().export(run.workflowId(), folder.resolve(demo.name() + ".json"));
            }
        }
    }

    private static String outcome(WorkflowHandle<?, ?> run) {
        try {
            return "completed: " + run.resultAs(Object.class);
        } catch (WorkflowFailedException e) {
            return "failed: " + (e.getCause() == null ? e : e.getCause()).getMessage();
        }
    }
}
