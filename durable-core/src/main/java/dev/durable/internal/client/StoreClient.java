package dev.durable.internal.client;

import dev.durable.Activity;
import dev.durable.Call;
import dev.durable.ConflictPolicy;
import dev.durable.ReusePolicy;
import dev.durable.VoidCall;
import dev.durable.WorkflowAlreadyStartedException;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.ActivityControl;
import dev.durable.client.ActivityHandle;
import dev.durable.client.ActivityQuery;
import dev.durable.client.ActivityState;
import dev.durable.client.AuditQuery;
import dev.durable.client.BatchCall;
import dev.durable.client.BatchHandle;
import dev.durable.client.DurableClient;
import dev.durable.client.ExternalActivity;
import dev.durable.client.IncidentQuery;
import dev.durable.client.Queues;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowQuery;
import dev.durable.history.EventJson;
import dev.durable.history.History;
import dev.durable.history.HistoryEvent;
import dev.durable.history.HistoryJson;
import dev.durable.history.Payload;
import dev.durable.internal.client.access.ClientCode;
import dev.durable.internal.client.access.Dispatch;
import dev.durable.internal.client.access.FilterBuilder;
import dev.durable.internal.client.access.Listing;
import dev.durable.internal.client.access.Messages;
import dev.durable.internal.client.access.WorkflowCode;
import dev.durable.internal.client.operate.ActivityListing;
import dev.durable.internal.client.operate.ActivityToken;
import dev.durable.internal.client.operate.AuditListing;
import dev.durable.internal.client.operate.IncidentListing;
import dev.durable.internal.client.operate.KnownNames;
import dev.durable.internal.client.operate.Operations;
import dev.durable.internal.client.operate.StoreActivityControl;
import dev.durable.internal.client.operate.StoreQueues;
import dev.durable.internal.client.operate.TokenHolder;
import dev.durable.internal.declare.ActivityMethod;
import dev.durable.internal.declare.Recorded;
import dev.durable.internal.declare.Recorder;
import dev.durable.internal.declare.WorkflowType;
import dev.durable.internal.declare.object.CallKind;
import dev.durable.internal.replay.BackgroundJob;
import dev.durable.store.AuditFilter;
import dev.durable.store.Bounds;
import dev.durable.store.JobFilter;
import dev.durable.store.JobStart;
import dev.durable.store.Joined;
import dev.durable.store.Portion;
import dev.durable.store.RunFilter;
import dev.durable.store.RunRecord;
import dev.durable.store.StoredEvent;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Implements {@link DurableClient}. */
public final class StoreClient implements DurableClient {
    private static final int PAGE = 2_000;

    private final Dispatch dispatch;
    private final ClientCode code;
    private final RunStarter starts;
    private final Operations operations;

    public StoreClient(Dispatch dispatch, ClientCode code) {
        this.dispatch = dispatch;
        this.code = code;
        this.starts = new RunStarter(dispatch, code);
        this.operations = new Operations(dispatch, code);
    }

    @Override
    public <W, R extends @Nullable Object> WorkflowHandle<W, R> start(
            Class<W> type, StartOptions options, Call<W, R> run) {
        WorkflowType workflow = code.registry().workflowOf(type);
        return start(workflow, options, Recorder.record(type, run, CallKind.RUN));
    }

    @Override
    public <W> WorkflowHandle<W, @Nullable Void> startVoid(Class<W> type, StartOptions options, VoidCall<W> run) {
        WorkflowType workflow = code.registry().workflowOf(type);
        return start(workflow, options, Recorder.record(type, run, CallKind.RUN));
    }

    private <W, R extends @Nullable Object> WorkflowHandle<W, R> start(
            WorkflowType workflow, StartOptions options, Recorded call) {
        Bounds.start("workflow", options);
        code.unknownTypes().startByClass(workflow, options.taskQueue());
        Payload input = code.payloads().encodeArguments(workflow.run(), call.arguments());
        return started(workflow, options, starts.start(RunStarter.Target.of(workflow), options, input));
    }

    @Override
    public WorkflowHandle<?, ?> start(String workflowType, StartOptions options, @Nullable Object... arguments) {
        Bounds.start("workflow", options);
        Bounds.name("client.start(…): the workflow type", workflowType);
        WorkflowType workflow = code.registry().workflow(workflowType).orElse(null);
        Payload input = runArguments(workflow, workflowType, arguments);
        return started(workflow, options, starts.start(target(workflow, workflowType, options), options, input));
    }

    private Payload runArguments(@Nullable WorkflowType workflow, String workflowType, @Nullable Object... arguments) {
        return workflow == null
                ? code.payloads().encodeArguments(workflowType, arguments)
                : code.payloads().encodeArguments(workflow.run(), arguments);
    }

