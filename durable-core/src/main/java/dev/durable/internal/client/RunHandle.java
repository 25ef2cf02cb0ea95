package dev.durable.internal.client;

import dev.durable.Call;
import dev.durable.QueryFailedException;
import dev.durable.TypeRef;
import dev.durable.UpdateCall;
import dev.durable.UpdateVoidCall;
import dev.durable.VoidCall;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.ForkOptions;
import dev.durable.client.StartOptions;
import dev.durable.client.StreamHandle;
import dev.durable.client.UpdateHandle;
import dev.durable.client.WaitFor;
import dev.durable.client.WaitingReason;
import dev.durable.client.WhyWaiting;
import dev.durable.client.WorkflowDescription;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowTree;
import dev.durable.history.History;
import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.history.Payload;
import dev.durable.intercept.EndCall;
import dev.durable.intercept.QueryCall;
import dev.durable.intercept.SignalCall;
import dev.durable.internal.client.access.ClientCode;
import dev.durable.internal.client.access.ClientWaits;
import dev.durable.internal.client.access.DescriptionMapper;
import dev.durable.internal.client.access.Dispatch;
import dev.durable.internal.client.access.Messages;
import dev.durable.internal.client.access.WorkflowCode;
import dev.durable.internal.declare.Recorded;
import dev.durable.internal.declare.Recorder;
import dev.durable.internal.declare.WorkflowType;
import dev.durable.internal.declare.object.CallKind;
import dev.durable.internal.declare.type.MethodSpec;
import dev.durable.internal.text.Bounds;
import dev.durable.store.RunKey;
import dev.durable.store.RunRecord;
import dev.durable.store.RunResult;
import dev.durable.store.Views;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Implements {@link WorkflowHandle}: the ids of a run with access to the store. */
final class RunHandle<W, R extends @Nullable Object> implements WorkflowHandle<W, R> {
    private static final String BY_NAME = "update(\"name\", Type.class, …)";

    private final Dispatch dispatch;
    private final ClientCode code;
    private final @Nullable WorkflowType workflow;
    private final String workflowId;
    private final @Nullable UUID runId;
    private final Use use;
    /** The open run that the last update of this handle was sent to. */
    private final AtomicReference<@Nullable RunRecord> updated = new AtomicReference<>();

    /**
     * The origin of the handle, and the operator for whom it was made.
     *
     * @param started whether the store has acknowledged the start of this run
     * @param chain the chain, where it was made by a start or a fork: it is of the run and of those that continue it; null
     *     for a handle of one run
     * @param actor the operator; null is this process
     */
    private record Use(
            boolean started, @Nullable UUID chain, @Nullable String actor) {
        /** The use of a handle whose run may or may not exist. */
        static final Use ANY = new Use(false, null, null);
    }

    /** Creates a handle of a run that may or may not exist. */
    RunHandle(
            Dispatch dispatch,
            ClientCode code,
            @Nullable WorkflowType workflow,
            String workflowId,
            @Nullable UUID runId) {
        this(dispatch, code, workflow, workflowId, runId, Use.ANY);
    }

    private RunHandle(
            Dispatch dispatch,
            ClientCode code,
            @Nullable WorkflowType workflow,
            String workflowId,
            @Nullable UUID runId,
            Use use) {
        this.use = use;
        this.dispatch = dispatch;
        this.code = code;
        this.workflow = workflow;
        this.workflowId = workflowId;
        this.runId = runId;
    }

    /**
     * Creates the handle of a run whose start the store has acknowledged. In a transaction that is still open no other
     * connection sees the run yet, so waiting for it must be refused.
     */
    static <W, R extends @Nullable Object> RunHandle<W, R> started(
            Dispatch dispatch, ClientCode code, @Nullable WorkflowType workflow, String workflowId, UUID runId) {
        return new RunHandle<>(
                dispatch,
                code,
                workflow,
                workflowId,
                runId,
                new Use(dispatch.transaction().isEmpty(), runId, null));
    }

    @Override
    public String workflowId() {
        return workflowId;
    }

    @Override
    public @Nullable UUID runId() {
        return runId;
    }

    // ── result ───────────────────────────────────────────────────────────────────────────────────────────────────────

