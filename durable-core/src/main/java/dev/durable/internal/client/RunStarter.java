package dev.durable.internal.client;

import dev.durable.ActivityOptions;
import dev.durable.ConflictPolicy;
import dev.durable.QueueFullException;
import dev.durable.RefusedInputException;
import dev.durable.RetryPolicy;
import dev.durable.ReusePolicy;
import dev.durable.client.StartOptions;
import dev.durable.history.ActivityScheduled;
import dev.durable.history.EnqueuedOptions;
import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.history.OptionsJson;
import dev.durable.history.Payload;
import dev.durable.history.RunAttempt;
import dev.durable.history.UpdateAccepted;
import dev.durable.history.WorkflowStarted;
import dev.durable.intercept.StartCall;
import dev.durable.internal.client.access.ClientCode;
import dev.durable.internal.client.access.ClientWaits;
import dev.durable.internal.client.access.Dispatch;
import dev.durable.internal.client.access.Messages;
import dev.durable.internal.client.access.WorkflowCode;
import dev.durable.internal.declare.ActivityMethod;
import dev.durable.internal.declare.WorkflowRetry;
import dev.durable.internal.declare.WorkflowType;
import dev.durable.internal.intercept.StartedThing;
import dev.durable.internal.json.JsonObjectWriter;
import dev.durable.internal.replay.BackgroundJob;
import dev.durable.internal.text.Bounds;
import dev.durable.store.BatchPlace;
import dev.durable.store.Delivery;
import dev.durable.store.NewRun;
import dev.durable.store.RunIds;
import dev.durable.store.RunKey;
import dev.durable.store.StartOutcome;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Starts runs under the conflict and reuse policies of {@link StartOptions}. */
final class RunStarter {
    private static final int TERMINATE_TRIES = 5;

    private final Dispatch dispatch;
    private final ClientCode code;
    private final DebounceLine debounced = new DebounceLine();

    RunStarter(Dispatch dispatch, ClientCode code) {
        this.dispatch = dispatch;
        this.code = code;
    }

    /**
     * The workflow type to start.
     *
     * @param type the name of the type
     * @param formerTypes other names under which an open run is of this type
     * @param defaultQueue its queue, where the options name none
     * @param retry its retry policy, over which the options go; null where it has none
     */
    record Target(
            String type,
            List<String> formerTypes,
            String defaultQueue,
            @Nullable RetryPolicy retry) {
        static Target of(WorkflowType workflow) {
            return new Target(workflow.name(), workflow.aliases(), workflow.taskQueue(), workflow.retry());
        }

        /** Returns whether a run of this type is one of the target. */
        boolean is(String other) {
            return other.equals(type) || formerTypes.contains(other);
        }
    }

    /** Returns the checked options of a workflow's start, with an id where they have none. */
    StartOptions identified(StartOptions asked) {
        return Bounds.start(
                "workflow",
                asked.generatesId()
                        ? asked.withId(
                                RunIds.inTimeOrder(now(), code.random().get()).toString())
                        : asked);
    }

    /** Returns the options of a job or batch, with an id that begins with a name where they have none. */
    StartOptions identified(StartOptions asked, String name) {
        return asked.generatesId() ? asked.withId(name + "-" + code.random().get()) : asked;
    }

    /** Starts a run; returns its id, or that of the open run where the conflict policy says to use it. */
    UUID start(Target target, StartOptions asked, Payload input) {
        WorkflowCode.mayNot("client.start(…)", "start " + asked.id() + " again");
        return Objects.requireNonNull(code.interception()
                .start(
                        new StartedThing(StartCall.Kind.WORKFLOW, target.type(), target.defaultQueue(), null),
                        asked,
                        options -> options.debounce() == null
                                ? start(
                                        options,
                                        List.of(),
                                        () -> newRun(
                                                target, options, code.random().get(), null),
                                        run -> send(target, run, options, input))
                                : debounced(target, options, input)));
    }

    private UUID debounced(Target target, StartOptions asked, Payload input) {
        Dispatch call = dispatch.begun();
        RunStarter starter = new RunStarter(call, code);
        // What can't be debounced is refused here, before it waits.
        DebouncedStart start = starter.debouncedStart(target, asked, input);
        DebounceLine.Line line =
                new DebounceLine.Line(asked.id(), target.type(), asked.conflictPolicy(), asked.reusePolicy());
        return debounced.start(call, line, () -> starter.debouncedAlone(target, asked, input, start));
    }

