package dev.durable.internal.client;

import dev.durable.client.UpdateHandle;
import dev.durable.client.WaitFor;
import dev.durable.internal.client.access.ClientWaits;
import dev.durable.internal.client.access.Dispatch;
import dev.durable.internal.client.access.WorkflowCode;
import dev.durable.store.Reply;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Implements {@link UpdateHandle}: waits for the answer to one update. */
final class RunUpdate<R extends @Nullable Object> implements UpdateHandle<R> {
    private final Dispatch dispatch;
    private final UpdateAnswers answers;
    private final Reply.Question question;
    /** True once a wait may find an answer that no later transition brings; false up to the first wait after the sending. */
    private final AtomicBoolean asked;

    /** @param sent whether the store has just acknowledged its message: then no read has to find out whether it answers */
    RunUpdate(Dispatch dispatch, UpdateAnswers answers, Reply.Question question, boolean sent) {
        this.asked = new AtomicBoolean(!sent);
        this.dispatch = dispatch;
        this.answers = answers;
        this.question = question;
    }

    /** Notes that the caller does something else first: its first wait may find an answer that was there before. */
    void waitsLater() {
        asked.set(true);
    }

    @Override
    public String id() {
        return answers.updateId();
    }

    @Override
    public String workflowId() {
        return question.run().workflowId();
    }

    @Override
    public UUID runId() {
        return question.run().runId();
    }

    @Override
    public R result() {
        return Results.unwrap(() -> answers.result(ClientWaits.forEver(dispatch, answer(WaitFor.COMPLETED))));
    }

    /**
     * Waits for the answer. It is made on the caller's thread, so that the stack trace of an exception shows the waiting
     * call.
     */
    @Override
    public R result(Duration timeout) {
        return Results.unwrap(() -> answers.result(ClientWaits.atMost(
                dispatch,
                answer(WaitFor.COMPLETED),
                timeout,
                "the answer to " + answers.what(),
                () -> answers.whyWaiting(dispatch.begun(), question))));
    }

    /** Completed outside the loops of the engine, which a callback, or the read of a history, would block. */
    @Override
    public CompletableFuture<R> resultAsync() {
        CompletableFuture<UpdateAnswers.Answer> answer = answer(WaitFor.COMPLETED);
        CompletableFuture<R> pending = ClientWaits.cancelling(answer, answer.thenApplyAsync(answers::<R>result));
        dispatch.promised(pending);
        return pending;
    }

    /** Waits for the answer, whatever it is. */
    void await() {
        ClientWaits.forEver(dispatch, answer(WaitFor.COMPLETED));
    }

    /** Waits until the update is accepted; throws where it is rejected, or the run has ended without. */
    void awaitAccepted() {
        UpdateAnswers.Answer answer = Results.unwrap(() -> ClientWaits.forEver(dispatch, answer(WaitFor.ACCEPTED)));
        answers.refuseUnlessAccepted(answer);
    }

    /** Returns the future answer, with the end of the run where that came instead. */
    private CompletableFuture<UpdateAnswers.Answer> answer(WaitFor stage) {
        WorkflowCode.mayNot("UpdateHandle.result()", "wait for update " + id() + " again");
        CompletableFuture<Reply.State> state = dispatch.reply(question, stage);
        if (asked.getAndSet(true)) {
            // The answer, or the end of the run, may have been there before this wait began. While the database is
            // away,
            // the caller learns of it after the time of a call.
            Reply.State found =
                    dispatch.begun().store().replies(List.of(question)).getFirst();
            if (found.reply() != null || !found.open()) {
                state.complete(found);
            }
        }
        return ClientWaits.cancelling(
                state,
                state.thenCompose(found -> UpdateAnswers.hasAnswer(found)
                        ? CompletableFuture.completedFuture(new UpdateAnswers.Answer(found, null, () -> false))
                        : ended(found)));
    }

    private CompletableFuture<UpdateAnswers.Answer> ended(Reply.State state) {
        return ChainResult.of(dispatch, question.run())
                .thenApply(end ->
                        new UpdateAnswers.Answer(state, end, () -> answers.wasAccepted(dispatch.begun(), question)));
    }
}
