package dev.durable.internal.engine;

import dev.durable.DurableException;
import dev.durable.NonDeterminismException;
import dev.durable.QueryFailedException;
import dev.durable.QueueFullException;
import dev.durable.StoreUnavailableException;
import dev.durable.client.WaitFor;
import dev.durable.client.WhyWaiting.CodeWait;
import dev.durable.history.ActivityScheduled;
import dev.durable.history.EnqueuedOptions;
import dev.durable.history.EventJson;
import dev.durable.history.Payload;
import dev.durable.history.WorkflowStarted;
import dev.durable.internal.attempt.ExternalAttempts;
import dev.durable.internal.attempt.LocalCalls;
import dev.durable.internal.client.access.CallDeadline;
import dev.durable.internal.client.access.ClientWaits;
import dev.durable.internal.client.access.Dispatch;
import dev.durable.internal.declare.WorkflowType;
import dev.durable.internal.dispatch.QueueDepthChecks;
import dev.durable.internal.drive.BlockedCallers;
import dev.durable.internal.drive.Drive;
import dev.durable.internal.drive.Jitter;
import dev.durable.internal.observe.FailureLog;
import dev.durable.internal.replay.match.Divergence;
import dev.durable.internal.run.EagerJobs;
import dev.durable.internal.run.HistoryReplay;
import dev.durable.internal.run.JobBirth;
import dev.durable.internal.run.JobHeaders;
import dev.durable.internal.run.LiveRun;
import dev.durable.internal.run.RunMail;
import dev.durable.internal.run.RunServices;
import dev.durable.internal.run.Runs;
import dev.durable.internal.text.Thrown;
import dev.durable.store.Delivery;
import dev.durable.store.HistoryStore;
import dev.durable.store.JobContent;
import dev.durable.store.JobOrder;
import dev.durable.store.Joined;
import dev.durable.store.NewJob;
import dev.durable.store.NewRun;
import dev.durable.store.OpenJob;
import dev.durable.store.Reply;
import dev.durable.store.RunKey;
import dev.durable.store.RunResult;
import dev.durable.store.StartOutcome;
import dev.durable.store.StreamPage;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Connects the client to the engine of its process: the store, the lanes, runs in memory, and waiting for results. */
final class EngineDispatch implements Dispatch {
    private static final int LOOKS_AT_INBOX = 100;

    /** The shortest time of a read: a caller that does not want to wait at all still gets an answer. */
    private static final Duration MOMENT = Duration.ofSeconds(1);

    /** How much longer a caller waits than the store, so that the store's refusal comes first, as it says more. */
    private static final Duration ROOM_FOR_REFUSALS = Duration.ofMillis(300);

    /** The methods of the store that write; a timeout of any other has changed nothing. */
    private static final Set<String> WRITES = Set.of("commit", "seize", "fork", "order", "pause", "change");

    private final RunServices host;
    private final Runs runs;
    private final ResultWaiters waiters;
    private final Drive drive;
    private final Calls calls;
    private final ExternalAttempts external;
    private final Use use;
    /** The store as it is used on behalf of callers. */
    private final HistoryStore asked;

    /**
     * The call for which this dispatch was made.
     *
     * @param transactions finds the transaction that calls take part in
     * @param deadline the deadline of that call; null where each wait of a call has a whole time of its own
     */
    private record Use(
            Supplier<Optional<Joined>> transactions,
            @Nullable CallDeadline deadline) {}

    /**
     * The rules by which calls of a client are accepted.
     *
     * @param runsHere whether this process runs the first turn of a start itself
     * @param depths whether queues have room for a start
     * @param timeout how long a call that writes waits for the database
     * @param mayWrite throws where the store belongs to another installation
     */
    record Calls(Predicate<NewRun> runsHere, QueueDepthChecks depths, Duration timeout, Runnable mayWrite) {}

    EngineDispatch(
            RunServices host, Runs runs, ResultWaiters waiters, Drive drive, Calls calls, ExternalAttempts external) {
        this(host, runs, waiters, drive, calls, external, new Use(host.store()::joined, null));
    }

    private EngineDispatch(
            RunServices host,
            Runs runs,
            ResultWaiters waiters,
            Drive drive,
            Calls calls,
            ExternalAttempts external,
            Use use) {
        this.external = external;
        this.host = host;
        this.runs = runs;
        this.waiters = waiters;
        this.drive = drive;
        this.calls = calls;
        this.use = use;
        this.asked = AskedStore.of(host.store(), drive, this::answerOfStore);
    }