    @Override
    public R result() {
        return ended(null, returnType());
    }

    @Override
    public R result(Duration timeout) {
        return ended(timeout, returnType());
    }

    @Override
    public <T> T resultAs(Class<T> type) {
        return ended(null, type);
    }

    @Override
    public <T> T resultAs(TypeRef<T> type) {
        return ended(null, type.type());
    }

    @Override
    public <T> T resultAs(Class<T> type, Duration timeout) {
        return ended(timeout, type);
    }

    @Override
    public <T> T resultAs(TypeRef<T> type, Duration timeout) {
        return ended(timeout, type.type());
    }

    /**
     * Waits for the end of the run. The result or exception is created on the caller's thread, so that its stack trace
     * shows the waiting call.
     */
    private <T extends @Nullable Object> T ended(@Nullable Duration timeout, Type type) {
        long began = dispatch.store().clock().nanoTime();
        Run of = waitedFor(timeout == null ? dispatch.begun() : dispatch.begun(timeout));
        CompletableFuture<RunResult> end = end(of);
        RunResult last = Results.unwrap(() -> {
            if (timeout == null) {
                return ClientWaits.forEver(dispatch, end);
            }
            Duration left = timeout.minusNanos(dispatch.store().clock().nanoTime() - began);
            return ClientWaits.atMost(dispatch, end, left, timeout, "the result of " + Bounds.shown(workflowId));
        });
        return new Results(code, workflow).of(workflowId, of.type(), last, type);
    }

    /**
     * Completed outside the loops of the engine, because a callback that waits for the client would block them for
     * ever.
     */
    @Override
    public CompletableFuture<R> resultAsync() {
        Run of = waitedFor(dispatch.begun());
        CompletableFuture<RunResult> end = end(of);
        CompletableFuture<R> pending = ClientWaits.cancelling(
                end, end.thenApply(last -> new Results(code, workflow).of(workflowId, of.type(), last, returnType())));
        dispatch.promised(pending);
        return ClientWaits.cancelling(pending, pending.thenApplyAsync(result -> result));
    }

    /** Returns the future end of the run, or of its chain: only a handle that was made with a run id is of one run. */
    private CompletableFuture<RunResult> end(Run of) {
        return runId == null || use.chain() != null
                ? ChainResult.of(dispatch, new RunKey(of.id(), workflowId))
                : dispatch.result(of.id());
    }

    /**
     * The run whose end the caller waits for.
     *
     * @param type its workflow type; null where this handle has started the run, whose type is the handle's
     */
    private record Run(UUID id, @Nullable String type) {}

    private Run waitedFor(Dispatch call) {
        WorkflowCode.mayNot(
                "handle.result()",
                "wait for " + Bounds.shown(workflowId) + " again, with all other runs of the process");
        if (use.started() && runId != null) {
            return new Run(runId, null);
        }
        RunRecord found = run(call.store());
        return new Run(found.run().runId(), found.type());
    }

    private Type returnType() {
        return workflow == null ? Object.class : workflow.methods().run().returnType();
    }

    // ── messages ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @Override
    public void signal(VoidCall<W> call) {
        WorkflowType type = typed("signal(w -> …)", "signal(\"name\", …)");
        Recorded recorded = Recorder.record(declared(type), call, CallKind.SIGNAL);
        signal(recorded.name(), recorded.arguments());
    }

    @Override
    public void signal(String name, @Nullable Object... arguments) {
        Payload input = Messages.arguments(code, workflow, name, arguments);
        Messages.mayBeSent(workflowId, name);
        code.interception()
                .client()
                .signal(
                        () -> new SignalCall(workflowId, runId, typeName(), name),
                        () -> new Messages(dispatch, code).signal(workflowId, address(), name, input));
    }

    @Override
    public <T extends @Nullable Object, X extends Exception> T update(UpdateCall<W, T, X> call) throws X {
        return updates().call(request(null, call));
    }

    @Override
    public <X extends Exception> void updateVoid(UpdateVoidCall<W, X> call) throws X {
        updates().call(requestVoid(null, call));
    }

    @Override
    public <T> T update(String name, Class<T> type, @Nullable Object... arguments) {
        return updates().call(new Updates.Request(null, name, type, arguments));
    }

