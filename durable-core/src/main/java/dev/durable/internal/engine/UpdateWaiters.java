package dev.durable.internal.engine;

import dev.durable.client.WaitFor;
import dev.durable.internal.drive.Step;
import dev.durable.store.HistoryStore;
import dev.durable.store.Reply;
import dev.durable.store.RunKey;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * The callers of this process that wait for updates. A transition that this process commits completes the futures of
 * its updates at once, after the answered COMMIT. The others are {@linkplain PolledAnswers read}, with the states of
 * their runs: a run that has ended answers nothing any more.
 */
final class UpdateWaiters implements Step {
    private static final int QUESTIONS_PER_QUERY = 200;

    private final PolledAnswers<Reply.Question, Reply.State> answers;
    private final Predicate<UUID> isHere;

    /**
     * @param nudged whether nudges of other processes arrive here, as far as is known
     * @param isHere whether a run goes on in this process: its transitions complete the futures of its updates
     */
    UpdateWaiters(HistoryStore store, BooleanSupplier nudged, Predicate<UUID> isHere) {
        this.isHere = isHere;
        this.answers = new PolledAnswers<>(
                store.clock(),
                nudged,
                new PolledAnswers.Query<>(
                        store::replies,
                        Reply.State::question,
                        null,
                        question -> question.run().runId(),
                        QUESTIONS_PER_QUERY));
    }

    void onWait(Runnable action) {
        answers.onWait(action);
    }

    /**
     * Returns the state of an update once it has reached the stage, has an answer, or its run has closed. Each caller gets
     * a future of its own, which it may cancel.
     */
    CompletableFuture<Reply.State> state(Reply.Question question, WaitFor stage) {
        return answers.answer(
                question,
                null,
                state -> state.reply() != null
                        || !state.open()
                        || switch (stage) {
                            case SENT -> true;
                            case ACCEPTED -> !state.waits();
                            case COMPLETED -> false;
                        },
                isHere.test(question.run().runId()));
    }

    /** Returns the number of waiting callers. */
    int size() {
        return answers.size();
    }

    /**
     * Completes the waits for updates that a durable transition of this process has taken in or answered. A caller whose
     * wait begins a moment later has the answers of the run read at once.
     */
    void written(RunKey run, Collection<UUID> consumed, List<Reply> replies) {
        answers.awaitCallers(run.runId());
        Map<UUID, Reply> byId = new HashMap<>();
        replies.forEach(reply -> byId.put(reply.id(), reply));
        Set<UUID> missed = new HashSet<>(consumed);
        missed.addAll(byId.keySet());
        for (PolledAnswers.Wait<Reply.Question, Reply.State> wait : answers.waiting(run.runId())) {
            Reply.Question asked = wait.question();
            Reply reply = byId.getOrDefault(asked.message(), byId.get(asked.answer()));
            if (reply != null || consumed.contains(asked.message())) {
                // The same transition may close the run: where an answer leaves that open, the store is asked.
                if (reply == null || reply.kind().isOfRun()) {
                    wait.hear(new Reply.State(asked, reply, false, true));
                }
                if (!wait.isDone()) {
                    // The run may have answered this id before: then no transition brings the answer.
                    answers.readSoon(run.runId());
                }
            }
            missed.removeAll(List.of(asked.message(), asked.answer()));
        }
        if (missed.isEmpty()) {
            answers.callersHaveHeard(run.runId());
        }
    }

    /** Reads all answers at once, as nudges may have been lost. */
    void look() {
        answers.look();
    }

    /** Reads the answers of a run at once, as it may have given one or may have closed. */
    void look(UUID runId) {
        answers.look(runId);
    }

    /** Stops polling: present and later waits fail. */
    void close() {
        answers.close();
    }

    @Override
    public Duration runOnce() {
        return answers.runOnce();
    }

    @Override
    public Duration patience() {
        return answers.patience();
    }
}