    private EngineDispatch with(Use other) {
        return new EngineDispatch(host, runs, waiters, drive, calls, external, other);
    }

    @Override
    public HistoryStore store() {
        return asked;
    }

    @Override
    public Optional<Joined> transaction() {
        return use.transactions().get();
    }

    @Override
    public Dispatch within(Supplier<Optional<Joined>> others) {
        return with(new Use(others, use.deadline()));
    }

    @Override
    public Dispatch begun() {
        return use.deadline() == null ? with(new Use(use.transactions(), deadline())) : this;
    }

    @Override
    public Dispatch begun(Duration atMost) {
        Duration time = atMost.compareTo(MOMENT) < 0 ? MOMENT : atMost;
        return with(new Use(use.transactions(), deadline().butWithin(time)));
    }

    @Override
    public CallDeadline deadline() {
        CallDeadline begun = use.deadline();
        return begun == null
                ? CallDeadline.in(Jitter.bounded(calls.timeout()), host.store().clock()::nanoTime)
                : begun;
    }

    @Override
    public void askForRoom(String taskQueue, String what) {
        calls.depths().ask(taskQueue, what, patience());
    }

    @Override
    public int takeRoom(String taskQueue, int most) {
        return calls.depths().take(taskQueue, most, patience());
    }

    /**
     * Returns how long a caller waits for a reading of a queue; null inside a transaction, where it would wait for a
     * second connection.
     */
    private QueueDepthChecks.@Nullable Patience patience() {
        return transaction().isPresent() ? null : deadline()::left;
    }

    @Override
    public QueueFullException full(String taskQueue, String what) {
        return calls.depths().full(taskQueue, what);
    }

    @Override
    public CompletableFuture<?> until(Predicate<HistoryStore> condition) {
        return waiters.until(() -> condition.test(host.store()));
    }

    @Override
    public CompletableFuture<StartOutcome> start(NewRun run, WorkflowStarted started) {
        calls.mayWrite().run();
        NewRun whole = run.withStarted(EventJson.encode(started));
        Optional<Joined> transaction = transaction();
        if (transaction.isPresent()) {
            return CompletableFuture.completedFuture(transaction.get().start(whole));
        }
        if (run.message() != null || !calls.runsHere().test(run)) {
            return host.lanes().starts().offer(whole).whenComplete((outcome, error) -> lookAfterDelay(run, outcome));
        }
        CompletableFuture<StartOutcome> answer = new CompletableFuture<>();
        runs.actor(run.run()).post(new RunMail.Start(new RunMail.StartRequest(whole, started), answer));
        return answer;
    }

    /**
     * Has this process, if it is a worker, poll at the end of the start's delay, which no nudge announces, so that the
     * run does not wait for the next poll.
     */
    private void lookAfterDelay(NewRun run, @Nullable StartOutcome outcome) {
        if (outcome instanceof StartOutcome.Started && !run.firstTurn().delay().isZero()) {
            host.outside().due(host.store().clock().now().plus(run.firstTurn().delay()));
        }
    }

    @Override
    public CompletableFuture<StartOutcome> enqueue(
            NewRun run, WorkflowStarted started, ActivityScheduled scheduled, @Nullable EnqueuedOptions chosen) {
        calls.mayWrite().run();
        Optional<Joined> transaction = transaction();
        JobBirth birth = new JobBirth(
                run.run(),
                run.type(),
                JobHeaders.of(started.headers(), host.code().headersJson()),
                // A job of a batch does not begin before jobs in front of it that are in the queue already.
                transaction.isEmpty() && run.place() == null ? host.outside().eager() : EagerJobs.NONE,
                null);
        NewJob job = birth.of(scheduled, run.firstTurn().delay(), chosen);
        NewRun whole = run.withFirstTurn(
                List.of(EventJson.encode(started), EventJson.encode(scheduled)), List.of(job), null, null, null);
        if (transaction.isPresent()) {
            return CompletableFuture.completedFuture(transaction.get().start(whole));
        }
        return host.lanes().starts().offer(whole).whenComplete((outcome, error) -> {
            if (outcome instanceof StartOutcome.Started) {
                birth.start(job);
            } else {
                birth.cancel(job);
            }
        });
    }

