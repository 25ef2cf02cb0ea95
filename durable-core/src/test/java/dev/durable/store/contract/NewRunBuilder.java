package dev.durable.store.contract;

import dev.durable.ConflictPolicy;
import dev.durable.ReusePolicy;
import dev.durable.store.HistoryStore;
import dev.durable.store.InboxMessage;
import dev.durable.store.NewJob;
import dev.durable.store.NewRun;
import dev.durable.store.RunIds;
import dev.durable.store.RunKey;
import dev.durable.store.StoredEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/** A start in the making, with defaults for what a test does not care about. */
final class NewRunBuilder {
    private final RunKey key;
    private final UUID fence = UUID.randomUUID();
    private final Instant now;
    private final List<StoredEvent> events = new ArrayList<>();
    private final List<NewJob> jobs = new ArrayList<>();
    private final Map<String, String> memo = new HashMap<>();
    private String type = StoreContract.TYPE;
    private String taskQueue = StoreContract.QUEUE;
    private int needs;
    private Instant wakeAt;
    private Duration startDelay = Duration.ZERO;
    private boolean firstTurnDone;
    private ReusePolicy reusePolicy = ReusePolicy.ALLOW_DUPLICATE;
    private Instant deadline;
    private Instant expiresAt;
    private InboxMessage message;

    NewRunBuilder(HistoryStore store, String workflowId) {
        now = store.now();
        key = new RunKey(
                RunIds.create(now, workflowId, ThreadLocalRandom.current().nextLong()), workflowId);
        events.add(new StoredEvent(1, "WorkflowStarted", now, null, "{\"input\":[]}"));
    }

    RunKey key() {
        return key;
    }

    UUID fence() {
        return fence;
    }

    Instant startedAt() {
        return now;
    }

    NewRunBuilder started(String attributes) {
        events.set(0, new StoredEvent(1, "WorkflowStarted", now, null, attributes));
        return this;
    }

    NewRunBuilder type(String workflowType) {
        this.type = workflowType;
        return this;
    }

    NewRunBuilder taskQueue(String queue) {
        this.taskQueue = queue;
        return this;
    }

    NewRunBuilder needs(int level) {
        this.needs = level;
        return this;
    }

    NewRunBuilder startDelay(Duration delay) {
        this.startDelay = delay;
        return this;
    }

    NewRunBuilder firstTurnDone() {
        this.firstTurnDone = true;
        return this;
    }

    NewRunBuilder wakeAt(Instant when) {
        this.wakeAt = when;
        return firstTurnDone();
    }

    /** The first turn scheduled an activity. */
    NewRunBuilder schedules(NewJob job) {
        events.add(Outcomes.scheduled(events.size() + 1L, now, job.seq()));
        jobs.add(job);
        return firstTurnDone();
    }

    NewRunBuilder reuse(ReusePolicy policy) {
        this.reusePolicy = policy;
        return this;
    }

    NewRunBuilder deadline(Instant when) {
        this.deadline = when;
        return this;
    }

    NewRunBuilder expiresAt(Instant when) {
        this.expiresAt = when;
        return this;
    }

    NewRunBuilder memo(String name, String value) {
        memo.put(name, value);
        return this;
    }

    NewRunBuilder with(InboxMessage signal) {
        this.message = signal;
        return this;
    }

    NewRun build() {
        return new NewRun(
                key,
                type,
                taskQueue,
                needs,
                fence,
                events,
                jobs,
                wakeAt,
                startDelay,
                firstTurnDone,
                reusePolicy,
                ConflictPolicy.FAIL,
                deadline,
                expiresAt,
                memo,
                message);
    }
}