    private DebouncedStart debouncedStart(Target target, StartOptions asked, Payload input) {
        return new DebouncedStart(dispatch, asked, delay -> {
            StartOptions options = asked.startDelay(delay);
            // By this fence another start knows that no worker has claimed the run.
            NewRun run = newRun(target, options, null, null);
            return new DebouncedStart.Start(
                    run, started(run, options, input, now()).withAttempt(firstAttempt(target, options)));
        });
    }

    private UUID debouncedAlone(Target target, StartOptions asked, Payload input, DebouncedStart start) {
        Duration delay = start.delay();
        StartOptions options = asked.startDelay(delay);
        return Objects.requireNonNull(start(
                options,
                List.of(),
                () -> newRun(target, options, null, null),
                run -> send(target, run, options, input),
                start::replace));
    }

    /**
     * Returns the run that took the signal: the open one, or the one that was started with it. Returns null where that
     * is known only after the commit of the caller's transaction.
     */
    @Nullable
    UUID signalWithStart(Target target, StartOptions asked, Payload input, String signal, Payload arguments) {
        WorkflowCode.mayNot("client.signalWithStart(…)", "send the signal to " + asked.id() + " again");
        DebouncedStart.refuse(asked, "signalWithStart");
        InboxMessage message =
                new InboxMessage(code.random().get(), MessageKind.SIGNAL, signal, arguments.json(), null, null);
        return withMessage(StartCall.Kind.SIGNAL_WITH_START, target, asked, input, message, () -> null);
    }

    /**
     * Returns the run that has the update: the open one, or the one that was started with it.
     *
     * @param answered the run that has answered the update, if any; asked again each time before the start is tried again,
     *     as an open run that took no message any more may have answered it before it closed
     */
    UUID updateWithStart(
            Target target,
            StartOptions asked,
            Payload input,
            UpdateAccepted update,
            Supplier<@Nullable UUID> answered) {
        DebouncedStart.refuse(asked, "updateWithStart");
        return Objects.requireNonNull(
                withMessage(StartCall.Kind.UPDATE_WITH_START, target, asked, input, Messages.update(update), answered));
    }

    /** Starts a run with a message, whose one id serves all tries: whichever of them is written, it is one message. */
    private @Nullable UUID withMessage(
            StartCall.Kind kind,
            Target target,
            StartOptions asked,
            Payload input,
            InboxMessage message,
            Supplier<@Nullable UUID> answered) {
        StartOptions using = asked.conflictPolicy() == ConflictPolicy.FAIL
                ? asked.conflictPolicy(ConflictPolicy.USE_EXISTING)
                : asked;
        return code.interception()
                .start(
                        new StartedThing(kind, target.type(), target.defaultQueue(), message.name()),
                        using,
                        options -> start(
                                options,
                                List.of(),
                                () -> newRun(target, options, code.random().get(), message),
                                new Function<>() {
                                    private boolean again;

                                    @Override
                                    public CompletableFuture<StartOutcome> apply(NewRun run) {
                                        UUID by = again && options.conflictPolicy() == ConflictPolicy.USE_EXISTING
                                                ? answered.get()
                                                : null;
                                        again = true;
                                        return by == null
                                                ? send(target, run, options, input)
                                                : CompletableFuture.completedFuture(new StartOutcome.AlreadyOpen(
                                                        by, run.type(), Delivery.Outcome.ACCEPTED));
                                    }
                                }));
    }

    private CompletableFuture<StartOutcome> send(Target target, NewRun run, StartOptions options, Payload input) {
        if (options.choosesForActivity()) {
            throw new IllegalArgumentException("start of " + options.id() + ": activity(o -> …) is for background jobs,"
                    + " which client.enqueue(…) starts. A workflow chooses options where it calls an activity:"
                    + " Durable.activities(Payments.class, o -> …).");
        }
        if (options.priority() != null) {
            throw new IllegalArgumentException("start of " + options.id() + ": priority(" + options.priority()
                    + ") is for background jobs, which client.enqueue(…) starts: workflows have none of their own. Give the"
                    + " activities that the workflow calls one: @Activity(priority = …), or"
                    + " Durable.activities(Payments.class, o -> o.priority(…)).");
        }
        return dispatch.start(run, started(run, options, input, now()).withAttempt(firstAttempt(target, options)));
    }

