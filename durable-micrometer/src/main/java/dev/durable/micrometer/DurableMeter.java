package dev.durable.micrometer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Every meter of an engine: its name, kind, unit and tags. */
public enum DurableMeter {
    // ── workflows ──
    WORKFLOW_STARTS(
            "durable.workflow.starts", Kind.COUNTER, null, "starts that were answered", "workflow", "how", "outcome"),
    WORKFLOW_DURATION(
            "durable.workflow.duration",
            Kind.TIMER,
            null,
            "runs that were closed here, from their start to the commit that closed them",
            "workflow",
            "status"),
    TRANSITIONS(
            "durable.transitions",
            Kind.TIMER,
            null,
            "steps of runs, from the lane to the answer of the store",
            "outcome"),
    TRANSITION_EVENTS("durable.transition.events", Kind.SUMMARY, null, "events of a step that was written"),
    TIMER_LATENESS("durable.timer.lateness", Kind.TIMER, null, "how long after they were due timers fired", "workflow"),
    REPLAY("durable.replay", Kind.TIMER, null, "replays of histories", "workflow"),
    REPLAY_EVENTS("durable.replay.events", Kind.SUMMARY, null, "events of a replayed history", "workflow"),
    STALLS("durable.stalls", Kind.COUNTER, null, "times that a run could not go on with the code here", "workflow"),
    CACHE_LOOKUPS("durable.cache.lookups", Kind.COUNTER, null, "runs looked for in memory", "result"),
    CACHE_EVICTIONS("durable.cache.evictions", Kind.COUNTER, null, "runs that had to leave the memory"),

    // ── activities ──
    ACTIVITY_ATTEMPTS(
            "durable.activity.attempts",
            Kind.TIMER,
            null,
            "attempts whose body began, by the time that the body took",
            "activity",
            "queue",
            "outcome"),
    ACTIVITY_NOT_BEGUN(
            "durable.activity.not.begun",
            Kind.COUNTER,
            null,
            "attempts that ended before their body began",
            "activity",
            "outcome"),
    ACTIVITY_SCHEDULE_TO_START(
            "durable.activity.schedule.to.start",
            Kind.TIMER,
            null,
            "how long jobs waited until their first attempt began",
            "activity",
            "queue"),
    ACTIVITY_TIMEOUTS(
            "durable.activity.timeouts", Kind.COUNTER, null, "attempts that timed out", "activity", "timeout"),
    ACTIVITY_FAILURES(
            "durable.activity.failures",
            Kind.COUNTER,
            null,
            "attempts that failed, by what they failed like",
            "fingerprint"),
    WAITING_TIMEOUTS("durable.waiting.timeouts", Kind.COUNTER, null, "jobs that no worker ran until they timed out"),
    HEARTBEATS("durable.heartbeats", Kind.COUNTER, null, "heartbeats that were written"),
    STALE_REFUSALS("durable.stale.refusals", Kind.COUNTER, null, "what was refused as stale", "what"),

    // ── the engine room ──
    BATCH_COMMIT("durable.batch.commit", Kind.TIMER, null, "transactions of the group commit", "lane", "result"),
    BATCH_SIZE("durable.batch.size", Kind.SUMMARY, null, "items of one transaction of the group commit", "lane"),
    CLAIMS("durable.claims", Kind.TIMER, null, "claims that were answered", "what", "queue", "fill"),
    CLAIMS_SKIPPED("durable.claims.skipped", Kind.COUNTER, null, "times that jobs were not asked for", "pool", "why"),
    NUDGES("durable.nudges", Kind.COUNTER, null, "nudges that arrived", "kind"),
    UPKEEP("durable.upkeep", Kind.TIMER, null, "chores of upkeep that were done", "chore"),
    UPKEEP_ROWS("durable.upkeep.rows", Kind.COUNTER, null, "rows that chores have changed", "chore"),
    SESSIONS_LOST("durable.sessions.lost", Kind.COUNTER, null, "times that others declared this process dead"),
    SESSIONS_DECLARED_DEAD(
            "durable.sessions.declared.dead", Kind.COUNTER, null, "other processes that this one declared dead"),
    CRASHED_JOBS("durable.crashed.jobs", Kind.COUNTER, null, "jobs of dead workers that went back into their queues"),
    OUTBOX_MESSAGES("durable.outbox.messages", Kind.COUNTER, null, "messages that left the outbox", "result"),

