package dev.durable.internal.dispatch;

import dev.durable.ActivityCancellationType;
import dev.durable.ActivityContext;
import dev.durable.ActivityOptions;
import dev.durable.ConflictPolicy;
import dev.durable.RetryPolicy;
import dev.durable.ReusePolicy;
import dev.durable.StoreUnavailableException;
import dev.durable.client.QueueLimits;
import dev.durable.history.EventJson;
import dev.durable.history.HistoryEvent;
import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.history.OptionsJson;
import dev.durable.history.StoredEvent;
import dev.durable.internal.attempt.ActivityQueue;
import dev.durable.internal.attempt.ActivitySlots;
import dev.durable.internal.attempt.AttemptOutcome;
import dev.durable.internal.attempt.AttemptServices;
import dev.durable.internal.attempt.Leases;
import dev.durable.internal.attempt.UnreadableJobs;
import dev.durable.internal.commit.Lane;
import dev.durable.internal.declare.ActivityBinding;
import dev.durable.internal.declare.ActivityMethod;
import dev.durable.internal.declare.type.MethodSpec;
import dev.durable.internal.drive.Deadlines;
import dev.durable.internal.drive.PollPace;
import dev.durable.internal.drive.Step;
import dev.durable.internal.observe.Telemetry;
import dev.durable.internal.observe.Tries;
import dev.durable.internal.payload.FailureCodec;
import dev.durable.internal.payload.PayloadCodec;
import dev.durable.internal.upkeep.WorkerSession;
import dev.durable.logs.MarkedLines;
import dev.durable.observe.EngineObserver;
import dev.durable.store.ClaimedJob;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.Delivery;
import dev.durable.store.HistoryStore;
import dev.durable.store.JobClaim;
import dev.durable.store.JobContent;
import dev.durable.store.JobDeadlines;
import dev.durable.store.JobKey;
import dev.durable.store.JobRoute;
import dev.durable.store.JobUpdate;
import dev.durable.store.NewJob;
import dev.durable.store.NewRun;
import dev.durable.store.QueueChange;
import dev.durable.store.RunIds;
import dev.durable.store.RunKey;
import dev.durable.store.contract.FaultyStore;
import dev.durable.store.memory.InMemoryHistoryStore;
import dev.durable.store.memory.VirtualClock;
import java.lang.reflect.Method;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;

/**
 * The activity side of one process on virtual time, every part cranked by hand. It has one activity, {@code Work.run},
 * whose body the test sets. Bodies run on the thread that cranks, unless {@link #holdBodies()} was called.
 */
public final class ActivityBench {
    public static final String QUEUE = "default";
    public static final String ACTIVITY = "Work.run";
    static final String TRANSACTIONAL = "Work.book";
    public static final Duration LEASE = Duration.ofSeconds(30);
    public static final Duration POLL = Duration.ofSeconds(1);
    public static final Duration CANCEL_GRACE = Duration.ofSeconds(30);
    /** The result of a crank that finds the store away. */
    static final Duration AWAY = Duration.ofMillis(250);

    /** The body of the activity. */
    public interface Work {
        Object run(String argument) throws Exception;
    }

    public final VirtualClock clock = new VirtualClock();
    public final HistoryStore memory = InMemoryHistoryStore.on(clock);
    public final FaultyStore faulty = FaultyStore.over(memory);
    public final HistoryStore store = faulty.store();
    public final Lane<JobUpdate, JobUpdate.Outcome> lane = new Lane<>("jobs", 100, this::update);
    public final Deadlines deadlines = new Deadlines(clock, UnaryOperator.identity());
    public final Leases leases = new Leases();
    public final List<AttemptOutcome> taken = new ArrayList<>();
    public final Deque<Runnable> held = new ArrayDeque<>();
    public final Random random = new Random(42);
    public final ActivityReports reports = new ActivityReports(lane, this::offer, leases);
    public final TransactionalShare share = new TransactionalShare(Set.of(TRANSACTIONAL), 1);
    final UnreadableJobs unread = new UnreadableJobs();
    public final ActivitySlots slots;
    public final ActivityQueue queue;
    public final AttemptServices host;
    public final WorkerSession session;
    final ActivityStarter starter;
    public final ActivityWorker worker;
    public final HeldLeases heldLeases;
    public ActivityOptions options = ActivityOptions.DEFAULT;
    public Work body = argument -> argument;
    String activity = ACTIVITY;
    public String workflowType = "OrderWorkflow";
    /** The number of updates that were sent to the store. */
    public int sent;

    public boolean runIsCachedHere;
    public boolean atMostOnce;
    public boolean progress = true;
    public Runnable whileWaiting = () -> {};
    private Executor executor = Runnable::run;
    private int workflows;
    private String optionsJson;

    public ActivityBench() {
        this(4);
    }