    private RunStarter.Target target(@Nullable WorkflowType workflow, String name, StartOptions options) {
        if (workflow == null) {
            String given = options.taskQueue();
            code.unknownTypes().start(name, given == null ? "default" : given);
            return new RunStarter.Target(name, List.of(), "default");
        }
        return name.equals(workflow.name())
                ? RunStarter.Target.of(workflow)
                : new RunStarter.Target(name, workflow.names(), workflow.taskQueue());
    }

    @Override
    public <W, R extends @Nullable Object> WorkflowHandle<W, R> signalWithStart(
            Class<W> type, StartOptions options, Call<W, R> run, VoidCall<W> signal) {
        WorkflowType workflow = code.registry().workflowOf(type);
        Recorded call = Recorder.record(type, run, CallKind.RUN);
        return signalWithStart(workflow, options, call, Recorder.record(type, signal, CallKind.SIGNAL));
    }

    @Override
    public <W> WorkflowHandle<W, @Nullable Void> signalWithStartVoid(
            Class<W> type, StartOptions options, VoidCall<W> run, VoidCall<W> signal) {
        WorkflowType workflow = code.registry().workflowOf(type);
        Recorded call = Recorder.record(type, run, CallKind.RUN);
        return signalWithStart(workflow, options, call, Recorder.record(type, signal, CallKind.SIGNAL));
    }

    private <W, R extends @Nullable Object> WorkflowHandle<W, R> signalWithStart(
            WorkflowType workflow, StartOptions options, Recorded run, Recorded signal) {
        Bounds.start("workflow", options);
        code.unknownTypes().startByClass(workflow, options.taskQueue());
        Payload input = code.payloads().encodeArguments(workflow.run(), run.arguments());
        Payload message = Messages.arguments(code, workflow, signal.name(), signal.arguments());
        return told(
                workflow,
                options,
                starts.signalWithStart(RunStarter.Target.of(workflow), options, input, signal.name(), message));
    }

    @Override
    public WorkflowHandle<?, ?> signalWithStart(
            String workflowType,
            StartOptions options,
            List<? extends @Nullable Object> arguments,
            String signal,
            @Nullable Object... signalArguments) {
        Bounds.start("workflow", options);
        Bounds.name("client.signalWithStart(…): the workflow type", workflowType);
        WorkflowType workflow = code.registry().workflow(workflowType).orElse(null);
        Payload input = runArguments(workflow, workflowType, arguments.toArray());
        Payload message = Messages.arguments(code, workflow, signal, signalArguments);
        return told(
                workflow,
                options,
                starts.signalWithStart(target(workflow, workflowType, options), options, input, signal, message));
    }

    private <W, R extends @Nullable Object> WorkflowHandle<W, R> told(
            @Nullable WorkflowType workflow, StartOptions options, @Nullable UUID runId) {
        return runId == null
                ? new RunHandle<>(dispatch, code, workflow, options.id(), null)
                : started(workflow, options, runId);
    }

    /** In a transaction that is still open the run is not there yet for anybody else: waiting for it must be refused. */
    private <W, R extends @Nullable Object> WorkflowHandle<W, R> started(
            @Nullable WorkflowType workflow, StartOptions options, UUID runId) {
        return dispatch.transaction().isPresent()
                ? new RunHandle<>(dispatch, code, workflow, options.id(), runId)
                : RunHandle.started(dispatch, code, workflow, options.id(), runId);
    }

    @Override
    public <A> ActivityHandle enqueue(Class<A> type, VoidCall<A> call) {
        checkDeclares(type);
        Recorded recorded = Recorder.record(type, call, CallKind.ACTIVITY);
        String id = recorded.name() + "-" + code.random().get();
        return enqueue(type, StartOptions.id(id), recorded);
    }

    @Override
    public <A> ActivityHandle enqueue(Class<A> type, StartOptions options, VoidCall<A> call) {
        checkDeclares(type);
        return enqueue(type, Bounds.start("job", options), Recorder.record(type, call, CallKind.ACTIVITY));
    }

    /** A class that implements an activity type is easily taken for it. */
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

    @Override
    public <A, T> BatchHandle enqueueAll(Class<A> type, Iterable<? extends T> items, BatchCall<A, T> call) {
        String id =
                code.registry().activityType(type).name() + "-" + code.random().get();
        return enqueueAll(type, Batch.fresh(dispatch, starts, StartOptions.id(id)), items, call);
    }

    @Override
    public <A, T> BatchHandle enqueueAll(
            Class<A> type, StartOptions options, Iterable<? extends T> items, BatchCall<A, T> call) {
        return enqueueAll(type, Batch.missing(dispatch, starts, Bounds.start("batch", options)), items, call);
    }

