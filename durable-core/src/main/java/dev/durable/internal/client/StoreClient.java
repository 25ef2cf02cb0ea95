package dev.durable.internal.client;

import dev.durable.ActivityInfo;
import dev.durable.Call;
import dev.durable.UpdateCall;
import dev.durable.VoidCall;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.ActivityControl;
import dev.durable.client.ActivityHandle;
import dev.durable.client.ActivityQuery;
import dev.durable.client.ActivityState;
import dev.durable.client.AuditQuery;
import dev.durable.client.BatchCall;
import dev.durable.client.BatchHandle;
import dev.durable.client.Builds;
import dev.durable.client.CallbackHandle;
import dev.durable.client.DurableClient;
import dev.durable.client.ExternalActivity;
import dev.durable.client.IncidentQuery;
import dev.durable.client.Queues;
import dev.durable.client.StartOptions;
import dev.durable.client.UpdateHandle;
import dev.durable.client.UpdateWithStart;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowQuery;
import dev.durable.history.EventJson;
import dev.durable.history.History;
import dev.durable.history.HistoryEvent;
import dev.durable.history.HistoryJson;
import dev.durable.history.Payload;
import dev.durable.history.StoredEvent;
import dev.durable.internal.client.access.ClientCode;
import dev.durable.internal.client.access.Dispatch;
import dev.durable.internal.client.access.Listing;
import dev.durable.internal.client.access.Messages;
import dev.durable.internal.client.operate.ActivityListing;
import dev.durable.internal.client.operate.AuditListing;
import dev.durable.internal.client.operate.IncidentListing;
import dev.durable.internal.client.operate.Operations;
import dev.durable.internal.client.operate.StoreActivityControl;
import dev.durable.internal.client.operate.StoreBuilds;
import dev.durable.internal.client.operate.StoreQueues;
import dev.durable.internal.client.operate.TokenHolder;
import dev.durable.internal.declare.Recorded;
import dev.durable.internal.declare.Recorder;
import dev.durable.internal.declare.WorkflowType;
import dev.durable.internal.declare.object.CallKind;
import dev.durable.internal.text.Bounds;
import dev.durable.internal.text.Portion;
import dev.durable.store.ActivityToken;
import dev.durable.store.AuditFilter;
import dev.durable.store.CallbackToken;
import dev.durable.store.JobFilter;
import dev.durable.store.Joined;
import dev.durable.store.RunFilter;
import dev.durable.store.RunRecord;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Implements {@link DurableClient}: starts, handles, histories and operations; {@link JobClient} has the background jobs. */
public final class StoreClient implements DurableClient {
    private static final int PAGE = 2_000;

    private final Dispatch dispatch;
    private final ClientCode code;
    private final RunStarter starts;
    private final Operations operations;
    private final JobClient jobs;

    public StoreClient(Dispatch dispatch, ClientCode code) {
        this.dispatch = dispatch;
        this.code = code;
        this.starts = new RunStarter(dispatch, code);
        this.operations = new Operations(dispatch, code);
        this.jobs = new JobClient(this, dispatch, code, starts, operations);
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
            WorkflowType workflow, StartOptions asked, Recorded call) {
        StartOptions options = starts.identified(asked);
        code.unknownTypes().startByClass(workflow, options.taskQueue());
        Payload input = code.payloads().encodeArguments(workflow.methods().run(), call.arguments());
        return RunHandle.started(
                dispatch, code, workflow, options.id(), starts.start(RunStarter.Target.of(workflow), options, input));
    }

    @Override
    public WorkflowHandle<?, ?> start(String workflowType, StartOptions asked, @Nullable Object... arguments) {
        StartOptions options = starts.identified(asked);
        Bounds.name("client.start(…): the workflow type", workflowType);
        WorkflowType workflow = code.registry().workflow(workflowType).orElse(null);
        Payload input = runArguments(workflow, workflowType, arguments);
        return RunHandle.started(
                dispatch,
                code,
                workflow,
                options.id(),
                starts.start(target(workflow, workflowType, options), options, input));
    }

    private Payload runArguments(@Nullable WorkflowType workflow, String workflowType, @Nullable Object... arguments) {
        return workflow == null || workflow.isOfAnyType()
                ? code.payloads().encodeArguments(workflowType, arguments)
                : code.payloads().encodeArguments(workflow.methods().run(), arguments);
    }