    ActivityBench(int size) {
        PayloadCodec payloads = new PayloadCodec(10_000);
        slots = new ActivitySlots(size);
        queue = new ActivityQueue(QUEUE, slots, task -> executor.execute(task));
        host = new AttemptServices(
                new AttemptServices.Code(this::binding, payloads, new FailureCodec(payloads)),
                reports,
                leases,
                deadlines,
                new AttemptServices.Surroundings(
                        "me",
                        random,
                        future -> {
                            while (!future.isDone()) {
                                whileWaiting.run();
                                deadlines.runOnce();
                                crank(lane);
                            }
                            return future.get();
                        },
                        CANCEL_GRACE,
                        new Telemetry(EngineObserver.NONE, clock)),
                unread);
        reports.appends(store::appendedBefore);
        session = new WorkerSession(
                store,
                new WorkerSession.Own("me", LEASE, UUID::randomUUID),
                () -> progress,
                dead -> leases.attempts().forEach(attempt -> attempt.becomeStale("its session is dead")));
        session.open();
        starter = new ActivityStarter(host, session::id);
        worker = new ActivityWorker(
                store,
                ActivityPool.of(queue),
                Set.of(ACTIVITY, TRANSACTIONAL),
                starter,
                new RulesWatch(
                        store,
                        Set.of(QUEUE),
                        new PollPace(POLL, random),
                        rules -> {},
                        new Tries(System::nanoTime, UnaryOperator.identity())),
                share,
                new PollPace(POLL, random));
        heldLeases = new HeldLeases(store, starter, reports, LEASE.dividedBy(10));
        options = with(policy -> new RetryPolicy(3, Duration.ofSeconds(10), 2, Duration.ofMinutes(1), 0, List.of(), 3));
    }

    // ── options ──────────────────────────────────────────────────────────────────────────────────────────────────────

    public ActivityOptions with(UnaryOperator<RetryPolicy> change) {
        return with(options.startToClose(), options.heartbeatTimeout(), change.apply(options.retry()));
    }

    public ActivityOptions with(Duration startToClose, Duration heartbeatTimeout, RetryPolicy retry) {
        return with(startToClose, null, null, heartbeatTimeout, retry);
    }

    public ActivityOptions with(
            Duration startToClose,
            Duration scheduleToStart,
            Duration scheduleToClose,
            Duration heartbeatTimeout,
            RetryPolicy retry) {
        return new ActivityOptions(
                null,
                startToClose,
                scheduleToStart,
                scheduleToClose,
                heartbeatTimeout,
                retry,
                0,
                false,
                false,
                atMostOnce,
                Map.of("tenant", "a"),
                null,
                ActivityCancellationType.TRY_CANCEL,
                null);
    }

    // ── cranks ───────────────────────────────────────────────────────────────────────────────────────────────────────

    /** Bodies wait in {@link #held} until the test runs them. */
    public void holdBodies() {
        executor = held::add;
    }

    public void bodiesOn(Executor threads) {
        executor = threads;
    }

    /** Runs the body that was held first. */
    public void runHeld() {
        held.remove().run();
    }