    private <A, T> BatchHandle enqueueAll(
            Class<A> type, Batch batch, Iterable<? extends T> items, BatchCall<A, T> call) {
        WorkflowCode.mayNot("client.enqueueAll(…)", "enqueue batch " + batch.id() + " again");
        for (T item : items) {
            VoidCall<A> one = activity -> call.on(activity, item);
            Recorded recorded = Recorder.record(type, one, CallKind.ACTIVITY);
            ActivityMethod activity = jobActivity(type, recorded);
            batch.add(activity, code.payloads().encodeArguments(activity.spec(), recorded.arguments()));
        }
        batch.endAll();
        return new JobBatch(batch.id(), batch.isEmpty(), batch.added(), this, dispatch, code);
    }

    @Override
    public BatchHandle batch(String id) {
        return new JobBatch(Bounds.known("batch id", id), false, 0, this, dispatch, code);
    }

    /**
     * Gives the id of the job that is enqueued when the batch is at rest.
     *
     * @param empty whether it has no job, and will have none: then that is now
     */
    <A> String whenAtRest(String batch, boolean empty, Class<A> type, VoidCall<A> call) {
        Recorded recorded = Recorder.record(type, call, CallKind.ACTIVITY);
        ActivityMethod activity = jobActivity(type, recorded);
        Payload arguments = code.payloads().encodeArguments(activity.spec(), recorded.arguments());
        String following = JobBatch.idOfFollowing(batch, activity);
        JobCall whenAtRest = JobCall.of(activity, StartOptions.id(following), arguments, now());
        if (empty) {
            enqueueOnce(following, whenAtRest);
            return following;
        }
        Payload watch = code.payloads().encodeArguments(BatchFollower.ACTIVITY, new Object[] {
            batch,
            following,
            activity.name(),
            arguments.json(),
            Objects.requireNonNull(whenAtRest.chosen()).with(whenAtRest.options())
        });
        enqueueOnce(
                // One that waited in vain, for a batch that was not there, does not stand in the way.
                StartOptions.id(JobBatch.idOfWatching(following)).reusePolicy(ReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY),
                new JobCall(
                        BatchFollower.ACTIVITY,
                        watch,
                        BatchFollower.options(whenAtRest.taskQueue()),
                        null,
                        whenAtRest.at()));
        return following;
    }

    /** A job of this id that is there, open or closed, stays the one. */
    void enqueueOnce(String id, JobCall call) {
        enqueueOnce(StartOptions.id(id).reusePolicy(ReusePolicy.REJECT_DUPLICATE), call);
    }

