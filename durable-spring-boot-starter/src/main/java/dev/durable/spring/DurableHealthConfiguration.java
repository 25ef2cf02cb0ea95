package dev.durable.spring;

import dev.durable.client.DurableEngine;
import dev.durable.client.UpkeepStep;
import dev.durable.client.WorkerStatus;
import java.util.List;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/**
 * Where the application has Actuator: health {@code durable}, down while the worker makes no progress or
 * its upkeep is late, the database holds the work of another installation or a right is missing; with each step of upkeep, the number of zombies, of refused
 * messages and of runs that stalled lately as details.
 */
@AutoConfiguration(after = DurableAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(DurableEngine.class)
@ConditionalOnEnabledHealthIndicator("durable")
public class DurableHealthConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = "durableHealthIndicator")
    HealthIndicator durableHealthIndicator(DurableEngine engine) {
        return () -> health(engine);
    }

    private static Health health(DurableEngine engine) {
        Health.Builder health = engine.healthy() ? Health.up() : Health.down();
        List<String> problems = engine.problems();
        if (!problems.isEmpty()) {
            health.withDetail("reason", String.join("\n", problems));
        }
        engine.upkeep().forEach(step -> health.withDetail("upkeep." + step.name(), words(step)));
        WorkerStatus worker = engine.worker();
        return health.withDetail("zombies", worker.zombies())
                .withDetail("refusedMessages", worker.refusedMessages())
                .withDetail("stalledRuns", worker.stalledRuns())
                .build();
    }

    private static String words(UpkeepStep step) {
        String last = step.lastRun() == null
                ? "not yet run"
                : "last at %s, took %d ms, %d rows, %d in all"
                        .formatted(step.lastRun(), step.lastTook().toMillis(), step.lastRows(), step.rows());
        return step.late() ? "LATE: " + last : last;
    }
}