    @Override
    public <T> T update(String name, TypeRef<T> type, @Nullable Object... arguments) {
        return updates().call(new Updates.Request(null, name, type.type(), arguments));
    }

    @Override
    public <T extends @Nullable Object, X extends Exception> UpdateHandle<T> startUpdate(
            UpdateCall<W, T, X> call, WaitFor stage) throws X {
        return updates().start(request(null, call), stage);
    }

    @Override
    public <T extends @Nullable Object, X extends Exception> UpdateHandle<T> startUpdate(
            String updateId, UpdateCall<W, T, X> call, WaitFor stage) throws X {
        return updates().start(request(updateId, call), stage);
    }

    @Override
    public <X extends Exception> UpdateHandle<@Nullable Void> startUpdateVoid(UpdateVoidCall<W, X> call, WaitFor stage)
            throws X {
        return updates().start(requestVoid(null, call), stage);
    }

    @Override
    public <X extends Exception> UpdateHandle<@Nullable Void> startUpdateVoid(
            String updateId, UpdateVoidCall<W, X> call, WaitFor stage) throws X {
        return updates().start(requestVoid(updateId, call), stage);
    }

    @Override
    public <T extends @Nullable Object> UpdateHandle<T> startUpdate(
            String updateId, WaitFor stage, String name, Class<T> type, @Nullable Object... arguments) {
        return updates().start(new Updates.Request(updateId, name, type, arguments), stage);
    }

    @Override
    public <T> UpdateHandle<T> updateHandle(String updateId, Class<T> type) {
        return updates().find(updateId, type);
    }

    @Override
    public <T> UpdateHandle<T> updateHandle(String updateId, TypeRef<T> type) {
        return updates().find(updateId, type.type());
    }

    private <T extends @Nullable Object, X extends Exception> Updates.Request request(
            @Nullable String updateId, UpdateCall<W, T, X> call) {
        return Updates.request(declared(typed("update(w -> …)", BY_NAME)), updateId, call);
    }

    private <X extends Exception> Updates.Request requestVoid(@Nullable String updateId, UpdateVoidCall<W, X> call) {
        return Updates.requestVoid(declared(typed("updateVoid(w -> …)", BY_NAME)), updateId, call);
    }

    private Updates updates() {
        return new Updates(dispatch, code, workflow, call -> run(call.store()), updated);
    }

    @Override
    public WorkflowHandle<W, R> by(String name) {
        Use byActor = new Use(use.started(), use.chain(), Bounds.actor(name));
        return new RunHandle<>(dispatch, code, workflow, workflowId, runId, byActor);
    }

    @Override
    public void cancel() {
        cancel("no reason given");
    }

    @Override
    public void cancel(String reason) {
        Messages.mayBeSent(workflowId, null);
        code.interception()
                .client()
                .cancel(
                        () -> end(reason),
                        () -> new Messages(dispatch, code).cancel(workflowId, address(), reason, use.actor()));
    }

    private EndCall end(String reason) {
        return new EndCall(workflowId, runId, typeName(), reason);
    }

    /** Returns the chain or the run that messages and orders are for; null is the open run of the workflow id. */
    private @Nullable UUID address() {
        return use.chain() == null ? runId : use.chain();
    }

    private @Nullable String typeName() {
        return workflow == null ? null : workflow.name();
    }

    @Override
    public void terminate(String reason) {
        code.interception().client().terminate(() -> end(reason), () -> terminateNow(reason));
    }

    private void terminateNow(String reason) {
        if (!new Endings(dispatch, code, use.actor()).terminate(workflowId, address(), reason)) {
            throw noOpenRun("terminate");
        }
    }

    @Override
    public void pause() {
        pause("no reason given");
    }

    @Override
    public void pause(String reason) {
        Endings endings = new Endings(dispatch, code, use.actor());
        endings.refuseToPauseJob(workflowId, runId);
        if (!endings.pause(workflowId, address(), reason)) {
            throw noOpenRun("pause");
        }
    }

    @Override
    public void resume() {
        if (!new Endings(dispatch, code, use.actor()).resume(workflowId, address())) {
            throw noOpenRun("resume");
        }
    }