    private RunStarter.Target target(@Nullable WorkflowType workflow, String name, StartOptions options) {
        if (workflow == null) {
            String given = options.taskQueue();
            code.unknownTypes().start(name, given == null ? "default" : given);
            return new RunStarter.Target(name, List.of(), "default", null);
        }
        return name.equals(workflow.name())
                ? RunStarter.Target.of(workflow)
                : new RunStarter.Target(name, workflow.names(), workflow.taskQueue(), workflow.retry());
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
            WorkflowType workflow, StartOptions asked, Recorded run, Recorded signal) {
        StartOptions options = starts.identified(asked);
        code.unknownTypes().startByClass(workflow, options.taskQueue());
        Payload input = code.payloads().encodeArguments(workflow.methods().run(), run.arguments());
        Payload message = Messages.arguments(code, workflow, signal.name(), signal.arguments());
        return told(
                workflow,
                options,
                starts.signalWithStart(RunStarter.Target.of(workflow), options, input, signal.name(), message));
    }

    @Override
    public WorkflowHandle<?, ?> signalWithStart(
            String workflowType,
            StartOptions asked,
            List<? extends @Nullable Object> arguments,
            String signal,
            @Nullable Object... signalArguments) {
        StartOptions options = starts.identified(asked);
        Bounds.name("client.signalWithStart(…): the workflow type", workflowType);
        WorkflowType workflow = code.registry().workflow(workflowType).orElse(null);
        Payload input = runArguments(workflow, workflowType, arguments.toArray());
        Payload message = Messages.arguments(code, workflow, signal, signalArguments);
        return told(
                workflow,
                options,
                starts.signalWithStart(target(workflow, workflowType, options), options, input, signal, message));
    }

    @Override
    public <W, R extends @Nullable Object, U extends @Nullable Object, X extends Exception>
            UpdateWithStart<W, R, U> updateWithStart(
                    Class<W> type,
                    StartOptions options,
                    Call<W, R> run,
                    @Nullable String updateId,
                    UpdateCall<W, U, X> update) {
        return updateWithStart(
                type, options, Recorder.record(type, run, CallKind.RUN), Updates.request(type, updateId, update));
    }

    @Override
    public <W, U extends @Nullable Object, X extends Exception>
            UpdateWithStart<W, @Nullable Void, U> updateWithStartVoid(
                    Class<W> type,
                    StartOptions options,
                    VoidCall<W> run,
                    @Nullable String updateId,
                    UpdateCall<W, U, X> update) {
        return updateWithStart(
                type, options, Recorder.record(type, run, CallKind.RUN), Updates.request(type, updateId, update));
    }

    private <W, R extends @Nullable Object, U extends @Nullable Object> UpdateWithStart<W, R, U> updateWithStart(
            Class<W> type, StartOptions asked, Recorded run, Updates.Request update) {
        WorkflowType workflow = code.registry().workflowOf(type);
        StartOptions options = starts.identified(asked);
        code.unknownTypes().startByClass(workflow, options.taskQueue());
        Payload input = code.payloads().encodeArguments(workflow.methods().run(), run.arguments());
        return updateWithStart(workflow, RunStarter.Target.of(workflow), options, input, update);
    }

    @Override
    public <U> UpdateWithStart<?, ?, U> updateWithStart(
            String workflowType,
            StartOptions asked,
            List<? extends @Nullable Object> arguments,
            @Nullable String updateId,
            String update,
            Class<U> type,
            @Nullable Object... updateArguments) {
        StartOptions options = starts.identified(asked);
        Bounds.name("client.updateWithStart(…): the workflow type", workflowType);
        WorkflowType workflow = code.registry().workflow(workflowType).orElse(null);
        Payload input = runArguments(workflow, workflowType, arguments.toArray());
        return updateWithStart(
                workflow,
                target(workflow, workflowType, options),
                options,
                input,
                new Updates.Request(updateId, update, type, updateArguments));
    }