    /**
     * Starts a background job, a run of one activity. The run's first fence is its run id, so that a worker that ends
     * the job can close the run without having claimed it.
     */
    UUID enqueue(ActivityMethod activity, StartOptions asked, Payload arguments) {
        WorkflowCode.mayNot("client.enqueue(…)", "enqueue " + asked.id() + " again");
        DebouncedStart.refuse(asked, "enqueue");
        JobCall call = JobCall.of(activity, asked, arguments, now());
        return Objects.requireNonNull(code.interception()
                .start(
                        new StartedThing(StartCall.Kind.JOB, activity.name(), call.taskQueue(), null),
                        asked,
                        options -> {
                            Job job = job(call, options, null);
                            return start(options, activity.names(), job.runs(), job.send());
                        }));
    }

    /** Starts a background job whose activity is known by its name only. */
    void enqueue(JobCall call, StartOptions options) {
        WorkflowCode.mayNot("batch.onCompletion(…)", "enqueue " + options.id() + " again");
        Job job = job(call, options, null);
        start(options, List.of(call.activity()), job.runs(), job.send());
    }

    /** Starts a background job at its place in a batch, without waiting for the answer. */
    CompletableFuture<StartOutcome> enqueueAsync(JobCall call, StartOptions options, BatchPlace place) {
        Job job = job(call, options, place);
        return job.send().apply(job.runs().get());
    }

    /**
     * Starts a job anew that has ended: a new run with its id and its place in a batch. Its arguments and the options
     * chosen for it are the recorded ones, except its expiry, which has passed.
     */
    UUID enqueueAgain(StartOptions options, WorkflowStarted ended) {
        RunKey run = new RunKey(ended.runId(), ended.workflowId());
        Job job = again(
                options,
                ended,
                JobBatch.placesOf(dispatch.store(), List.of(run)).get(run));
        return Objects.requireNonNull(start(options, List.of(), job.runs(), job.send()));
    }

    /**
     * Starts a job anew that has ended, without waiting for the answer; it is refused where another run has used the id
     * since.
     */
    CompletableFuture<StartOutcome> enqueueAgainAsync(
            StartOptions options, WorkflowStarted ended, @Nullable BatchPlace place) {
        Job job = again(options, ended, place);
        NewRun run = job.runs().get();
        askForRoom(dispatch.begun(), run);
        return job.send().apply(run);
    }

    /**
     * Returns the options for a job that has ended: they refuse the start where another run of its id is open or has
     * completed.
     */
    static StartOptions again(WorkflowStarted ended) {
        StartOptions options = StartOptions.id(ended.workflowId())
                .reusePolicy(ReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY)
                .taskQueue(ended.taskQueue());
        for (Map.Entry<String, String> header : ended.headers().entrySet()) {
            options = options.header(header.getKey(), header.getValue());
        }
        Instant deadline = ended.runDeadline();
        return deadline == null || !deadline.isAfter(ended.at())
                ? options
                : options.runTimeout(Duration.between(ended.at(), deadline));
    }

    private Job again(StartOptions options, WorkflowStarted ended, @Nullable BatchPlace place) {
        @Nullable
        Object[] call = code.payloads()
                .decodeArguments(
                        code.registry()
                                .workflowOf(BackgroundJob.class)
                                .methods()
                                .run(),
                        ended.input());
        String activity = (String) Objects.requireNonNull(call[0]);
        Payload arguments = (Payload) Objects.requireNonNull(call[1]);
        String recorded = ((Payload) Objects.requireNonNull(call[2])).json();
        ActivityOptions resolved = OptionsJson.decode(recorded).withExpiry(null);
        EnqueuedOptions chosen = EnqueuedOptions.of(recorded).orElse(null);
        return job(new JobCall(activity, arguments, resolved, chosen, now()), options, place);
    }

    Instant now() {
        return dispatch.store().clock().now();
    }

    private record Job(Supplier<NewRun> runs, Function<NewRun, CompletableFuture<StartOutcome>> send) {}

