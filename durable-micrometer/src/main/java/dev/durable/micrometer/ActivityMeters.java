package dev.durable.micrometer;

import dev.durable.client.EngineNames;
import dev.durable.history.TimeoutType;
import dev.durable.observe.ActivityAttemptBegin;
import dev.durable.observe.ActivityAttemptEnd;
import dev.durable.observe.EngineObserver;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.Set;

/** Counts and times attempts of activities. */
final class ActivityMeters {
    private final MeterRegistry registry;
    private final Tags common;
    private final BoundedMeters<OfActivity> activities;
    private final FailureCounters failures;
    private volatile Set<String> queues = Set.of();
    private final Counter waitingTimeouts;
    private final Counter heartbeats;
    private final EnumMeters<EngineObserver.Stale, Counter> stale;

    ActivityMeters(MeterRegistry registry, Tags common, int fingerprints) {
        this.registry = registry;
        this.common = common;
        this.activities = new BoundedMeters<>(OfActivity::new);
        this.failures = new FailureCounters(registry, common, fingerprints, System::nanoTime);
        this.waitingTimeouts = DurableMeter.WAITING_TIMEOUTS.counter(registry, common);
        this.heartbeats = DurableMeter.HEARTBEATS.counter(registry, common);
        this.stale = new EnumMeters<>(
                EngineObserver.Stale.class,
                what -> DurableMeter.STALE_REFUSALS.counter(registry, common, EnumMeters.tag(what)));
    }

    void know(EngineNames names) {
        activities.know(names.activities());
        queues = names.taskQueues();
    }

    void begun(ActivityAttemptBegin begin) {
        // A local activity waits for no worker, and a later attempt waited for its retry delay.
        if (begin.attempt() == 1 && !begin.local()) {
            activities.of(begin.activity()).queues.of(begin.taskQueue()).waits.record(begin.waited());
        }
    }

    void ended(ActivityAttemptEnd end) {
        OfActivity activity = activities.of(end.activity());
        if (end.duration() == null) {
            activity.notBegun.of(end.outcome()).increment();
        } else {
            activity.queues.of(end.taskQueue()).attempts.of(end.outcome()).record(end.duration());
        }
        if (end.timeout() != null) {
            activity.timeouts.of(end.timeout()).increment();
        }
        if (end.fingerprint() != null) {
            failures.count(end.fingerprint());
        }
    }

    void waitingTimedOut(int count) {
        waitingTimeouts.increment(count);
    }

    void heartbeats(int count) {
        heartbeats.increment(count);
    }

    void stale(EngineObserver.Stale what) {
        stale.of(what).increment();
    }

    private final class OfActivity {
        private static final int QUEUES = 20;

        final BoundedMeters<OfQueue> queues;
        final EnumMeters<ActivityAttemptEnd.Outcome, Counter> notBegun;
        final EnumMeters<TimeoutType, Counter> timeouts;

        OfActivity(String activity) {
            this.queues =
                    new BoundedMeters<>(QUEUES, queue -> new OfQueue(activity, queue)).know(ActivityMeters.this.queues);
            this.notBegun = new EnumMeters<>(
                    ActivityAttemptEnd.Outcome.class,
                    outcome -> DurableMeter.ACTIVITY_NOT_BEGUN.counter(
                            registry, common, activity, EnumMeters.tag(outcome)));
            this.timeouts = new EnumMeters<>(
                    TimeoutType.class,
                    timeout -> DurableMeter.ACTIVITY_TIMEOUTS.counter(
                            registry, common, activity, EnumMeters.tag(timeout)));
        }
    }

    private final class OfQueue {
        final Timer waits;
        final EnumMeters<ActivityAttemptEnd.Outcome, Timer> attempts;

        OfQueue(String activity, String queue) {
            this.waits = DurableMeter.ACTIVITY_SCHEDULE_TO_START.timer(registry, common, activity, queue);
            this.attempts = new EnumMeters<>(
                    ActivityAttemptEnd.Outcome.class,
                    outcome -> DurableMeter.ACTIVITY_ATTEMPTS.timer(
                            registry, common, activity, queue, EnumMeters.tag(outcome)));
        }
    }
}
