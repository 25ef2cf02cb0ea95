package dev.durable.store.contract;

import dev.durable.ConflictPolicy;
import dev.durable.ParentClosePolicy;
import dev.durable.ReusePolicy;
import dev.durable.history.InboxMessage;
import dev.durable.history.StoredEvent;
import dev.durable.logs.MarkedLines;
import dev.durable.store.BatchPlace;
import dev.durable.store.HistoryStore;
import dev.durable.store.NewJob;
import dev.durable.store.NewRun;
import dev.durable.store.RunIds;
import dev.durable.store.RunKey;
import dev.durable.store.Transition;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/** A start in the making, with defaults for what a test does not care about. */
public final class NewRunBuilder {
    /** As of a run that was given something. */
    private static final String ATTRIBUTES =
            "{\"input\":[\"M\"],\"headers\":{\"trace\":\"M\"},\"memo\":{\"card\":\"M\"}}"
                    .replace("M", MarkedLines.MARKER);

    private final RunKey key;
    private UUID fence = UUID.randomUUID();
    private final Instant now;
    private final List<StoredEvent> events = new ArrayList<>();
    private final List<NewJob> jobs = new ArrayList<>();
    private final Map<String, String> memo = new HashMap<>();
    private String type = StoreContract.TYPE;
    private String taskQueue = StoreContract.QUEUE;
    private Instant wakeAt;
    private Duration startDelay = Duration.ZERO;
    private boolean firstTurnDone;
    private List<String> formerTypes = List.of();
    private ConflictPolicy conflictPolicy = ConflictPolicy.FAIL;
    private ReusePolicy reusePolicy = ReusePolicy.ALLOW_DUPLICATE;
    private Instant deadline;
    private Instant expiresAt;
    private InboxMessage message;
    private String details;
    private Transition.Build build;
    private BatchPlace place;
    private NewRun.Copied copied;
    private NewRun.Parent parent;

    public NewRunBuilder(HistoryStore store, String workflowId) {
        now = store.now();
        key = new RunKey(
                RunIds.create(now, workflowId, ThreadLocalRandom.current().nextLong()), workflowId);
        events.add(new StoredEvent(1, "WorkflowStarted", now, null, ATTRIBUTES));
    }

    public RunKey key() {
        return key;
    }

    public UUID fence() {
        return fence;
    }

    public NewRunBuilder fenced(UUID first) {
        fence = first;
        return this;
    }

    public Instant startedAt() {
        return now;
    }

    public NewRunBuilder started(String attributes) {
        events.set(0, new StoredEvent(1, "WorkflowStarted", now, null, attributes));
        return this;
    }

    public NewRunBuilder type(String workflowType) {
        this.type = workflowType;
        return this;
    }

    public NewRunBuilder formerTypes(String... names) {
        this.formerTypes = List.of(names);
        return this;
    }

    public NewRunBuilder taskQueue(String queue) {
        this.taskQueue = queue;
        return this;
    }

    public NewRunBuilder startDelay(Duration delay) {
        this.startDelay = delay;
        return this;
    }

    public NewRunBuilder firstTurnDone() {
        this.firstTurnDone = true;
        return this;
    }

    /** The code of this build has made the first turn, and the run is pinned to it. */
    public NewRunBuilder pinnedBy(String name) {
        this.build = new Transition.Build(name, true);
        return firstTurnDone();
    }

    /** This build alone is to make the first turn. */
    public NewRunBuilder toBePinnedTo(String name) {
        this.build = new Transition.Build(name, true);
        return this;
    }

    /** The code of this build has made the first turn. */
    public NewRunBuilder firstTurnBy(String name) {
        this.build = new Transition.Build(name, false);
        return firstTurnDone();
    }

    public NewRunBuilder wakeAt(Instant when) {
        this.wakeAt = when;
        return firstTurnDone();
    }

    /** The first turn scheduled an activity. */
    public NewRunBuilder schedules(NewJob job) {
        events.add(Outcomes.scheduled(events.size() + 1L, now, job.seq()));
        jobs.add(job);
        return firstTurnDone();
    }

    public NewRunBuilder reuse(ReusePolicy policy) {
        this.reusePolicy = policy;
        return this;
    }

    public NewRunBuilder deadline(Instant when) {
        this.deadline = when;
        return this;
    }

    public NewRunBuilder expiresAt(Instant when) {
        this.expiresAt = when;
        return this;
    }

    public NewRunBuilder memo(String name, String value) {
        memo.put(name, value);
        return this;
    }

    public NewRunBuilder with(InboxMessage signal) {
        this.message = signal;
        return this;
    }

    /** The signal goes to the open run, where there is one. */
    public NewRunBuilder tells(InboxMessage signal) {
        this.conflictPolicy = ConflictPolicy.USE_EXISTING;
        return with(signal);
    }

    /** What its first turn says that it is doing. */
    public NewRunBuilder details(String line) {
        this.details = line;
        return this;
    }

    /** A fork of another run, with its first events; these outcomes wait for it. */
    public NewRunBuilder forks(RunKey from, long many, InboxMessage... outcomes) {
        this.copied = new NewRun.Copied(from, many, List.of(outcomes), "ann", "why not");
        events.set(
                0, new StoredEvent(many + 1, "WorkflowForked", now, null, "{\"fromRunId\":\"" + from.runId() + "\"}"));
        return this;
    }

    /** The child of the parent whose chain and number these are. */
    public NewRunBuilder child(RunKey of, long number, ParentClosePolicy policy) {
        this.parent = new NewRun.Parent(of.workflowId(), of.runId(), number, policy, of.runId());
        return this;
    }

    /** An activity that was open where it was forked. */
    public NewRunBuilder schedulesAgain(NewJob job) {
        return schedulesAgainIf(true, job);
    }

    public NewRunBuilder schedulesAgainIf(boolean isOpen, NewJob job) {
        if (isOpen) {
            jobs.add(job);
        }
        return this;
    }

    /** Its place in a batch. */
    public NewRunBuilder at(String batch, int number) {
        this.place = new BatchPlace(batch, number);
        return this;
    }

    public NewRun build() {
        return new NewRun(
                key,
                type,
                taskQueue,
                fence,
                new NewRun.FirstTurn(firstTurnDone, events, jobs, wakeAt, startDelay, details, build, copied),
                new NewRun.Policies(reusePolicy, conflictPolicy, formerTypes),
                new NewRun.Deadlines(deadline, expiresAt),
                message,
                new NewRun.Listed(memo, place, parent));
    }
}