    // ── what this process has now ──
    WORKER_HEALTHY(
            "durable.worker.healthy", Kind.GAUGE, null, "1 while the worker is healthy; not there for a client only"),
    FAILING(
            "durable.failing",
            Kind.GAUGE,
            null,
            "loops, chores, claims of queues and listeners that have failed at every try for a minute"),
    NUDGES_HEARD("durable.nudges.heard", Kind.GAUGE, null, "1 while nudges of other processes arrive"),
    LANE_WAITING("durable.lane.waiting", Kind.GAUGE, null, "items that wait for their commit", "lane"),
    LANE_WAITING_SIZE("durable.lane.waiting.size", Kind.GAUGE, "bytes", "bytes that wait for their commit", "lane"),
    CACHE_RUNS("durable.cache.runs", Kind.GAUGE, null, "runs in memory"),
    CACHE_SIZE("durable.cache.size", Kind.GAUGE, "bytes", "estimated size of the runs in memory"),
    CACHE_MAX_SIZE("durable.cache.max.size", Kind.GAUGE, "bytes", "from which size on runs are evicted"),
    SLOTS_MAX("durable.slots.max", Kind.GAUGE, null, "activities at once", "queue"),
    SLOTS_USED("durable.slots.used", Kind.GAUGE, null, "slots that something runs in", "queue"),
    ZOMBIES("durable.zombies", Kind.GAUGE, null, "bodies that were asked to stop long ago and still run", "queue"),
    STALLED_HERE("durable.stalled.here", Kind.GAUGE, null, "runs that stalled in this process lately"),
    UPKEEP_LATE("durable.upkeep.late", Kind.GAUGE, null, "1 while a chore of upkeep is late", "chore"),
    QUEUE_SAMPLER("durable.queue.sampler", Kind.GAUGE, null, "1 in the process that reads the queues for all"),

    // ── what one process reads for all ──
    QUEUE_DEPTH("durable.queue.depth", Kind.GAUGE, null, "jobs of a queue", "queue", "state"),
    QUEUE_OLDEST(
            "durable.queue.oldest.age", Kind.GAUGE, "seconds", "how long the oldest job waits that could run", "queue"),
    QUEUE_OPEN_RUNS("durable.queue.open.runs", Kind.GAUGE, null, "open workflow runs of a queue", "queue"),
    DEAD_LETTERS("durable.dead.letters", Kind.GAUGE, null, "dead letters that wait for an operator"),
    INCIDENTS("durable.incidents", Kind.GAUGE, null, "incidents that wait for an operator"),
    STALLED_RUNS("durable.stalled.runs", Kind.GAUGE, null, "open runs that can't go on for now"),
    OUTBOX_AGE("durable.outbox.age", Kind.GAUGE, "seconds", "age of the oldest message in the outbox"),
    OUTBOX_REFUSED("durable.outbox.refused", Kind.GAUGE, null, "messages that the database refuses");

    /** Kinds of meters. */
    public enum Kind {
        COUNTER,
        TIMER,
        SUMMARY,
        GAUGE
    }

    /** Histograms have these bounds, from a commit to a day's wait; Micrometer's filters may choose others. */
    private static final Duration[] BOUNDS = {
        Duration.ofMillis(5),
        Duration.ofMillis(25),
        Duration.ofMillis(100),
        Duration.ofMillis(500),
        Duration.ofSeconds(1),
        Duration.ofSeconds(5),
        Duration.ofSeconds(30),
        Duration.ofMinutes(5),
        Duration.ofHours(1),
        Duration.ofHours(24)
    };

    private final String name;
    private final Kind kind;
    private final @Nullable String unit;
    private final String description;

    @SuppressWarnings("ImmutableEnumChecker") // It is unmodifiable.
    private final List<String> tags;

    DurableMeter(String name, Kind kind, @Nullable String unit, String description, String... tags) {
        this.name = name;
        this.kind = kind;
        this.unit = unit;
        this.description = description;
        this.tags = List.of(tags);
    }

    /** Its name as Micrometer has it; the registry makes it that of its system, {@code durable_workflow_starts_total}. */
    public String meterName() {
        return name;
    }

    public Kind kind() {
        return kind;
    }

    /** The unit of a value; null of counts and of timers, which are in the unit of the registry. */
    public @Nullable String unit() {
        return unit;
    }

    /** The meaning of its values, in a phrase. */
    public String description() {
        return description;
    }

    /** The names of its own tags. */
    public List<String> tags() {
        return tags;
    }

    Counter counter(MeterRegistry registry, Tags common, String... values) {
        return Counter.builder(name)
                .description(description)
                .baseUnit(unit)
                .tags(tagged(common, values))
                .register(registry);
    }

    Timer timer(MeterRegistry registry, Tags common, String... values) {
        return Timer.builder(name)
                .description(description)
                .serviceLevelObjectives(BOUNDS)
                .tags(tagged(common, values))
                .register(registry);
    }

    DistributionSummary summary(MeterRegistry registry, Tags common, String... values) {
        return DistributionSummary.builder(name)
                .description(description)
                .baseUnit(unit)
                .tags(tagged(common, values))
                .register(registry);
    }

    Meter gauge(MeterRegistry registry, Tags common, Supplier<Number> value, String... values) {
        return Gauge.builder(name, value)
                .description(description)
                .baseUnit(unit)
                .tags(tagged(common, values))
                .register(registry);
    }

    MultiGauge gauges(MeterRegistry registry, Tags common) {
        return MultiGauge.builder(name)
                .description(description)
                .baseUnit(unit)
                .tags(common)
                .register(registry);
    }

    /** Its tags with these values, in their order. */
    Tags tagged(Tags common, String... values) {
        Tags all = common;
        for (int i = 0; i < values.length; i++) {
            all = all.and(tags.get(i), values[i]);
        }
        return all;
    }
}