    @Override
    public NewJob scheduledAgain(
            RunKey fork,
            String workflowType,
            Map<String, String> headers,
            ActivityScheduled scheduled,
            String idempotencyKey) {
        Map<String, String> all = new HashMap<>(headers);
        all.put(JobContent.IDEMPOTENCY_KEY, idempotencyKey);
        JobHeaders withKey = JobHeaders.of(all, host.code().headersJson());
        return new JobBirth(fork, workflowType, withKey, EagerJobs.NONE, null).of(scheduled, Duration.ZERO, null);
    }

    @Override
    public CompletableFuture<Delivery.Outcome> deliver(Delivery delivery) {
        calls.mayWrite().run();
        return host.lanes().deliveries().offer(delivery);
    }

    @Override
    public CompletableFuture<RunResult> result(UUID runId) {
        return waiters.result(runId);
    }

    @Override
    public CompletableFuture<Reply.State> reply(Reply.Question update, WaitFor stage) {
        return waiters.updates().state(update, stage);
    }

    @Override
    public CompletableFuture<StreamPage> entries(StreamPage.Question question, @Nullable UUID openRun) {
        return waiters.streams().page(question, openRun);
    }

    @Override
    public Payload ask(RunKey run, String workflowType, String query, Payload arguments) {
        letItReadItsInbox(run);
        Optional<Payload> answer = runs.cached(run.runId()).flatMap(actor -> {
            CompletableFuture<Optional<Payload>> cached = new CompletableFuture<>();
            actor.post(new RunMail.Ask(query, arguments, cached));
            return ClientWaits.forAnswer(this, cached, "query " + query + " of " + run.shown());
        });
        return answer.isPresent() ? answer.get() : replayAndAsk(run, workflowType, query, arguments);
    }

    /**
     * Waits until a worker has read the messages of the run, so that a query sees the signals that this client sent
     * before; not where no worker may read them for now.
     */
    private void letItReadItsInbox(RunKey run) {
        for (int i = 0; i < LOOKS_AT_INBOX && !asked.messages(List.of(run), 1).isEmpty(); i++) {
            if (i == 1 && rests(run)) {
                return;
            }
            drive.breathe();
        }
    }

    /** Returns whether no worker may claim the run: it is paused, has stalled, or is an attempt in its back-off. */
    private boolean rests(RunKey run) {
        return asked.views()
                .details(run.runId())
                .filter(details -> details.paused()
                        || details.stalledBy() != null
                        || (details.run().links().attempt() > 1
                                && details.historyLength() == 1
                                && details.wakeAt() != null
                                && details.wakeAt().isAfter(asked.clock().now())))
                .isPresent();
    }

    private Payload replayAndAsk(RunKey run, String workflowType, String query, Payload arguments) {
        WorkflowType type = host.code()
                .registry()
                .workflow(workflowType)
                .orElseThrow(() -> new QueryFailedException("query " + query + " of " + run.shown()
                        + ": queries replay the run in the caller's process, and workflow type " + workflowType
                        + " is not registered here. Register its class with this engine."));
        LiveRun live = host.newInstance(run, type, LocalCalls.IGNORING);
        try {
            HistoryReplay.from(asked, run.runId(), live, () -> false);
            return live.instance().query(query, arguments);
        } catch (Divergence e) {
            throw told(e, run, query);
        } finally {
            live.instance().evict();
        }
    }

    /** Names the builds where the query was replayed by another one than that which made the run's last turn. */
    private NonDeterminismException told(Divergence divergence, RunKey run, String query) {
        NonDeterminismException told = divergence.told();
        String own = host.code().build();
        String last = asked.views()
                .details(run.runId())
                .map(details -> details.run().build())
                .orElse(null);
        if (last == null || last.equals(own)) {
            return told;
        }
        NonDeterminismException named = new NonDeterminismException(
                "query " + query + " of " + run.shown() + " was replayed in this process, which "
                        + (own == null ? "names no build" : "has build \"" + own + "\"")
                        + ", and build \"" + last + "\" has made the run's last turn: ask in a process of that build.\n"
                        + told.getMessage(),
                told.getCause());
        named.setStackTrace(told.getStackTrace());
        return named;
    }

