package dev.durable.internal.client;

import dev.durable.Call;
import dev.durable.RefusedInputException;
import dev.durable.UpdateCall;
import dev.durable.UpdateVoidCall;
import dev.durable.VoidCall;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.UpdateHandle;
import dev.durable.client.WaitFor;
import dev.durable.history.Payload;
import dev.durable.history.UpdateAccepted;
import dev.durable.intercept.SentUpdate;
import dev.durable.internal.client.access.ClientCode;
import dev.durable.internal.client.access.Dispatch;
import dev.durable.internal.client.access.Messages;
import dev.durable.internal.client.access.WorkflowCode;
import dev.durable.internal.declare.Recorded;
import dev.durable.internal.declare.Recorder;
import dev.durable.internal.declare.WorkflowType;
import dev.durable.internal.declare.object.CallKind;
import dev.durable.internal.declare.type.MethodSpec;
import dev.durable.internal.text.Bounds;
import dev.durable.store.HistoryStore;
import dev.durable.store.Reply;
import dev.durable.store.RunKey;
import dev.durable.store.RunRecord;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends updates to a run. The caller's transaction takes no part in it, as the answer can't come before that commits: a
 * run that an open transaction has started is not found.
 *
 * @param runs finds the run that the handle is of
 * @param open the open run that an earlier update of the handle was sent to, or one of its chain since; null where none
 *     is known. An update is sent to that chain without a look-up, and the run is looked up where the chain has ended
 */
