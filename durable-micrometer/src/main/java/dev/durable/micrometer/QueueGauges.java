package dev.durable.micrometer;

import dev.durable.client.EngineNames;
import dev.durable.client.QueueDescription;
import dev.durable.observe.QueueSample;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Gauges of what waits in the whole installation; there only in the process that reads it for all, while its engine is open: a
 * sample that is taken meanwhile comes too late.
 */
final class QueueGauges {
    private final MultiGauge depth;
    private final MultiGauge oldest;
    private final MultiGauge openRuns;
    private final List<Single> singles;
    private Set<String> served = Set.of();
    private boolean open;

    private record Single(MultiGauge gauge, ToNumber value) {}

    @FunctionalInterface
    private interface ToNumber {
        Number of(QueueSample sample);
    }

    QueueGauges(MeterRegistry registry, Tags common) {
        this.depth = DurableMeter.QUEUE_DEPTH.gauges(registry, common);
        this.oldest = DurableMeter.QUEUE_OLDEST.gauges(registry, common);
        this.openRuns = DurableMeter.QUEUE_OPEN_RUNS.gauges(registry, common);
        this.singles = List.of(
                new Single(DurableMeter.DEAD_LETTERS.gauges(registry, common), QueueSample::deadLetters),
                new Single(DurableMeter.INCIDENTS.gauges(registry, common), QueueSample::incidents),
                new Single(DurableMeter.STALLED_RUNS.gauges(registry, common), QueueSample::stalledRuns),
                new Single(
                        DurableMeter.OUTBOX_AGE.gauges(registry, common),
                        sample -> age(sample.at(), sample.outboxSince())),
                new Single(DurableMeter.OUTBOX_REFUSED.gauges(registry, common), QueueSample::refusedMessages));
    }

    synchronized void open() {
        open = true;
    }

    synchronized void know(EngineNames names) {
        served = names.taskQueues();
    }

    synchronized void show(QueueSample sample) {
        if (!open) {
            return;
        }
        List<MultiGauge.Row<?>> depths = new ArrayList<>();
        List<MultiGauge.Row<?>> ages = new ArrayList<>();
        List<MultiGauge.Row<?>> runs = new ArrayList<>();
        for (QueueDescription queue : shown(sample.queues())) {
            String name = queue.taskQueue();
            depths.add(row(DurableMeter.QUEUE_DEPTH, queue.ready(), name, "ready"));
            depths.add(row(DurableMeter.QUEUE_DEPTH, queue.waiting(), name, "waiting"));
            depths.add(row(DurableMeter.QUEUE_DEPTH, queue.delayed(), name, "delayed"));
            depths.add(row(DurableMeter.QUEUE_DEPTH, queue.running(), name, "running"));
            depths.add(row(DurableMeter.QUEUE_DEPTH, queue.dead(), name, "dead"));
            ages.add(row(DurableMeter.QUEUE_OLDEST, age(sample.at(), queue.oldestWaitingSince()), name));
            runs.add(row(DurableMeter.QUEUE_OPEN_RUNS, queue.openRuns(), name));
        }
        depth.register(depths, true);
        oldest.register(ages, true);
        openRuns.register(runs, true);
        singles.forEach(single -> single.gauge()
                .register(List.of(MultiGauge.Row.of(Tags.empty(), single.value().of(sample))), true));
    }

    /**
     * The queues that are served here, and a bounded number of the others, as callers name queues. More of them are a
     * mistake of a caller's, and their sum would hide that.
     */
    private List<QueueDescription> shown(List<QueueDescription> queues) {
        Predicate<QueueDescription> here = queue -> served.contains(queue.taskQueue());
        return Stream.concat(
                        queues.stream().filter(here),
                        queues.stream().filter(here.negate()).limit(BoundedMeters.MOST))
                .toList();
    }

    /** Another process shows them. */
    synchronized void hide() {
        depth.register(List.of(), true);
        oldest.register(List.of(), true);
        openRuns.register(List.of(), true);
        singles.forEach(single -> single.gauge().register(List.of(), true));
    }

    /** The engine closes. */
    synchronized void close() {
        open = false;
        hide();
    }

    private static MultiGauge.Row<Number> row(DurableMeter meter, Number value, String... tags) {
        return MultiGauge.Row.of(meter.tagged(Tags.empty(), tags), value);
    }

    private static double age(Instant now, @Nullable Instant since) {
        return since == null ? 0 : Math.max(0, Duration.between(since, now).toMillis() / 1_000.0);
    }
}