    /** Cranks a step as the engine does: where the store does not answer, the next crank does the rest. */
    public static Duration crank(Step step) {
        try {
            return step.runOnce();
        } catch (StoreUnavailableException | CommitUnknownException e) {
            return AWAY;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Claims and runs until nothing is ready. */
    public void work() {
        Duration next = crank(worker);
        while (next.isZero()) {
            next = crank(worker);
        }
        store();
    }

    private List<JobUpdate.Outcome> update(List<JobUpdate> updates) {
        sent += updates.size();
        return store.update(updates);
    }

    /** Stores the reported ends. */
    public void store() {
        Duration next = crank(lane);
        while (next.isZero()) {
            next = crank(lane);
        }
    }

    /** Lets time pass, does the work that is due, and stores the reports. */
    public void pass(Duration time) {
        clock.advance(time);
        deadlines.runOnce();
        store();
    }

    /** At most one runs at once, and this process knows it. */
    public void limitToOne() {
        memory.change(new QueueChange(
                UUID.randomUUID(), "ann", new QueueChange.Limit(QUEUE, QueueLimits.of(l -> l.concurrency(1)))));
        queue.limitedWhere(() -> true);
    }

    /** How many jobs another process could begin now; it gives them back. */
    public int beginnable() {
        UUID other = UUID.randomUUID();
        memory.openSession(other, "another", LEASE);
        int count = memory.claimLimitedJobs(new JobClaim(other, QUEUE, Set.of(ACTIVITY), 10))
                .jobs()
                .size();
        memory.closeSession(other);
        return count;
    }

    /** The store does not answer for that many calls of a method. */
    public void away(String method, int calls) {
        for (int i = 0; i < calls; i++) {
            faulty.next(method, FaultyStore.Fault.UNAVAILABLE);
        }
    }

    // ── jobs ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    /** A workflow that waits for one activity. */
    public JobKey schedule(String argument) {
        return schedule(argument, (NewJob.Lease) null);
    }

    /** Schedules an activity whose options have a form that this release does not know. */
    JobKey scheduleUnreadable() {
        optionsJson = "{\"startToClose\":\"soon\"}";
        return schedule("[\"x\"]");
    }

    /** With its options as they stand in the store. */
    public JobKey schedule(String argument, String options) {
        optionsJson = options;
        JobKey key = schedule(argument);
        optionsJson = null;
        return key;
    }

    public JobKey schedule(String argument, NewJob.Lease eager) {
        Instant now = clock.now();
        String workflowId = "order-" + ++workflows;
        RunKey run = new RunKey(RunIds.create(now, workflowId, random.nextLong()), workflowId);
        memory.start(List.of(new NewRun(
                run,
                "OrderWorkflow",
                QUEUE,
                UUID.randomUUID(),
                new NewRun.FirstTurn(
                        true,
                        List.of(
                                new StoredEvent(
                                        1,
                                        "WorkflowStarted",
                                        now,
                                        null,
                                        "{\"input\":[\"" + MarkedLines.MARKER + "\"]}"),
                                new StoredEvent(2, "ActivityScheduled", now, null, "{\"seq\":1}")),
                        List.of(job(argument, now, eager)),
                        null,
                        Duration.ZERO,
                        null,
                        null,
                        null),
                new NewRun.Policies(ReusePolicy.ALLOW_DUPLICATE, ConflictPolicy.FAIL, List.of()),
                new NewRun.Deadlines(null, null),
                Map.of(),
                null,
                null)));
        return new JobKey(run, 1);
    }

    private NewJob job(String argument, Instant now, NewJob.Lease eager) {
        Duration toClose = options.scheduleToClose();
        return new NewJob(
                1,
                new JobRoute(activity, QUEUE, workflowType),
                0,
                new JobContent(
                        argument,
                        optionsJson == null ? OptionsJson.encode(options) : optionsJson,
                        "{\"tenant\":\"a\",\"trace\":\"" + MarkedLines.MARKER + "\"}"),
                new JobDeadlines(now, options.beginsBy(now), toClose == null ? null : now.plus(toClose)),
                options.retry().maxWorkerCrashes(),
                eager,
                null,
                Duration.ZERO);
    }

    /** Returns a job that was inserted already claimed, as its writer knows it. */
    public ClaimedJob claimed(JobKey key, NewJob.Lease lease) {
        return new ClaimedJob(
                key,
                new JobRoute(ACTIVITY, QUEUE, "OrderWorkflow"),
                lease.token(),
                1,
                0,
                new JobContent("[\"x\"]", OptionsJson.encode(options), "{}"),
                new JobDeadlines(clock.now(), null, null),
                null,
                null);
    }

    /** Sends a signal, which wakes the run. */
    public void signal(RunKey run) {
        memory.deliver(List.of(new Delivery(
                run.workflowId(),
                null,
                new InboxMessage(UUID.randomUUID(), MessageKind.SIGNAL, "wake", "[]", null, null))));
    }

    /** Schedules one and runs its first attempt. */
    public JobKey ran(Work work) {
        body = work;
        JobKey key = schedule("[\"x\"]");
        work();
        return key;
    }

    // ── outcomes ─────────────────────────────────────────────────────────────────────────────────────────────────────

    /** Returns the messages in the run's inbox. */
    public Optional<InboxMessage> inbox(JobKey key) {
        List<InboxMessage> messages =
                memory.messages(List.of(key.run()), 10).getOrDefault(key.run().runId(), List.of());
        return messages.stream()
                .filter(message -> message.kind() == MessageKind.ACTIVITY_OUTCOME)
                .findFirst();
    }

    /** The outcome in the run's inbox. */
    public HistoryEvent outcome(JobKey key) {
        InboxMessage message =
                inbox(key).orElseThrow(() -> new AssertionError("no outcome of " + key + ", but " + state(key)));
        return EventJson.decode(
                new StoredEvent(3, message.name(), clock.now(), message.messageId(), message.payload()));
    }

    /** Returns the events before the outcome. */
    public List<HistoryEvent> notes(JobKey key) {
        return EventJson.decodeNotes(inbox(key).orElseThrow().notes()).stream()
                .map(EventJson::decode)
                .toList();
    }

    /** Returns the job's state, its attempt and its details; "gone" when it ended. */
    public String state(JobKey key) {
        return memory.details(key.run().runId()).orElseThrow().jobs().stream()
                .findFirst()
                .map(job -> job.state() + " " + job.attempt()
                        + (job.heartbeatDetails() == null ? "" : " " + job.heartbeatDetails()))
                .orElse("gone");
    }

    public static ActivityContext context() {
        return ActivityContext.current();
    }

    private boolean offer(AttemptOutcome outcome) {
        return runIsCachedHere && taken.add(outcome);
    }

    private Optional<ActivityBinding> binding(String name) {
        try {
            Method method = Work.class.getMethod("run", String.class);
            method.setAccessible(true);
            MethodSpec spec = new MethodSpec(
                    ACTIVITY, method, List.of(String.class), Object.class, List.of(IllegalStateException.class));
            Work delegating = argument -> body.run(argument);
            return Set.of(ACTIVITY, TRANSACTIONAL).contains(name)
                    ? Optional.of(
                            new ActivityBinding(new ActivityMethod(ACTIVITY, List.of(), spec, options), delegating))
                    : Optional.empty();
        } catch (NoSuchMethodException e) {
            throw new AssertionError(e);
        }
    }
}