    @Override
    public WorkflowHandle<W, R> fork(long eventId, String otherId) {
        StartOptions options = Bounds.start("fork", StartOptions.id(otherId));
        Dispatch call = dispatch.begun();
        UUID fork = new Forks(call, code, use.actor()).fork(run(call.store()), eventId, options);
        return new RunHandle<>(dispatch, code, workflow, otherId, fork, new Use(true, fork, use.actor()));
    }

    @Override
    public WorkflowHandle<W, R> fork(long eventId) {
        return fork(eventId, ForkOptions.defaults());
    }

    @Override
    public WorkflowHandle<W, R> fork(long eventId, ForkOptions options) {
        Objects.requireNonNull(options, "options");
        Dispatch call = dispatch.begun();
        RunRecord from = run(call.store());
        UUID fork = new Forks(call, code, use.actor()).reset(from, eventId, options, message(options.signal()));
        return inPlaceOf(from, fork);
    }

    private WorkflowHandle<W, R> inPlaceOf(RunRecord run, UUID fork) {
        UUID chain = run.links().chainId();
        return new RunHandle<>(dispatch, code, workflow, workflowId, fork, new Use(true, chain, use.actor()));
    }

    private @Nullable InboxMessage message(ForkOptions.@Nullable Signal signal) {
        if (signal == null) {
            return null;
        }
        Payload input = Messages.arguments(
                code, workflow, signal.name(), signal.arguments().toArray());
        return new InboxMessage(code.random().get(), MessageKind.SIGNAL, signal.name(), input.json(), null, null);
    }

    @Override
    public WorkflowHandle<W, R> retryFromFailure() {
        return retryFromFailure(ForkOptions.defaults());
    }

    @Override
    public WorkflowHandle<W, R> retryFromFailure(ForkOptions options) {
        Objects.requireNonNull(options, "options");
        Dispatch call = dispatch.begun();
        RunRecord from = run(call.store());
        FailureRetries retries = new FailureRetries(call, new Forks(call, code, use.actor()));
        return inPlaceOf(from, retries.retry(from, options, message(options.signal())));
    }

    @Override
    public void moveTo(String build) {
        Bounds.build("handle.moveTo(…)", build);
        Endings endings = new Endings(dispatch, code, use.actor());
        endings.refuseToMoveJob(workflowId, runId);
        if (!endings.moveTo(workflowId, address(), build)) {
            throw noOpenRun("move");
        }
    }

    @Override
    public WorkflowTree tree() {
        return new RunTree(
                dispatch,
                this::run,
                run -> new RunHandle<>(
                        dispatch,
                        code,
                        null,
                        run.run().workflowId(),
                        run.links().chainId(),
                        new Use(false, run.links().chainId(), use.actor())));
    }

    // ── queries and descriptions ─────────────────────────────────────────────────────────────────────────────────────

    @Override
    public <T extends @Nullable Object> T query(Call<W, T> call) {
        WorkflowType type = typed("query(w -> …)", "query(\"name\", Type.class, …)");
        Recorded recorded = Recorder.record(declared(type), call, CallKind.QUERY);
        MethodSpec spec = question(type, recorded.name());
        return Results.cast(ask(recorded.name(), recorded.arguments(), spec.returnType()));
    }

    @Override
    public <T> T query(String name, Class<T> type, @Nullable Object... arguments) {
        return Results.cast(ask(name, arguments, type));
    }

    @Override
    public <T> T query(String name, TypeRef<T> type, @Nullable Object... arguments) {
        return Results.cast(ask(name, arguments, type.type()));
    }

    private @Nullable Object ask(String name, @Nullable Object[] arguments, Type type) {
        WorkflowCode.mayNot(
                "handle.query(…)", "ask " + Bounds.shown(workflowId) + " again, and may hear something else");
        Bounds.name("handle.query(…): the query", name);
        WorkflowType typed = typed("query", "a client whose engine registers the workflow class");
        MethodSpec question = question(typed, name);
        Payload input = question.isOfAnyName()
                ? code.payloads().encodeArguments(name, arguments)
                : code.payloads().encodeArguments(question, arguments);
        Dispatch call = dispatch.begun();
        RunRecord run = run(call.store());
        Payload answer = code.interception()
                .client()
                .query(
                        () -> new QueryCall(workflowId, run.run().runId(), run.type(), name),
                        () -> answer(call, run, name, input));
        return code.payloads()
                .decodeFor(
                        answer,
                        type,
                        "the answer of query " + name + " of " + Bounds.shown(workflowId),
                        () -> new Results(code, workflow).wayOut(workflowId, run.type(), "answers"));
    }