    private Job job(JobCall call, StartOptions options, @Nullable BatchPlace place) {
        if (options.versioning() != null || options.pinnedTo() != null) {
            throw new RefusedInputException("enqueue of " + options.id() + ": versioning(…) and pinnedTo(…) are for"
                    + " workflows, which client.start(…) starts. A background job has no workflow code: any worker that"
                    + " implements its activity begins it.");
        }
        ActivityOptions resolved = call.options();
        Payload input = new Payload(JsonObjectWriter.array(List.of(
                JsonObjectWriter.quote(call.activity()), call.arguments().json(), call.optionsJson())));
        Target target = new Target(BackgroundJob.TYPE, List.of(), call.taskQueue(), null);
        return new Job(() -> newRun(target, options, null, null).at(place), run -> {
            WorkflowStarted started = started(run, options, input, call.at());
            return dispatch.enqueue(
                    run,
                    started,
                    new ActivityScheduled(
                            2,
                            started.at(),
                            BackgroundJob.SEQ,
                            call.activity(),
                            run.taskQueue(),
                            call.arguments(),
                            resolved),
                    call.chosen());
        });
    }

    private @Nullable UUID start(
            StartOptions options,
            List<String> activity,
            Supplier<NewRun> runs,
            Function<NewRun, CompletableFuture<StartOutcome>> send) {
        return start(options, activity, runs, send, (call, open) -> DebouncedStart.Outcome.LEFT);
    }

    /** @param replace puts the start in place of the one that the open run waits with */
    private @Nullable UUID start(
            StartOptions options,
            List<String> activity,
            Supplier<NewRun> runs,
            Function<NewRun, CompletableFuture<StartOutcome>> send,
            BiFunction<Dispatch, StartOutcome.AlreadyOpen, DebouncedStart.Outcome> replace) {
        Dispatch call = dispatch.begun();
        for (int attempt = 1; ; attempt++) {
            NewRun run = runs.get();
            if (attempt == 1) {
                askForRoom(call, run);
            }
            StartOutcome outcome = ClientWaits.forAnswer(call, send.apply(run), "start of " + options.id());
            switch (outcome) {
                case StartOutcome.Started ignored -> {
                    return run.run().runId();
                }
                case StartOutcome.Refused refused -> throw StartRefusals.refused(options, refused);
                case StartOutcome.Locked ignored -> dispatch.breathe();
                case StartOutcome.AlreadyOpen open -> {
                    DebouncedStart.Outcome replaced =
                            run.isOfType(open.type()) ? replace.apply(call, open) : DebouncedStart.Outcome.LEFT;
                    switch (replaced) {
                        case REPLACED -> {
                            return open.runId();
                        }
                        case AGAIN -> {
                            dispatch.breathe();
                            continue;
                        }
                        case LEFT -> {}
                    }
                    switch (options.conflictPolicy()) {
                        case FAIL -> throw StartRefusals.alreadyOpen(options, open);
                        case USE_EXISTING -> {
                            if (isUsed(run, activity, open, attempt)) {
                                boolean seenLater = run.message() != null
                                        && dispatch.transaction().isPresent();
                                return seenLater ? null : open.runId();
                            }
                            dispatch.breathe();
                        }
                        case TERMINATE_EXISTING -> terminate(call, options, open, attempt);
                    }
                }
            }
        }
    }

    private void terminate(Dispatch call, StartOptions options, StartOutcome.AlreadyOpen open, int attempt) {
        if (attempt == TERMINATE_TRIES) {
            throw StartRefusals.alreadyOpen(options, open);
        }
        if (dispatch.transaction().isPresent()) {
            throw StartRefusals.notUndone(options, open.runId());
        }
        new Endings(call, code, null)
                .terminate(options.id(), open.runId(), "replaced by a new start (TERMINATE_EXISTING)");
    }

    /**
     * Counts the start against the room of its queue. A signal for an open run needs no room; inside a caller's
     * transaction no room is asked for at all where a signal goes with the start, as the look for an open run would
     * need a second connection of the caller's pool.
     */
    private static void askForRoom(Dispatch call, NewRun run) {
        boolean tells = run.tellsOpenRuns();
        if (tells && call.transaction().isPresent()) {
            return;
        }
        String id = run.run().workflowId();
        try {
            call.askForRoom(run.taskQueue(), id);
        } catch (QueueFullException e) {
            boolean open = tells
                    && call.store()
                            .latestRun(id)
                            .filter(latest -> !latest.status().closed())
                            .isPresent();
            if (!open) {
                throw e;
            }
        }
    }

