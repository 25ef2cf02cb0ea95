package dev.durable.internal.client;

import dev.durable.UpdateFailedException;
import dev.durable.UpdateNotCompletedException;
import dev.durable.UpdateRejectedException;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.EventJson;
import dev.durable.history.Failure;
import dev.durable.history.Payload;
import dev.durable.history.StoredEvent;
import dev.durable.history.UpdateAccepted;
import dev.durable.internal.client.access.ClientCode;
import dev.durable.internal.client.access.Dispatch;
import dev.durable.internal.declare.WorkflowType;
import dev.durable.internal.payload.Unchecked;
import dev.durable.internal.text.Bounds;
import dev.durable.store.ClosedRun;
import dev.durable.store.Reply;
import dev.durable.store.RunDetails;
import dev.durable.store.RunKey;
import dev.durable.store.RunRecord;
import dev.durable.store.RunResult;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Converts the answer to an update to what its caller gets: the result, or the exception.
 *
 * @param run the run that got it
 * @param updateId its id
 * @param name its name; empty where it was found by its id
 * @param type the type of its result
 * @param named the exceptions that its handler declares, which come back as themselves
 */
record UpdateAnswers(
        ClientCode code,
        @Nullable WorkflowType workflow,
        RunRecord run,
        String updateId,
        String name,
        Type type,
        List<Class<? extends Throwable>> named) {
    private static final int PAGE = 1_000;

    /**
     * The end of a wait for an update.
     *
     * @param state the state of the update
     * @param end the end of its run, where that came before an answer; else null
     * @param accepted tells whether the run had accepted the update before that end; reads the history
     */
    record Answer(Reply.State state, @Nullable RunResult end, BooleanSupplier accepted) {}

    /**
     * Returns whether the update is accepted or answered; false where its run has closed before that. A run that is open
     * and answers that the update came too late cleans up for as long as that takes: its callers do not wait for it.
     */
    static boolean hasAnswer(Reply.State state) {
        Reply reply = state.reply();
        return state.open() || (reply != null && reply.kind().isOfRun());
    }

    /** Returns the result, or throws the exception. */
    <R extends @Nullable Object> R result(Answer answer) {
        Reply reply = answer.state().reply();
        if (reply == null || answer.end() != null) {
            throw ended(answer, Objects.requireNonNull(answer.end(), "an open run without an answer"));
        }
        String what = what();
        String body = Objects.requireNonNullElse(reply.body(), "null");
        return switch (reply.kind()) {
            case COMPLETED ->
                Results.cast(code.payloads()
                        .decodeFor(
                                new Payload(body),
                                type,
                                "the answer of " + what,
                                () -> new Results(code, workflow)
                                        .wayOut(run.run().workflowId(), run.type(), "answer")));
            case FAILED -> {
                Failure failure = code.failures().fromJson(body);
                throw thrown(
                        failure,
                        cause -> new UpdateFailedException(
                                what + " failed: " + failure.typeAndMessage(),
                                run.run().workflowId(),
                                updateId,
                                failure,
                                cause));
            }
            case REJECTED -> {
                Failure failure = code.failures().fromJson(body);
                throw thrown(
                        failure,
                        cause -> new UpdateRejectedException(
                                what + " was rejected, and its run has seen nothing of it: " + failure.typeAndMessage(),
                                run.run().workflowId(),
                                updateId,
                                failure,
                                cause));
            }
            case TOO_LATE -> throw ending();
        };
    }

    /** Makes the exception of a failure, with the decoded failure as its cause where it has one. */
    private interface Details {
        UpdateFailedException with(@Nullable Throwable cause);
    }

    /** Returns the exception for the caller: the declared one itself, with the details as a suppressed exception. */
    private RuntimeException thrown(Failure failure, Details details) {
        ClassLoader loader = workflow == null
                ? UpdateAnswers.class.getClassLoader()
                : workflow.declared().getClassLoader();
        Throwable original = code.failures().decode(failure, named, loader);
        if (named.stream().noneMatch(declared -> declared.isInstance(original))) {
            return details.with(original);
        }
        original.addSuppressed(details.with(null));
        return Unchecked.raise(original);
    }

    /** Throws unless the update was accepted. */
    void refuseUnlessAccepted(Answer answer) {
        Reply reply = answer.state().reply();
        RunResult end = answer.end();
        if (end != null && !answer.accepted().getAsBoolean()) {
            throw ended(answer, end);
        }
        if (end == null
                && reply != null
                && (reply.kind().isRejection() || !reply.kind().isOfRun())) {
            result(answer);
        }
    }

    /** Returns the exception for an update that came when the result of the run was fixed and its clean-up was under way. */
    private UpdateNotCompletedException ending() {
        return new UpdateNotCompletedException(
                what()
                        + " came too late: the result of its run is fixed, and the run, which is cleaning up, has seen nothing"
                        + " of it.",
                run.run().workflowId(),
                updateId,
                false,
                WorkflowStatus.RUNNING,
                null);
    }

    private UpdateNotCompletedException ended(Answer answer, RunResult end) {
        boolean accepted = answer.accepted().getAsBoolean();
        String how = end.status().name().toLowerCase(Locale.ROOT).replace('_', ' ');
        return new UpdateNotCompletedException(
                what()
                        + (accepted
                                ? " was accepted, and its run ended (" + how + ") before it answered."
                                        + " Usual cause: run returned, or was cancelled or terminated, while the handler"
                                        + " waited. Let run wait for it: Durable.await(Durable::allHandlersFinished), or"
                                        + " @Update(unfinishedPolicy = HandlerUnfinishedPolicy.WAIT)."
                                : " came too late: its run ended (" + how + ") and has seen nothing of it."),
                run.run().workflowId(),
                updateId,
                accepted,
                end.status(),
                new Results(code, workflow).failureOrNull(run.run().workflowId(), end));
    }

    /** Returns the update in words: {@code update redirect (u-1) of order-42}. */
    String what() {
        String id = Bounds.shown(updateId);
        return "update " + (name.isEmpty() ? id : name + " (" + id + ")") + " of "
                + Bounds.shown(run.run().workflowId());
    }

    /**
     * Returns whether the history of the last run of the chain says that it accepted the update: a run that another
     * continues leaves none unanswered.
     */
    boolean wasAccepted(Dispatch dispatch, Reply.Question question) {
        UUID last = newestOf(dispatch, question.run());
        long next = 1;
        while (true) {
            List<StoredEvent> page = dispatch.store().history(last, next, PAGE);
            if (page.isEmpty()) {
                return false;
            }
            if (page.stream().anyMatch(this::isAcceptance)) {
                return true;
            }
            next = page.getLast().id() + 1;
        }
    }

    /** Returns the newest run of the chain, also where another chain has begun under the workflow id since. */
    private static UUID newestOf(Dispatch dispatch, RunKey chain) {
        return dispatch.store()
                .latestRun(chain.workflowId())
                .filter(latest -> latest.links().chainId().equals(chain.runId()))
                .map(latest -> latest.run().runId())
                .or(() -> dispatch.store().closed(List.of(chain.runId())).stream()
                        .findFirst()
                        .map(ClosedRun::next))
                .orElse(chain.runId());
    }

    private boolean isAcceptance(StoredEvent event) {
        return event.type().equals(UpdateAccepted.class.getSimpleName())
                && EventJson.decode(event) instanceof UpdateAccepted accepted
                && accepted.updateId().equals(updateId);
    }

    /** Returns why there is no answer yet, as far as the run's row tells; empty where it does not. */
    String whyWaiting(Dispatch dispatch, Reply.Question question) {
        RunDetails details =
                dispatch.store().details(newestOf(dispatch, question.run())).orElse(null);
        if (details == null) {
            return "";
        }
        String stalled = details.stalledBy();
        if (details.paused()) {
            return ": the run is paused. It goes on when it is resumed: handle.resume()";
        }
        if (stalled != null) {
            return ": the run is stalled: " + stalled;
        }
        if (details.messages() > 0 && details.ownedUntil() == null) {
            return ": the message waits for a worker that serves task queue \"" + run.taskQueue()
                    + "\" with workflow type " + run.type();
        }
        return ": the update was accepted, and its handler has not returned";
    }
}