    private void enqueueOnce(StartOptions unlessThere, JobCall call) {
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

    /** By the store's clock. */
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
                this.<Object, Object>started(code.registry().workflowOf(BackgroundJob.class), options, runId),
                code,
                new JobHandle.Of(activity.name(), activity),
                runId,
                control(options.id(), runId),
                () -> handle(activity, options, new EndedJobs(dispatch, starts).enqueueAgain(options.id(), runId)));
    }

    private ActivityControl control(String id, UUID runId) {
        JobFilter only = JobFilter.ALL.workflowId(id).runId(runId).seq(BackgroundJob.SEQ);
        return new StoreActivityControl(operations, only, code.identity());
    }

    @Override
    public ActivityHandle job(String id) {
        RunRecord run = jobRun(id);
        String activity = activityOf(run);
        return job(run, activity, code.registry().activityMethod(activity).orElse(null));
    }

    @Override
    public <A> ActivityHandle job(Class<A> type, String id) {
        RunRecord run = jobRun(id);
        String activity = activityOf(run);
        ActivityMethod method = code.registry().activityType(type).methods().stream()
                .filter(one -> one.names().contains(activity))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "job " + id + " runs " + activity + ", which is none of " + type.getName()
                                + ". Name the type that declares it, or use client.job(\"" + id + "\")."));
        return job(run, activity, method);
    }

    /** The incident that a listing has found. */
    ActivityHandle job(RunRecord run) {
        if (!run.type().equals(BackgroundJob.TYPE)) {
            throw new IllegalStateException(run.run().workflowId() + " is a run of " + run.type()
                    + " and no background job: use handle(type).");
        }
        String activity = activityOf(run);
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
        UUID next = new EndedJobs(dispatch, starts).enqueueAgain(id, runId);
        RunRecord run = dispatch.store()
                .run(next)
                .orElseThrow(() -> new WorkflowNotFoundException("job " + id + " was enqueued again, as run " + next
                        + ", in a transaction that is still open: it exists once that commits"));
        return job(run, activity, method);
    }

    private RunRecord jobRun(String id) {
        RunRecord run = dispatch.store()
                .latestRun(Bounds.known("job id", id))
                .orElseThrow(() -> new WorkflowNotFoundException("there is no job " + id
                        + ". If it was enqueued in a transaction that is still open, it exists once that commits; if it"
                        + " follows a batch that is not at rest (onCompletion), once that is."));
        if (!run.type().equals(BackgroundJob.TYPE)) {
            throw new IllegalArgumentException(id + " is the id of a run of " + run.type()
                    + " and of no background job. Use client.handle(\"" + id + "\").");
        }
        return run;
    }

    /** As it was called when the job was enqueued. */
    private String activityOf(RunRecord run) {
        for (StoredEvent started : dispatch.store().history(run.run().runId(), 1, 1)) {
            String activity = JobStart.activity(run.type(), started.attributes());
            if (activity != null) {
                return activity;
            }
        }
        throw new WorkflowNotFoundException("the history of job " + run.run().shown()
                + " does not tell its activity. Usual cause: old histories are dropped, and this one was.");
    }

    @Override
    public WorkflowQuery jobs() {
        return new Listing(
                this,
                this::job,
                dispatch.store().views(),
                code.registry(),
                RunFilter.ALL.types(Set.of(BackgroundJob.TYPE)));
    }

    @Override
    public UUID enqueueAgain(String id) {
        return new EndedJobs(dispatch, starts).enqueueAgain(Bounds.known("job id", id));
    }

    @Override
    public long enqueueAgain(UnaryOperator<WorkflowQuery.Filter> filter) {
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

    @Override
    public WorkflowHandle<?, ?> handle(String workflowId) {
        WorkflowType workflow = dispatch.store()
                .latestRun(Bounds.known("workflow id", workflowId))
                .flatMap(run -> code.registry().workflow(run.type()))
                .orElse(null);
        return new RunHandle<>(dispatch, code, workflow, workflowId, null);
    }

    @Override
    public <W> WorkflowHandle<W, ?> handle(Class<W> type, String workflowId) {
        return new RunHandle<W, Object>(
                dispatch, code, code.registry().workflowOf(type), Bounds.known("workflow id", workflowId), null);
    }

    @Override
    public <W> WorkflowHandle<W, ?> handle(Class<W> type, String workflowId, UUID runId) {
        return new RunHandle<W, Object>(
                dispatch, code, code.registry().workflowOf(type), Bounds.known("workflow id", workflowId), runId);
    }

    @Override
    public History history(String workflowId) {
        RunRecord run = dispatch.store()
                .views()
                .latestRun(Bounds.known("workflow id", workflowId))
                .orElseThrow(() ->
                        new WorkflowNotFoundException("there is no run of workflow id " + Bounds.shown(workflowId)));
        return history(run.run().runId());
    }

    @Override
    public History history(UUID runId) {
        List<HistoryEvent> events = new ArrayList<>();
        List<StoredEvent> page;
        do {
            page = dispatch.store().views().history(runId, events.size() + 1L, PAGE);
            page.stream().map(EventJson::decode).forEach(events::add);
        } while (!Portion.isWhole(page, PAGE) && !page.isEmpty());
        if (events.isEmpty()) {
            throw new WorkflowNotFoundException("there is no run " + runId);
        }
        return new History(events);
    }

    @Override
    public void export(String workflowId, Path file) {
        HistoryJson.write(history(workflowId), file);
    }

    @Override
    public DurableClient joining(Object transaction) {
        Joined joined = dispatch.store().joined(transaction);
        return new StoreClient(dispatch.within(() -> Optional.of(joined)), code);
    }

    @Override
    public DurableClient independent() {
        return new StoreClient(dispatch.within(Optional::empty), code);
    }

    @Override
    public Queues queues() {
        KnownNames known = new KnownNames(
                dispatch.store(), code.registry(), code.unknownTypes().served());
        return new StoreQueues(dispatch.store(), known, code.random(), code.identity());
    }

    @Override
    public ActivityQuery activities() {
        return new ActivityListing(operations, JobFilter.ALL, code.identity());
    }

    @Override
    public ActivityControl activity(String workflowId, int seq) {
        return new StoreActivityControl(
                operations,
                JobFilter.ALL
                        .workflowId(Bounds.known("workflow id", workflowId))
                        .seq(seq),
                code.identity());
    }

    @Override
    public IncidentQuery incidents() {
        return IncidentListing.of(operations, ActivityState.INCIDENT);
    }

    @Override
    public IncidentQuery deadLetters() {
        return IncidentListing.of(operations, ActivityState.DEAD);
    }

    @Override
    public AuditQuery audit() {
        return new AuditListing(dispatch.store().views(), AuditFilter.ALL);
    }

    @Override
    public ExternalActivity activity(String token) {
        return new TokenHolder(operations, ActivityToken.read(token));
    }

    @Override
    public WorkflowQuery workflows() {
        return new Listing(this, this::job, dispatch.store().views(), code.registry(), RunFilter.ALL);
    }
}
