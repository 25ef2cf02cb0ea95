package dev.durable.internal.client;

import dev.durable.Activity;
import dev.durable.ConflictPolicy;
import dev.durable.RefusedInputException;
import dev.durable.ReusePolicy;
import dev.durable.VoidCall;
import dev.durable.WorkflowAlreadyStartedException;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.ActivityControl;
import dev.durable.client.ActivityHandle;
import dev.durable.client.BatchCall;
import dev.durable.client.BatchHandle;
import dev.durable.client.DurableClient;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowQuery;
import dev.durable.client.WorkflowVerbs;
import dev.durable.history.Payload;
import dev.durable.history.StoredEvent;
import dev.durable.intercept.StartCall;
import dev.durable.internal.client.access.ClientCode;
import dev.durable.internal.client.access.Dispatch;
import dev.durable.internal.client.access.FilterBuilder;
import dev.durable.internal.client.access.Listing;
import dev.durable.internal.client.access.WorkflowCode;
import dev.durable.internal.client.operate.Operations;
import dev.durable.internal.client.operate.StoreActivityControl;
import dev.durable.internal.declare.ActivityMethod;
import dev.durable.internal.declare.Recorded;
import dev.durable.internal.declare.Recorder;
import dev.durable.internal.declare.WorkflowType;
import dev.durable.internal.declare.object.CallKind;
import dev.durable.internal.intercept.StartedThing;
import dev.durable.internal.replay.BackgroundJob;
import dev.durable.internal.text.Bounds;
import dev.durable.store.JobFilter;
import dev.durable.store.JobStart;
import dev.durable.store.RunFilter;
import dev.durable.store.RunRecord;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Enqueues and finds background jobs and their batches: the part of {@link DurableClient} for activities without a workflow. */
final class JobClient {
    private final DurableClient client;
    private final Dispatch dispatch;
    private final ClientCode code;
    private final RunStarter starts;
    private final Operations operations;

    JobClient(DurableClient client, Dispatch dispatch, ClientCode code, RunStarter starts, Operations operations) {
        this.client = client;
        this.dispatch = dispatch;
        this.code = code;
        this.starts = starts;
        this.operations = operations;
    }

    DurableClient client() {
        return client;
    }

    <A> ActivityHandle enqueue(Class<A> type, VoidCall<A> call) {
        return enqueue(type, StartOptions.generatedId(), call);
    }

    <A> ActivityHandle enqueue(Class<A> type, StartOptions options, VoidCall<A> call) {
        checkDeclares(type);
        Recorded recorded = Recorder.record(type, call, CallKind.ACTIVITY);
        return enqueue(type, Bounds.start("job", starts.identified(options, recorded.name())), recorded);
    }