    private Payload answer(Dispatch call, RunRecord run, String name, Payload input) {
        try {
            return call.ask(run.run(), run.type(), name, input);
        } catch (QueryFailedException e) {
            String otherType = new Results(code, workflow).otherType(workflowId, run.type());
            throw otherType == null ? e : new QueryFailedException(e.getMessage() + ". " + otherType, e);
        }
    }

    private static MethodSpec question(WorkflowType type, String name) {
        MethodSpec spec = type.query(name);
        if (spec == null) {
            throw new QueryFailedException("workflow " + type.name() + " has no query " + name + "; it has "
                    + type.methods().queries().keySet().stream().sorted().toList());
        }
        return spec;
    }

    @Override
    public <T> StreamHandle<T> stream(String name, Class<T> type) {
        return new RunStream<>(dispatch, code, name, type, call -> run(call.store()));
    }

    @Override
    public <T> StreamHandle<T> stream(String name, TypeRef<T> type) {
        return new RunStream<>(dispatch, code, name, type.type(), call -> run(call.store()));
    }

    @Override
    public WorkflowDescription describe() {
        Views views = dispatch.begun().store().views();
        return views.details(run(views).run().runId())
                .map(DescriptionMapper::of)
                .orElseThrow(() -> notFound());
    }

    @Override
    public WhyWaiting whyWaiting() {
        WorkflowCode.mayNot(
                "handle.whyWaiting()", "ask " + Bounds.shown(workflowId) + " again, and may hear something else");
        Dispatch call = dispatch.begun();
        Views views = call.store().views();
        RunRecord run = run(views);
        List<WaitingReason> reasons = views.waitingReasons(run.run().runId());
        if (!reasons.isEmpty()) {
            return DescriptionMapper.why(run, reasons, call.waits(run.run(), run.type()));
        }
        // It has closed by now, or between the two reads.
        UUID id = run.run().runId();
        return DescriptionMapper.why(views.run(id).orElseThrow(this::notFound), List.of(), List.of());
    }

    @Override
    public History history() {
        Dispatch call = dispatch.begun();
        return new StoreClient(dispatch, code)
                .history(run(call.store().views()).run().runId(), call);
    }

    /** Finds the run: the one with the run id or, of a handle that has started it, the newest of its chain. */
    private RunRecord run(Views from) {
        if (runId == null) {
            return from.latestRun(workflowId).orElseThrow(this::notFound);
        }
        Optional<RunRecord> latest = use.chain() == null
                ? Optional.empty()
                : from.latestRun(workflowId).filter(run -> run.links().chainId().equals(use.chain()));
        return latest.or(() -> from.run(runId)).orElseThrow(this::notFound);
    }

    private WorkflowNotFoundException noOpenRun(String verb) {
        return new WorkflowNotFoundException(
                "there is no open run of workflow id " + Bounds.shown(workflowId) + " to " + verb + ofRun());
    }

    private WorkflowNotFoundException notFound() {
        return new WorkflowNotFoundException(
                "there is no run of workflow id " + Bounds.shown(workflowId) + ofRun()
                        + ". If it was started in a transaction that is still open, it exists once that commits; if workflow code has"
                        + " just started it as a child, it exists once that is delivered: a parent can wait for child.started().");
    }

    private String ofRun() {
        return runId == null ? "" : " with run id " + runId;
    }

    private WorkflowType typed(String call, String instead) {
        if (workflow == null) {
            throw new IllegalStateException(
                    call + " needs the workflow's class, and this handle of " + Bounds.shown(workflowId)
                            + " was made by name for a type that is not registered here. Use " + instead + ".");
        }
        return workflow;
    }

    @SuppressWarnings("unchecked")
    private Class<W> declared(WorkflowType type) {
        return (Class<W>) type.declared();
    }
}
