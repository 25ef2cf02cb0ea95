package dev.durable.spring.actuate;

import dev.durable.client.DurableEngine;
import dev.durable.client.UpkeepStep;
import dev.durable.client.WorkerStatus;
import dev.durable.store.HistoryStore;
import java.util.List;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Reports the health of the engine: down while the worker makes no progress, as the database is away or can't
 * be written, a loop hangs, a step of upkeep is late, the store holds the work of another installation, or a right is
 * missing. Asks no database, so it answers at once.
 *
 * <p>Shown is what this process knows at that moment: while the store has not been open, or is closed, only the reason.
 * Details are bounded: there are as many steps of upkeep and task queues as this process has, and texts are cut.
 */
final class DurableHealthIndicator implements HealthIndicator {
    private static final int MOST_PROBLEMS = 10;

    private final DurableEngine engine;
    private final HistoryStore store;

    DurableHealthIndicator(DurableEngine engine, HistoryStore store) {
        this.engine = engine;
        this.store = store;
    }

    @Override
    public Health health() {
        Health.Builder health = engine.healthy() ? Health.up() : Health.down();
        List<String> problems = engine.problems();
        if (!problems.isEmpty()) {
            health.withDetail("reason", reason(problems));
        }
        WorkerStatus worker = engine.worker();
        if (worker.identity().isEmpty()) {
            // The store has never been open, or is closed: of the rest nothing is known.
            return health.build();
        }
        health.withDetail("database", store.trouble().map(CutText::text).orElse("answers"));
        StoreVersion.of(store).ifPresent(version -> health.withDetail("schemaVersion", version));
        engine.upkeep().forEach(step -> health.withDetail("upkeep." + step.name(), words(step)));
        health.withDetail("worker", role(worker));
        worker.queues()
                .forEach(queue -> health.withDetail(
                        "queue." + queue.name(), queue.free() + " of " + queue.slots() + " slots are free"));
        return health.withDetail("zombies", worker.zombies())
                .withDetail("refusedMessages", worker.refusedMessages())
                .withDetail("stalledRuns", worker.stalledRuns())
                .build();
    }

    private static String role(WorkerStatus worker) {
        if (worker.session() != null) {
            return worker.identity();
        }
        return worker.queues().isEmpty() ? "client only" : worker.identity() + ", which has not begun";
    }

    private static String reason(List<String> problems) {
        String shown = String.join(
                "\n", problems.stream().limit(MOST_PROBLEMS).map(CutText::text).toList());
        int more = problems.size() - MOST_PROBLEMS;
        return more > 0 ? shown + "\nand " + more + " more" : shown;
    }

    private static String words(UpkeepStep step) {
        String last = step.lastRun() == null
                ? "not yet run"
                : "last at %s, took %d ms, %d rows, %d in all"
                        .formatted(step.lastRun(), step.lastTook().toMillis(), step.lastRows(), step.rows());
        return step.late() ? "LATE: " + last : last;
    }
}
