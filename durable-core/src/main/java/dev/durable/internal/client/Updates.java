package dev.durable.internal.client;

import dev.durable.RefusedInputException;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.UpdateHandle;
import dev.durable.client.WaitFor;
import dev.durable.history.Payload;
import dev.durable.history.UpdateAccepted;
import dev.durable.internal.client.access.ClientCode;
import dev.durable.internal.client.access.Dispatch;
import dev.durable.internal.client.access.Messages;
import dev.durable.internal.client.access.WorkflowCode;
import dev.durable.internal.declare.WorkflowType;
import dev.durable.internal.declare.type.MethodSpec;
import dev.durable.internal.text.Bounds;
import dev.durable.store.Reply;
import dev.durable.store.RunKey;
import dev.durable.store.RunRecord;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sends updates to a run. The caller's transaction takes no part in it, as the answer can't come before that commits: a
 * run that an open transaction has started is not found.
 *
 * @param runs finds the run that the handle is of
 */
record Updates(
        Dispatch dispatch, ClientCode code, @Nullable WorkflowType workflow, Function<Dispatch, RunRecord> runs) {
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

    /** Sends an update and waits until it has reached the stage. */
    <R extends @Nullable Object> UpdateHandle<R> start(Request request, WaitFor stage) {
        RunUpdate<R> sent = send(request);
        switch (stage) {
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
        return handle(run, id, answer, new Request(id, "", type, new Object[0]), List.of(), false);
    }

    private <R extends @Nullable Object> RunUpdate<R> send(Request request) {
        MethodSpec spec = spec(request.name());
        Payload input = spec == null
                ? code.payloads().encodeArguments(request.name(), request.arguments())
                : code.payloads().encodeArguments(spec, request.arguments());
        UUID message = code.random().get();
        String given = request.id();
        String id = given == null ? message.toString() : Bounds.id("the update id", given);
        UpdateAccepted update = new UpdateAccepted(1, Instant.EPOCH, message, id, request.name(), input);
        return handle(
                deliver(update, given != null), id, message, request, spec == null ? List.of() : spec.named(), true);
    }

    private <R extends @Nullable Object> RunUpdate<R> handle(
            RunRecord run,
            String id,
            UUID message,
            Request request,
            List<Class<? extends Throwable>> named,
            boolean sent) {
        Reply.Question question = new Reply.Question(chainOf(run), message, Reply.idOf(id));
        MethodSpec spec = workflow == null ? null : workflow.methods().updates().get(request.name());
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
        RunRecord run = runs.apply(call);
        for (int tries = 1; ; tries++) {
            if (run.status().closed() && perhapsAnswered && isAnswered(call, chainOf(run), update)) {
                return run;
            }
            try {
                new Messages(call, code).update(chainOf(run), update);
                return run;
            } catch (WorkflowNotFoundException e) {
                RunRecord next = runs.apply(call);
                boolean isSame = next.run().equals(run.run());
                if (isSame && isAnswered(call, chainOf(run), update)) {
                    return run;
                }
                if (isSame || tries == TRIES) {
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
        Reply.Question question = new Reply.Question(run, update.messageId(), Reply.idOf(update.updateId()));
        return call.store().replies(List.of(question)).stream().anyMatch(state -> state.reply() != null);
    }

    private @Nullable MethodSpec spec(String name) {
        Bounds.name("handle.update(…): the update", name);
        WorkflowCode.mayNot("handle.update(…)", "send update " + name + " again");
        WorkflowType type = workflow;
        if (type == null) {
            return null;
        }
        MethodSpec spec = type.methods().updates().get(name);
        if (spec == null) {
            throw new RefusedInputException("workflow " + type.name() + " has no update " + name + "; it has "
                    + type.methods().updates().keySet().stream().sorted().toList());
        }
        return spec;
    }
}