    /**
     * Returns whether the caller gets the open run; if not, the start is to be tried again.
     *
     * @param activity the names of a background job's activity
     */
    private static boolean isUsed(NewRun run, List<String> activity, StartOutcome.AlreadyOpen open, int attempt) {
        if (!run.isOfType(open.type())) {
            throw StartRefusals.ofOtherType(run, open);
        }
        if (open.activity() != null && !activity.contains(open.activity())) {
            throw StartRefusals.ofOtherActivity(run, activity, open);
        }
        InboxMessage message = run.message();
        if (message == null) {
            return true;
        }
        String id = run.run().workflowId();
        Delivery.Outcome told = open.message();
        return switch (told) {
            case ACCEPTED -> true;
            case INBOX_FULL, INBOX_TOO_LARGE -> throw Messages.inboxFull(id, message, told);
            case null -> mayBeSentAgain(id, message, attempt);
            case NOT_FOUND, CLOSING, LOCKED -> mayBeSentAgain(id, message, attempt);
        };
    }

    /** Gives false: the open run has not taken the message, and the start is to be tried again. */
    private static boolean mayBeSentAgain(String id, InboxMessage message, int attempt) {
        if (attempt >= Messages.TRIES_WHILE_CLOSING) {
            throw Messages.closing(id, message);
        }
        return false;
    }

    /** Builds the run to insert; a fence of null stands for the run id. */
    private NewRun newRun(Target target, StartOptions options, @Nullable UUID fence, @Nullable InboxMessage message) {
        Instant now = now();
        Instant expiresAt = options.expiresAt();
        if (expiresAt != null && !expiresAt.isAfter(now)) {
            throw new RefusedInputException(options.id() + " expires at " + expiresAt + ", which has passed: it is "
                    + now + " by the store's clock, so it would never begin. Let it expire later, or leave it out.");
        }
        UUID random = code.random().get();
        RunKey key = new RunKey(RunIds.create(now, options.id(), random.getLeastSignificantBits()), options.id());
        String queue = options.taskQueue();
        return new NewRun(
                key,
                target.type(),
                queue == null ? target.defaultQueue() : queue,
                fence == null ? key.runId() : fence,
                NewRun.FirstTurn.later(List.of(), options.startDelay()).pinnedTo(options.pinnedTo()),
                new NewRun.Policies(options.reusePolicy(), options.conflictPolicy(), target.formerTypes()),
                new NewRun.Deadlines(deadline(now.plus(options.startDelay()), options), options.expiresAt()),
                options.memo(),
                message,
                null);
    }

    private WorkflowStarted started(NewRun run, StartOptions options, Payload input, Instant at) {
        String caller = options.by();
        return new WorkflowStarted(
                        1,
                        at,
                        run.run().workflowId(),
                        run.run().runId(),
                        run.type(),
                        run.taskQueue(),
                        input,
                        0,
                        run.deadlines().timesOutAt(),
                        options.headers(),
                        false,
                        null,
                        null,
                        options.runTimeout(),
                        executionDeadline(at, options),
                        null,
                        null,
                        null)
                .withStartDelay(options.startDelay())
                .withStartedBy(caller == null ? code.identity() : caller)
                .withVersioning(options.versioning());
    }

    /** Returns the first attempt under the retry policy; null where there is none. */
    private static @Nullable RunAttempt firstAttempt(Target target, StartOptions options) {
        try {
            RetryPolicy policy = WorkflowRetry.of(target.retry(), options.retry());
            return policy == null ? null : new RunAttempt(1, policy, null);
        } catch (IllegalArgumentException e) {
            throw new RefusedInputException("start of " + options.id() + ": " + e.getMessage(), e);
        }
    }

    private static @Nullable Instant executionDeadline(Instant at, StartOptions options) {
        Duration execution = options.executionTimeout();
        return execution == null ? null : at.plus(options.startDelay()).plus(execution);
    }

    /**
     * Returns the deadline of the run, which is computed here rather than by the statement that inserts the run. The
     * deadline is a fact of the history too ({@link WorkflowStarted#runDeadline}), whose JSON the client writes: a
     * deadline that the database computed would differ from the one in history, exports and the relay of deferred
     * starts. So it is as exact as this process knows the time of the database, within a second; from then on only the
     * database's clock decides.
     */
    private static @Nullable Instant deadline(Instant from, StartOptions options) {
        Duration run = options.runTimeout();
        Duration execution = options.executionTimeout();
        if (run == null || (execution != null && execution.compareTo(run) < 0)) {
            run = execution;
        }
        return run == null ? null : from.plus(run);
    }
}
