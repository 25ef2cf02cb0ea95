package dev.durable.micrometer;

import dev.durable.observe.BatchWrite;
import dev.durable.observe.ChoreRun;
import dev.durable.observe.ClaimAnswer;
import dev.durable.observe.EngineObserver;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;

/** Counts and times what keeps runs and activities going: commits, claims, nudges, upkeep, sessions, the relay. */
final class EngineRoomMeters {
    private static final String ALL_QUEUES = "all";

    private final EnumMeters<BatchWrite.Lane, OfLane> lanes;
    private final EnumMeters<ClaimAnswer.What, BoundedMeters<EnumMeters<ClaimAnswer.Fill, Timer>>> claims;
    private final BoundedMeters<EnumMeters<EngineObserver.Skipped, Counter>> skipped;
    private final EnumMeters<EngineObserver.Nudge, Counter> nudges;
    private final BoundedMeters<Timer> chores;
    private final BoundedMeters<Counter> rows;
    private final Counter lost;
    private final Counter declaredDead;
    private final Counter crashed;
    private final Counter delivered;
    private final Counter refused;

    private record OfLane(Timer written, Timer failed, DistributionSummary sizes) {}

    EngineRoomMeters(MeterRegistry registry, Tags common) {
        this.lanes = new EnumMeters<>(
                BatchWrite.Lane.class,
                lane -> new OfLane(
                        DurableMeter.BATCH_COMMIT.timer(registry, common, EnumMeters.tag(lane), "written"),
                        DurableMeter.BATCH_COMMIT.timer(registry, common, EnumMeters.tag(lane), "failed"),
                        DurableMeter.BATCH_SIZE.summary(registry, common, EnumMeters.tag(lane))));
        this.claims = new EnumMeters<>(
                ClaimAnswer.What.class,
                what -> new BoundedMeters<>(queue -> new EnumMeters<>(
                        ClaimAnswer.Fill.class,
                        fill -> DurableMeter.CLAIMS.timer(
                                registry, common, EnumMeters.tag(what), queue, EnumMeters.tag(fill)))));
        this.skipped = new BoundedMeters<>(pool -> new EnumMeters<>(
                EngineObserver.Skipped.class,
                why -> DurableMeter.CLAIMS_SKIPPED.counter(registry, common, pool, EnumMeters.tag(why))));
        this.nudges = new EnumMeters<>(
                EngineObserver.Nudge.class,
                kind -> DurableMeter.NUDGES.counter(registry, common, EnumMeters.tag(kind)));
        this.chores = new BoundedMeters<>(chore -> DurableMeter.UPKEEP.timer(registry, common, chore));
        this.rows = new BoundedMeters<>(chore -> DurableMeter.UPKEEP_ROWS.counter(registry, common, chore));
        this.lost = DurableMeter.SESSIONS_LOST.counter(registry, common);
        this.declaredDead = DurableMeter.SESSIONS_DECLARED_DEAD.counter(registry, common);
        this.crashed = DurableMeter.CRASHED_JOBS.counter(registry, common);
        this.delivered = DurableMeter.OUTBOX_MESSAGES.counter(registry, common, "delivered");
        this.refused = DurableMeter.OUTBOX_MESSAGES.counter(registry, common, "refused");
    }

    void written(BatchWrite batch) {
        OfLane lane = lanes.of(batch.lane());
        (batch.failed() ? lane.failed() : lane.written()).record(batch.took());
        lane.sizes().record(batch.size());
    }

    void claimed(ClaimAnswer claim) {
        String queue = claim.taskQueue();
        claims.of(claim.what())
                .of(queue == null ? ALL_QUEUES : queue)
                .of(claim.fill())
                .record(claim.took());
    }

    void skipped(String pool, EngineObserver.Skipped why) {
        skipped.of(pool).of(why).increment();
    }

    void heard(EngineObserver.Nudge nudge) {
        nudges.of(nudge).increment();
    }

    void done(ChoreRun chore) {
        chores.of(chore.chore()).record(chore.took());
        rows.of(chore.chore()).increment((double) chore.rows());
    }

    void lost() {
        lost.increment();
    }

    void declaredDead() {
        declaredDead.increment();
    }

    void requeued(int count) {
        crashed.increment(count);
    }

    void relayed(int gone, int aside) {
        delivered.increment(gone);
        refused.increment(aside);
    }
}