    @Override
    public List<CodeWait> waits(RunKey run, String workflowType) {
        return host.code()
                .registry()
                .workflow(workflowType)
                .map(type -> replayed(run, type))
                .orElse(List.of());
    }

    private List<CodeWait> replayed(RunKey run, WorkflowType type) {
        LiveRun live = host.newInstance(run, type, LocalCalls.IGNORING);
        try {
            HistoryReplay replay = HistoryReplay.from(asked, run.runId(), live, () -> false);
            return replay.firstTurn() != null
                    ? List.of()
                    : live.instance().waits().stream()
                            .map(wait -> new CodeWait(wait.coroutine(), wait.what(), wait.since(), wait.line()))
                            .toList();
        } catch (StoreUnavailableException e) {
            throw e;
        } catch (RuntimeException e) {
            // The code does not fit the history, which is shown as the stall of the run.
            return List.of();
        } finally {
            live.instance().evict();
        }
    }

    @Override
    public JobOrder afterFailure(OpenJob job, Throwable failure, UUID id, Consumer<Runnable> logs) {
        ExternalAttempts.Judged judged = external.failed(job, failure, id);
        logs.accept(judged.log());
        return judged.order();
    }

    @Override
    public void seized(RunKey run) {
        runs.seized(run.runId());
        runs.telemetry()
                .failures()
                .failed(
                        FailureLog.Kind.TERMINATION,
                        FailureLog.Subject.of(run),
                        "terminated",
                        "workflow " + run + " was terminated by a call in this process",
                        null);
    }

    @Override
    public void breathe() {
        drive.breathe();
    }

    @Override
    public void promised(CompletableFuture<?> result) {
        drive.promised(result);
    }

    @Override
    public <T extends @Nullable Object> T await(CompletableFuture<T> future, @Nullable Duration timeout)
            throws TimeoutException {
        try {
            return drive.await(future, timeout);
        } catch (InterruptedException e) {
            // The caller waits no longer: an item that no batch has taken is withdrawn, and a result is not polled for.
            future.cancel(false);
            throw BlockedCallers.interrupted(e);
        } catch (ExecutionException e) {
            Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
            throw cause instanceof DurableException durable
                    ? durable
                    : new CompletionException(Thrown.of(cause).text(), cause);
        }
    }

    /** Returns the store's answer or throws its exception, with the stack frames of the caller. */
    private @Nullable Object answerOfStore(CompletableFuture<@Nullable Object> answer, String what) throws Throwable {
        CallDeadline deadline = deadline();
        try {
            // No wait for an answer that is there, as the clock of a test kit would not move. The wait is longer than
            // the store's own, whose refusal says more.
            return answer.isDone()
                    ? answer.get()
                    : drive.await(answer, deadline.left().plus(ROOM_FOR_REFUSALS));
        } catch (TimeoutException e) {
            answer.cancel(false);
            throw new StoreUnavailableException("the database has not answered a call (" + asWords(what) + ") for "
                    + deadline.whole().toSeconds()
                    + " s, which is as long as a call waits (callTimeout). "
                    + (WRITES.contains(what) ? "What was sent may still happen." : "Nothing was changed by this call.")
                    + " Usually the database is away or overloaded, or all connections of the pool are in use, which"
                    + " the log says. Try again later.");
        } catch (InterruptedException e) {
            answer.cancel(false);
            throw BlockedCallers.interrupted(e);
        } catch (ExecutionException e) {
            throw withCaller(Objects.requireNonNullElse(e.getCause(), e));
        }
    }

    /** The name of a method of the store as people read it: {@code latestRun} is "latest run". */
    private static String asWords(String method) {
        return method.replaceAll("(?=[A-Z])", " ").toLowerCase(Locale.ROOT);
    }

    /**
     * Adds the frames of the calling thread: the exception was thrown on a thread whose stack shows nothing of the
     * application.
     */
    private static Throwable withCaller(Throwable thrown) {
        StackTraceElement[] there = Thrown.of(thrown).stack();
        StackTraceElement[] here = new Throwable().getStackTrace();
        StackTraceElement[] both = Arrays.copyOf(there, there.length + here.length);
        System.arraycopy(here, 0, both, there.length, here.length);
        Thrown.quietly(() -> thrown.setStackTrace(both));
        return thrown;
    }
}
