package dev.durable.spring.actuate;

import dev.durable.client.DurableEngine;
import dev.durable.client.WorkerStatus;
import dev.durable.store.HistoryStore;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.core.env.Environment;

/** The section {@code durable} of {@code /actuator/info}: version, schema and its version, installation, task queues. */
final class DurableInfoContributor implements InfoContributor {
    private final DurableEngine engine;
    private final HistoryStore store;
    private final Environment environment;

    DurableInfoContributor(DurableEngine engine, HistoryStore store, Environment environment) {
        this.engine = engine;
        this.store = store;
        this.environment = environment;
    }

    @Override
    public void contribute(Info.Builder builder) {
        builder.withDetail("durable", details());
    }

    Map<String, Object> details() {
        Map<String, Object> details = new LinkedHashMap<>();
        StoreVersion.ofDurable().ifPresent(version -> details.put("version", version));
        StoreVersion.of(store).ifPresent(version -> {
            details.put("schema", environment.getProperty("durable.schema", "durable"));
            details.put("schemaVersion", version);
        });
        String installation = environment.getProperty("durable.installation");
        if (installation != null) {
            details.put("installation", installation);
        }
        details.put(
                "taskQueues",
                engine.worker().queues().stream().map(WorkerStatus.Queue::name).toList());
        return details;
    }
}
