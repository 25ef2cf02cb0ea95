package dev.durable.client;

import dev.durable.ActivityOptions;
import dev.durable.ConflictPolicy;
import dev.durable.ReusePolicy;
import dev.durable.StartOptions;
import dev.durable.WorkflowAlreadyStartedException;
import dev.durable.declare.ActivityMethod;
import dev.durable.history.ActivityScheduled;
import dev.durable.history.OptionsJson;
import dev.durable.history.Payload;
import dev.durable.history.WorkflowStarted;
import dev.durable.replay.BackgroundJob;
import dev.durable.store.NewRun;
import dev.durable.store.RunIds;
import dev.durable.store.RunKey;
import dev.durable.store.StartOutcome;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Starts runs, with what the policies say where one is open or was. */
final class Starts {
    private static final int TERMINATE_TRIES = 5;

    private final Dispatch dispatch;
    private final ClientCode code;

    Starts(Dispatch dispatch, ClientCode code) {
        this.dispatch = dispatch;
        this.code = code;
    }

    /** Gives the run that was started, or the open one where the policy says to use it. */
    UUID start(String type, String defaultQueue, StartOptions options, Payload input) {
        return start(
                options,
                () -> newRun(type, defaultQueue, options, code.random().get()),
                run -> dispatch.start(run, started(run, options, input)));
    }

    /**
     * The same for one activity. Its run's first fence is its run id: that is how a worker that ends the job can close the
     * run without having claimed it.
     */
    UUID enqueue(ActivityMethod activity, StartOptions options, Payload arguments) {
        Job job = job(activity, options, arguments);
        return start(options, job.runs(), job.send());
    }

    /** Sends it without waiting; of those whose id was used before, the first one counts. */
    CompletableFuture<StartOutcome> enqueueAsync(ActivityMethod activity, StartOptions options, Payload arguments) {
        Job job = job(activity, options, arguments);
        return job.send().apply(job.runs().get());
    }

    private record Job(Supplier<NewRun> runs, Function<NewRun, CompletableFuture<StartOutcome>> send) {}

    private Job job(ActivityMethod activity, StartOptions options, Payload arguments) {
        ActivityOptions resolved = new JobOptions(dispatch.store().clock().now(), options).over(activity.options());
        String queue = resolved.taskQueue() == null ? "default" : resolved.taskQueue();
        Payload input = new Payload("["
                + code.payloads()
                        .encode(activity.name(), String.class, "the activity's name")
                        .json()
                + "," + arguments.json() + "," + OptionsJson.encode(resolved) + "]");
        return new Job(() -> newRun(BackgroundJob.TYPE, queue, options, null), run -> {
            WorkflowStarted started = started(run, options, input);
            return run.startDelay().isZero()
                    ? dispatch.enqueue(
                            run,
                            started,
                            new ActivityScheduled(
                                    2,
                                    started.at(),
                                    BackgroundJob.SEQ,
                                    activity.name(),
                                    run.taskQueue(),
                                    arguments,
                                    resolved))
                    : dispatch.start(run, started);
        });
    }

    private UUID start(
            StartOptions options, Supplier<NewRun> runs, Function<NewRun, CompletableFuture<StartOutcome>> send) {
        for (int attempt = 1; ; attempt++) {
            NewRun run = runs.get();
            if (attempt == 1) {
                dispatch.askForRoom(run.taskQueue(), options.id());
            }
            StartOutcome outcome = Waiting.forAnswer(dispatch, send.apply(run), "start of " + options.id());
            switch (outcome) {
                case StartOutcome.Started ignored -> {
                    return run.run().runId();
                }
                case StartOutcome.Refused refused -> throw refused(options, refused);
                case StartOutcome.Locked ignored -> dispatch.breathe();
                case StartOutcome.AlreadyOpen open -> {
                    if (options.conflictPolicy() == ConflictPolicy.USE_EXISTING) {
                        return open.runId();
                    }
                    if (options.conflictPolicy() == ConflictPolicy.FAIL || attempt == TERMINATE_TRIES) {
                        throw alreadyOpen(options, open.runId());
                    }
                    if (dispatch.transaction().isPresent()) {
                        throw notUndone(options, open.runId());
                    }
                    new Endings(dispatch, code)
                            .terminate(options.id(), open.runId(), "replaced by a new start (TERMINATE_EXISTING)");
                }
            }
        }
    }

    /** The fence of null is the run id. */
    private NewRun newRun(String type, String defaultQueue, StartOptions options, @Nullable UUID fence) {
        Instant now = dispatch.store().clock().now();
        UUID random = code.random().get();
        RunKey key = new RunKey(RunIds.create(now, options.id(), random.getLeastSignificantBits()), options.id());
        String queue = options.taskQueue();
        return new NewRun(
                key,
                type,
                queue == null ? defaultQueue : queue,
                0,
                fence == null ? key.runId() : fence,
                List.of(),
                List.of(),
                null,
                options.startDelay(),
                false,
                options.reusePolicy(),
                options.conflictPolicy(),
                deadline(now.plus(options.startDelay()), options),
                options.expiresAt(),
                options.memo(),
                null);
    }

    private WorkflowStarted started(NewRun run, StartOptions options, Payload input) {
        return new WorkflowStarted(
                1,
                dispatch.store().clock().now(),
                run.run().workflowId(),
                run.run().runId(),
                run.type(),
                run.taskQueue(),
                input,
                0,
                run.deadline(),
                options.headers(),
                List.of());
    }

    private static @Nullable Instant deadline(Instant from, StartOptions options) {
        Duration run = options.runTimeout();
        Duration execution = options.executionTimeout();
        if (run == null || (execution != null && execution.compareTo(run) < 0)) {
            run = execution;
        }
        return run == null ? null : from.plus(run);
    }

    private static WorkflowAlreadyStartedException alreadyOpen(StartOptions options, UUID runId) {
        return new WorkflowAlreadyStartedException("workflow id " + options.id() + " has an open run, " + runId
                + ". Use another id, or conflictPolicy(USE_EXISTING) to get a handle of the open run,"
                + " or conflictPolicy(TERMINATE_EXISTING) to replace it.");
    }

    private static WorkflowAlreadyStartedException notUndone(StartOptions options, UUID runId) {
        return new WorkflowAlreadyStartedException("workflow id " + options.id() + " has an open run, " + runId
                + ", and TERMINATE_EXISTING inside an open transaction could not bring it back on rollback. Terminate it"
                + " after the commit, or start through client.independent().");
    }

    private static WorkflowAlreadyStartedException refused(StartOptions options, StartOutcome.Refused refused) {
        String why = options.reusePolicy() == ReusePolicy.REJECT_DUPLICATE
                ? "reusePolicy REJECT_DUPLICATE never allows another"
                : "reusePolicy ALLOW_DUPLICATE_FAILED_ONLY allows another only if it did not complete";
        return new WorkflowAlreadyStartedException("workflow id " + options.id() + " was used before: its latest run, "
                + refused.latestRunId() + ", is " + refused.latestStatus() + ", and " + why + ".");
    }
}