    /** Refuses a class that implements an activity type, which is easily mistaken for the type. */
    private static void checkDeclares(Class<?> type) {
        if (type.isAnnotationPresent(Activity.class)) {
            return;
        }
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            for (Class<?> one : c.getInterfaces()) {
                if (one.isAnnotationPresent(Activity.class)) {
                    throw new IllegalArgumentException(type.getSimpleName() + " implements the activity type "
                            + one.getSimpleName() + ". Name that: enqueue(" + one.getSimpleName() + ".class, …).");
                }
            }
        }
    }

    <A, T> BatchHandle enqueueAll(Class<A> type, Iterable<? extends T> items, BatchCall<A, T> call) {
        return enqueueAll(type, StartOptions.generatedId(), items, call);
    }

    <A, T> BatchHandle enqueueAll(
            Class<A> type, StartOptions options, Iterable<? extends T> items, BatchCall<A, T> call) {
        String name = code.registry().activityType(type).name();
        StartOptions identified = Bounds.start("batch", starts.identified(options, name));
        return enqueueAll(
                type,
                identified,
                one -> options.generatesId()
                        ? Batch.fresh(dispatch, starts, one)
                        : Batch.missing(dispatch, starts, one),
                items,
                call);
    }

    private <A, T> BatchHandle enqueueAll(
            Class<A> type,
            StartOptions asked,
            Function<StartOptions, Batch> batches,
            Iterable<? extends T> items,
            BatchCall<A, T> call) {
        WorkflowCode.mayNot("client.enqueueAll(…)", "enqueue batch " + asked.id() + " again");
        String name = code.registry().activityType(type).name();
        return code.interception()
                .start(
                        new StartedThing(StartCall.Kind.BATCH, name, null, null),
                        asked,
                        options -> enqueueAll(type, batches.apply(options), items, call),
                        batch -> null);
    }

    private <A, T> BatchHandle enqueueAll(
            Class<A> type, Batch batch, Iterable<? extends T> items, BatchCall<A, T> call) {
        for (T item : items) {
            VoidCall<A> one = activity -> call.on(activity, item);
            Recorded recorded = Recorder.record(type, one, CallKind.ACTIVITY);
            ActivityMethod activity = jobActivity(type, recorded);
            batch.add(activity, code.payloads().encodeArguments(activity.spec(), recorded.arguments()));
        }
        batch.endAll();
        return new JobBatch(batch.id(), batch.isEmpty(), batch.added(), this, dispatch, code);
    }

    BatchHandle batch(String id) {
        return new JobBatch(Bounds.known("batch id", id), false, 0, this, dispatch, code);
    }

    /**
     * Has a job enqueued when the batch is at rest, and returns its id.
     *
     * @param empty whether the batch has no job and will have none: then the job is enqueued now
     */
    <A> String whenAtRest(String batch, boolean empty, Class<A> type, VoidCall<A> call) {
        Recorded recorded = Recorder.record(type, call, CallKind.ACTIVITY);
        ActivityMethod activity = jobActivity(type, recorded);
        Payload arguments = code.payloads().encodeArguments(activity.spec(), recorded.arguments());
        String following = JobBatch.idOfFollowing(batch, activity);
        JobCall whenAtRest = JobCall.of(activity, StartOptions.id(following), arguments, now());
        code.interception()
                .start(
                        new StartedThing(StartCall.Kind.JOB, activity.name(), whenAtRest.taskQueue(), null),
                        StartOptions.id(following),
                        options -> {
                            if (empty) {
                                enqueueOnce(following, options.headers(), whenAtRest);
                            } else {
                                watch(batch, following, options.headers(), whenAtRest);
                            }
                            return null;
                        });
        return following;
    }

    /** Enqueues the job that watches the batch; the following job gets its headers. */
    private void watch(String batch, String following, Map<String, String> headers, JobCall whenAtRest) {
        Payload watch = code.payloads().encodeArguments(BatchFollower.ACTIVITY, new Object[] {
            batch,
            following,
            whenAtRest.activity(),
            whenAtRest.arguments().json(),
            Objects.requireNonNull(whenAtRest.chosen()).with(whenAtRest.options())
        });
        enqueueOnce(
                // A watching job that failed, as its batch never came into being, does not stand in the way.
                StartOptions.id(JobBatch.idOfWatching(following))
                        .reusePolicy(ReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY)
                        .headers(headers),
                new JobCall(
                        BatchFollower.ACTIVITY,
                        watch,
                        BatchFollower.options(whenAtRest.taskQueue()),
                        null,
                        whenAtRest.at()));
    }

    /** Enqueues the job unless its id has one, open or closed. */
    void enqueueOnce(String id, Map<String, String> headers, JobCall call) {
        enqueueOnce(
                StartOptions.id(id).reusePolicy(ReusePolicy.REJECT_DUPLICATE).headers(headers), call);
    }

    /** Enqueues the job unless its id has one that the policies of the options leave there. */
    void enqueueOnce(StartOptions unlessThere, JobCall call) {
        String id = unlessThere.id();
        StartOptions once = unlessThere.conflictPolicy(ConflictPolicy.USE_EXISTING);
        try {
            starts.enqueue(call, once);
        } catch (WorkflowAlreadyStartedException e) {
            boolean done = dispatch.store()
                    .latestRun(id)
                    .filter(run -> run.type().equals(BackgroundJob.TYPE) && run.closedAt() != null)
                    .isPresent();
            if (!done) {
                throw e;
            }
        }
    }

    /** Returns the time of the store's clock. */
    Instant now() {
        return starts.now();
    }

    private ActivityHandle enqueue(Class<?> type, StartOptions options, Recorded call) {
        ActivityMethod activity = jobActivity(type, call);
        Payload arguments = code.payloads().encodeArguments(activity.spec(), call.arguments());
        return handle(activity, options, starts.enqueue(activity, options, arguments));
    }

    private ActivityHandle handle(ActivityMethod activity, StartOptions options, UUID runId) {
        return new JobHandle(
                RunHandle.started(dispatch, code, code.registry().workflowOf(BackgroundJob.class), options.id(), runId),
                code,
                new JobHandle.Of(activity.name(), activity),
                runId,
                control(options.id(), runId),
                () -> handle(activity, options, ended(dispatch.begun()).enqueueAgain(options.id(), runId)));
    }

    private ActivityControl control(String id, UUID runId) {
        JobFilter only = JobFilter.ALL.workflowId(id).runId(runId).seq(BackgroundJob.SEQ);
        return new StoreActivityControl(operations, only, code.identity());
    }

    ActivityHandle job(String id) {
        Dispatch call = dispatch.begun();
        RunRecord run = jobRun(call, id);
        String activity = activityOf(call, run);
        return job(run, activity, code.registry().activityMethod(activity).orElse(null));
    }

    <A> ActivityHandle job(Class<A> type, String id) {
        Dispatch call = dispatch.begun();
        RunRecord run = jobRun(call, id);
        String activity = activityOf(call, run);
        ActivityMethod method = code.registry().activityType(type).methods().stream()
                .filter(one -> one.names().contains(activity))
                .findFirst()
                .orElseThrow(() -> new RefusedInputException("job " + id + " runs " + activity + ", which is none of "
                        + type.getName() + ". Name the type that declares it, or use client.job(\"" + id + "\")."));
        return job(run, activity, method);
    }

    /** Returns the handle of a job that a listing has found. */
    ActivityHandle job(RunRecord run) {
        if (!run.type().equals(BackgroundJob.TYPE)) {
            throw new IllegalStateException(run.run().workflowId() + " is a run of " + run.type()
                    + " and no background job: use handle(type).");
        }
        String activity = activityOf(dispatch, run);
        return job(run, activity, code.registry().activityMethod(activity).orElse(null));
    }

    private ActivityHandle job(RunRecord run, String activity, @Nullable ActivityMethod method) {
        String id = run.run().workflowId();
        UUID runId = run.run().runId();
        WorkflowType type = code.registry().workflowOf(BackgroundJob.class);
        return new JobHandle(
                new RunHandle<>(dispatch, code, type, id, runId),
                code,
                new JobHandle.Of(activity, method),
                runId,
                control(id, runId),
                () -> again(id, runId, activity, method));
    }

    private ActivityHandle again(String id, UUID runId, String activity, @Nullable ActivityMethod method) {
        Dispatch call = dispatch.begun();
        UUID next = ended(call).enqueueAgain(id, runId);
        RunRecord run = call.store()
                .run(next)
                .orElseThrow(() -> new WorkflowNotFoundException("job " + id + " was enqueued again, as run " + next
                        + ", in a transaction that is still open: it exists once that commits"));
        return job(run, activity, method);
    }

    private static RunRecord jobRun(Dispatch call, String id) {
        RunRecord run = call.store()
                .latestRun(Bounds.known("job id", id))
                .orElseThrow(() -> new WorkflowNotFoundException("there is no job " + id
                        + ". If it was enqueued in a transaction that is still open, it exists once that commits; if it"
                        + " follows a batch that is not at rest (onCompletion), once that is."));
        if (!run.type().equals(BackgroundJob.TYPE)) {
            throw new RefusedInputException(id + " is the id of a run of " + run.type()
                    + " and of no background job. Use client.handle(\"" + id + "\").");
        }
        return run;
    }

    /** Returns the name that the job's activity had when the job was enqueued. */
    private static String activityOf(Dispatch call, RunRecord run) {
        for (StoredEvent started : call.store().history(run.run().runId(), 1, 1)) {
            String activity = JobStart.activity(run.type(), started.attributes());
            if (activity != null) {
                return activity;
            }
        }
        throw new WorkflowNotFoundException("the history of job " + run.run().shown()
                + " does not tell its activity. Usual cause: old histories are dropped, and this one was.");
    }

    WorkflowQuery listing() {
        return new Listing(
                client,
                this::job,
                dispatch.store().views(),
                code.registry(),
                RunFilter.ALL.types(Set.of(BackgroundJob.TYPE)),
                this::verbs);
    }

    /** Returns what an operator, or without one this process, can do to all open runs of a filter. */
    WorkflowVerbs verbs(RunFilter filter, @Nullable String actor) {
        return new QueryVerbs(
                dispatch,
                code,
                new OperationVerbs(dispatch, code, this),
                filter,
                actor == null ? code.identity() : actor,
                "no reason given",
                null);
    }

    UUID enqueueAgain(String id) {
        return ended(dispatch.begun()).enqueueAgain(Bounds.known("job id", id));
    }

    private EndedJobs ended(Dispatch call) {
        return new EndedJobs(call, new RunStarter(call, code));
    }

    long enqueueAgain(UnaryOperator<WorkflowQuery.Filter> filter) {
        FilterBuilder builder = new FilterBuilder(RunFilter.ALL.statuses(EndedJobs.FAILED), code.registry());
        if (filter.apply(builder) != builder) {
            throw new IllegalArgumentException("enqueueAgain(w -> …) must return the filter it was given, narrowed:"
                    + " enqueueAgain(w -> w.closedAfter(monday))");
        }
        return new EndedJobs(dispatch, starts).enqueueAgain(builder.build());
    }

    private ActivityMethod jobActivity(Class<?> type, Recorded call) {
        ActivityMethod activity = code.registry().activityType(type).methods().stream()
                .filter(method -> method.spec().method().equals(call.declaredMethod()))
                .findFirst()
                .orElseThrow();
        if (activity.options().local()) {
            throw new IllegalArgumentException(activity.name()
                    + " is local: it runs inside a workflow's worker and has no job. Take local = true away, or call it"
                    + " from a workflow.");
        }
        return activity;
    }
}