    private <W, R extends @Nullable Object, U extends @Nullable Object> UpdateWithStart<W, R, U> updateWithStart(
            @Nullable WorkflowType workflow,
            RunStarter.Target target,
            StartOptions options,
            Payload input,
            Updates.Request request) {
        UpdateHandle<U> update = new Updates(
                        dispatch,
                        code,
                        workflow,
                        call -> call.store().latestRun(options.id()).orElseThrow(),
                        new AtomicReference<>())
                .withStart(
                        target,
                        options.id(),
                        request,
                        (sent, answered) -> starts.updateWithStart(target, options, input, sent, answered));
        return new UpdateWithStart<>(RunHandle.started(dispatch, code, workflow, options.id(), update.runId()), update);
    }

    private <W, R extends @Nullable Object> WorkflowHandle<W, R> told(
            @Nullable WorkflowType workflow, StartOptions options, @Nullable UUID runId) {
        return runId == null
                ? new RunHandle<>(dispatch, code, workflow, options.id(), null)
                : RunHandle.started(dispatch, code, workflow, options.id(), runId);
    }

    @Override
    public <A> ActivityHandle enqueue(Class<A> type, VoidCall<A> call) {
        return jobs.enqueue(type, call);
    }

    @Override
    public <A> ActivityHandle enqueue(Class<A> type, StartOptions options, VoidCall<A> call) {
        return jobs.enqueue(type, options, call);
    }

    @Override
    public <A, T> BatchHandle enqueueAll(Class<A> type, Iterable<? extends T> items, BatchCall<A, T> call) {
        return jobs.enqueueAll(type, items, call);
    }

    @Override
    public <A, T> BatchHandle enqueueAll(
            Class<A> type, StartOptions options, Iterable<? extends T> items, BatchCall<A, T> call) {
        return jobs.enqueueAll(type, options, items, call);
    }

    @Override
    public BatchHandle batch(String id) {
        return jobs.batch(id);
    }

    @Override
    public ActivityHandle job(String id) {
        return jobs.job(id);
    }

    @Override
    public <A> ActivityHandle job(Class<A> type, String id) {
        return jobs.job(type, id);
    }

    @Override
    public WorkflowQuery jobs() {
        return jobs.listing();
    }

    @Override
    public UUID enqueueAgain(String id) {
        return jobs.enqueueAgain(id);
    }

    @Override
    public long enqueueAgain(UnaryOperator<WorkflowQuery.Filter> filter) {
        return jobs.enqueueAgain(filter);
    }

    @Override
    public dev.durable.client.Operations operations() {
        return new OperationVerbs(dispatch, code, jobs);
    }

    /** Returns the pages of an operation, for its job. */
    OperatedPages pagesOf(OperationOrder order, ActivityInfo job) {
        return new OperatedPages(dispatch, code, order, job);
    }

    /** Returns the part of this client that enqueues and finds background jobs. */
    JobClient ofJobs() {
        return jobs;
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
        Dispatch call = dispatch.begun();
        RunRecord run = call.store()
                .views()
                .latestRun(Bounds.known("workflow id", workflowId))
                .orElseThrow(() ->
                        new WorkflowNotFoundException("there is no run of workflow id " + Bounds.shown(workflowId)));
        return history(run.run().runId(), call);
    }

    @Override
    public History history(UUID runId) {
        return history(runId, dispatch);
    }

    /**
     * @param first the call that reads the first page; each further page of a very long history has the time of a call
     */
    History history(UUID runId, Dispatch first) {
        List<HistoryEvent> events = new ArrayList<>();
        List<StoredEvent> page;
        do {
            Dispatch call = events.isEmpty() ? first : dispatch;
            page = call.store().views().history(runId, events.size() + 1L, PAGE);
            page.stream().map(EventJson::decode).forEach(events::add);
        } while (!Portion.isWhole(page, PAGE, StoredEvent::atMost) && !page.isEmpty());
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
        return new StoreQueues(dispatch, code, code.identity(), null);
    }

    @Override
    public Builds builds() {
        return new StoreBuilds(dispatch, code, code.identity(), null);
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
    public CallbackHandle callback(String token) {
        return new TokenOfCallback(dispatch, code, new Messages(dispatch, code), CallbackToken.read(token));
    }

    @Override
    public WorkflowQuery workflows() {
        return new Listing(this, jobs::job, dispatch.store().views(), code.registry(), RunFilter.ALL, jobs::verbs);
    }
}
