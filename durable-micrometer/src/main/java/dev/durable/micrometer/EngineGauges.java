package dev.durable.micrometer;

import dev.durable.client.DurableEngine;
import dev.durable.client.WorkerStatus;
import dev.durable.observe.EngineStatistics;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

/** Gauges of what one engine has now, read from it when they are asked; they go when it closes. */
final class EngineGauges implements AutoCloseable {
    private final MeterRegistry registry;
    private final Tags common;
    private final DurableEngine engine;
    private final List<Meter> meters = new ArrayList<>();
    private final Set<String> chores = new HashSet<>();
    private boolean closed;

    private EngineGauges(MeterRegistry registry, Tags common, DurableEngine engine) {
        this.registry = registry;
        this.common = common;
        this.engine = engine;
    }

    /** All of them, or none where the registry refuses one. */
    static EngineGauges of(MeterRegistry registry, Tags common, DurableEngine engine) {
        EngineGauges gauges = new EngineGauges(registry, common, engine);
        try {
            gauges.addAll();
        } catch (RuntimeException | Error e) {
            gauges.close();
            throw e;
        }
        return gauges;
    }

    private void addAll() {
        // A client only that can reach its database is no worker: alerts count the workers by this gauge.
        if (engine.worker().session() != null) {
            add(DurableMeter.WORKER_HEALTHY, () -> flag(engine.healthy()));
        }
        add(DurableMeter.FAILING, () -> statistics().failing());
        add(DurableMeter.NUDGES_HEARD, () -> flag(statistics().nudgesHeard()));
        add(DurableMeter.QUEUE_SAMPLER, () -> flag(statistics().samplesQueues()));
        add(DurableMeter.STALLED_HERE, () -> statistics().stalledRuns());
        add(DurableMeter.CACHE_RUNS, () -> statistics().cache().runs());
        add(DurableMeter.CACHE_SIZE, () -> statistics().cache().bytes());
        add(DurableMeter.CACHE_MAX_SIZE, () -> statistics().cache().maxBytes());
        List<EngineStatistics.Lane> lanes = statistics().lanes();
        for (int i = 0; i < lanes.size(); i++) {
            int at = i;
            String name = lanes.get(i).name();
            add(DurableMeter.LANE_WAITING, () -> statistics().lanes().get(at).waiting(), name);
            add(
                    DurableMeter.LANE_WAITING_SIZE,
                    () -> statistics().lanes().get(at).bytes(),
                    name);
        }
        for (WorkerStatus.Queue queue : engine.worker().queues()) {
            String name = queue.name();
            add(DurableMeter.SLOTS_MAX, () -> of(name, WorkerStatus.Queue::slots), name);
            add(DurableMeter.SLOTS_USED, () -> of(name, served -> served.slots() - served.free()), name);
            add(DurableMeter.ZOMBIES, () -> of(name, WorkerStatus.Queue::zombies), name);
        }
    }

    /** A chore has run; whether it is late is shown from then on. */
    synchronized void choreRan(String name) {
        if (!closed && chores.add(name)) {
            add(
                    DurableMeter.UPKEEP_LATE,
                    () -> flag(engine.upkeep().stream()
                            .anyMatch(chore -> chore.late() && chore.name().equals(name))),
                    name);
        }
    }

    private void add(DurableMeter meter, Supplier<Number> value, String... tags) {
        meters.add(meter.gauge(registry, common, value, tags));
    }

    private EngineStatistics statistics() {
        return engine.statistics();
    }

    private int of(String queue, ToIntFunction<WorkerStatus.Queue> value) {
        return engine.worker().queues().stream()
                .filter(served -> served.name().equals(queue))
                .mapToInt(value)
                .findFirst()
                .orElse(0);
    }

    private static int flag(boolean value) {
        return value ? 1 : 0;
    }

    @Override
    public synchronized void close() {
        closed = true;
        meters.forEach(registry::remove);
        meters.clear();
    }
}