record Updates(
        Dispatch dispatch,
        ClientCode code,
        @Nullable WorkflowType workflow,
        Function<Dispatch, RunRecord> runs,
        AtomicReference<@Nullable RunRecord> open) {
    /** How often the run of a workflow id is looked up again where it closes meanwhile. */
    private static final int TRIES = 5;

    /**
     * A call of an update.
     *
     * @param id the id that the caller gave; null for a random one
     * @param name the update's name
     * @param type the type of its result; null where the declaration tells
     */
    @SuppressWarnings("ArrayRecordComponent") // handed on at once, never compared
    record Request(
            @Nullable String id,
            String name,
            @Nullable Type type,
            @Nullable Object[] arguments) {}

    /** Returns the call that a lambda makes. */
    static <W, R extends @Nullable Object, X extends Exception> Request request(
            Class<W> workflow, @Nullable String id, UpdateCall<W, R, X> call) {
        Call<W, R> untyped = call::on;
        Recorded recorded = Recorder.record(workflow, untyped, CallKind.UPDATE);
        return new Request(id, recorded.name(), null, recorded.arguments());
    }

    /** Returns the call that a lambda makes, of an update that returns nothing. */
    static <W, X extends Exception> Request requestVoid(
            Class<W> workflow, @Nullable String id, UpdateVoidCall<W, X> call) {
        VoidCall<W> untyped = call::on;
        Recorded recorded = Recorder.record(workflow, untyped, CallKind.UPDATE);
        return new Request(id, recorded.name(), null, recorded.arguments());
    }

    /** Sends an update and waits until it has reached the stage. */
    <R extends @Nullable Object> UpdateHandle<R> start(Request request, WaitFor stage) {
        RunUpdate<R> sent = send(request);
        switch (stage) {
            case SENT -> sent.waitsLater();
            case ACCEPTED -> sent.awaitAccepted();
            case COMPLETED -> sent.await();
        }
        return sent;
    }

    /** Sends an update and returns its result. */
    <R extends @Nullable Object> R call(Request request) {
        return this.<R>send(request).result();
    }

    /** Returns the handle of an update that was sent before, perhaps by another process. */
    <R extends @Nullable Object> UpdateHandle<R> find(String id, Type type) {
        RunRecord run = runs.apply(dispatch.begun());
        UUID answer = Reply.idOf(Bounds.id("the update id", id));
        // The handler is not known: an exception comes back as itself where any handler of updates declares it.
        List<Class<? extends Throwable>> named = workflow == null
                ? List.of()
                : workflow.updates()
                        .flatMap(spec -> spec.named().stream())
                        .distinct()
                        .toList();
        return handle(run, id, answer, new Request(id, "", type, new Object[0]), named, false);
    }

    private <R extends @Nullable Object> RunUpdate<R> send(Request request) {
        UpdateAccepted update = update("handle.update(…)", request);
        return handle(deliver(update, request.id() != null), update, request);
    }

    /**
     * Sends an update to the open run, or starts a run with it. An id that the latest run has answered starts nothing: its
     * caller gets that answer.
     *
     * @param start starts a run with the update where none is open; returns the run that has it. The supplier gives the
     *     latest run, where that has closed and has answered the update
     */
    <R extends @Nullable Object> RunUpdate<R> withStart(
            RunStarter.Target target,
            String workflowId,
            Request request,
            BiFunction<UpdateAccepted, Supplier<@Nullable UUID>, UUID> start) {
        String called = "client.updateWithStart(…)";
        if (dispatch.transaction().isPresent()) {
            throw new RefusedInputException(
                    called + " of " + Bounds.shown(workflowId) + " inside an open transaction: the"
                            + " update can't be answered before that commits, so neither it nor the start can be a part of it."
                            + " Call it before or after the transaction, or through client.independent(); or use"
                            + " client.signalWithStart(…), which takes part.");
        }
        UpdateAccepted update = update(called, request);
        Supplier<@Nullable UUID> answered = () -> request.id() == null ? null : answering(target, workflowId, update);
        UUID answering = answered.get();
        UUID run = answering == null ? start.apply(update, answered) : answering;
        HistoryStore store = dispatch.begun().store();
        return handle(store.run(run).or(() -> store.latestRun(workflowId)).orElseThrow(), update, request);
    }

    /** Returns the latest run of the workflow id, if it has closed and its chain has answered the update. */
    private @Nullable UUID answering(RunStarter.Target target, String workflowId, UpdateAccepted update) {
        Dispatch call = dispatch.begun();
        return call.store()
                .latestRun(workflowId)
                .filter(latest -> latest.status().closed()
                        && target.is(latest.type())
                        && isAnswered(call, chainOf(latest), update))
                .map(latest -> latest.run().runId())
                .orElse(null);
    }

    private UpdateAccepted update(String called, Request request) {
        MethodSpec spec = spec(called, request.name());
        Payload input = spec == null || spec.isOfAnyName()
                ? code.payloads().encodeArguments(request.name(), request.arguments())
                : code.payloads().encodeArguments(spec, request.arguments());
        UUID message = code.random().get();
        String given = request.id();
        String id = given == null ? message.toString() : Bounds.id("the update id", given);
        return new UpdateAccepted(1, Instant.EPOCH, message, id, request.name(), input);
    }

    private <R extends @Nullable Object> RunUpdate<R> handle(RunRecord run, UpdateAccepted update, Request request) {
        MethodSpec spec = workflow == null ? null : workflow.update(request.name());
        return handle(
                run, update.updateId(), update.messageId(), request, spec == null ? List.of() : spec.named(), true);
    }

    private <R extends @Nullable Object> RunUpdate<R> handle(
            RunRecord run,
            String id,
            UUID message,
            Request request,
            List<Class<? extends Throwable>> named,
            boolean sent) {
        Reply.Question question = new Reply.Question(chainOf(run), message, Reply.idOf(id));
        MethodSpec spec = workflow == null ? null : workflow.update(request.name());
        Type type = request.type() != null ? request.type() : spec == null ? Object.class : spec.returnType();
        return new RunUpdate<>(
                dispatch, new UpdateAnswers(code, workflow, run, id, request.name(), type, named), question, sent);
    }

    /**
     * Sends the update to the run, and to the next one of its workflow id where that closes meanwhile. An id that a run has
     * answered before needs no open run.
     */
    private RunRecord deliver(UpdateAccepted update, boolean perhapsAnswered) {
        Dispatch call = dispatch.begun();
        RunRecord known = open.get();
        RunRecord found = known == null ? runs.apply(call) : known;
        return code.interception()
                .client()
                .update(
                        () -> new SentUpdate(
                                found.run().workflowId(),
                                found.run().runId(),
                                found.type(),
                                update.name(),
                                update.updateId()),
                        () -> deliver(call, found, update, perhapsAnswered));
    }

    private RunRecord deliver(Dispatch call, RunRecord found, UpdateAccepted update, boolean perhapsAnswered) {
        RunRecord run = found;
        for (int tries = 1; ; tries++) {
            if (run.status().closed() && perhapsAnswered && isAnswered(call, chainOf(run), update)) {
                return run;
            }
            try {
                new Messages(call, code).update(chainOf(run), update);
                open.set(run.status().closed() ? null : run);
                return run;
            } catch (WorkflowNotFoundException e) {
                open.set(null);
                RunRecord next = runs.apply(call);
                // Sent again, as an answer was lost, it may have been answered already by the run that has closed
                // since. The answer of an ended chain to another message with this id is none where another chain is
                // open.
                UUID answer = chainOf(next).equals(chainOf(run)) ? Reply.idOf(update.updateId()) : update.messageId();
                if (isAnswered(call, new Reply.Question(chainOf(run), update.messageId(), answer))) {
                    return run;
                }
                if (next.run().equals(run.run()) || tries == TRIES) {
                    throw e;
                }
                run = next;
            }
        }
    }

    /** Returns the first run of the chain, under which its answers stand and whose id reaches whichever run is open. */
    private static RunKey chainOf(RunRecord run) {
        return new RunKey(run.links().chainId(), run.run().workflowId());
    }

    private static boolean isAnswered(Dispatch call, RunKey run, UpdateAccepted update) {
        return isAnswered(call, new Reply.Question(run, update.messageId(), Reply.idOf(update.updateId())));
    }

    private static boolean isAnswered(Dispatch call, Reply.Question question) {
        return call.store().replies(List.of(question)).stream().anyMatch(state -> state.reply() != null);
    }

    private @Nullable MethodSpec spec(String called, String name) {
        Bounds.name(called + ": the update", name);
        WorkflowCode.mayNot(called, "send update " + name + " again");
        WorkflowType type = workflow;
        if (type == null) {
            return null;
        }
        MethodSpec spec = type.update(name);
        if (spec == null) {
            throw new RefusedInputException("workflow " + type.name() + " has no update " + name + "; it has "
                    + type.methods().updates().keySet().stream().sorted().toList());
        }
        return spec;
    }
}
