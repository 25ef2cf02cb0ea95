package dev.durable.internal.engine;

import dev.durable.client.WaitFor;
import dev.durable.internal.drive.BlockedCallers;
import dev.durable.internal.drive.Step;
import dev.durable.store.HistoryStore;
import dev.durable.store.Reply;
import dev.durable.store.RunKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * The callers of this process that wait for updates. A transition that this process commits completes the futures of
 * its updates at once, after the answered COMMIT. For all others one query per interval reads the answers of all of them,
 * with the states of their runs: a run that has ended answers nothing any more. The interval grows to a second while no
 * answer comes, and starts over with each new waiter. A waiter that gives up cancels its future and is read no longer.
 */
final class UpdateWaiters implements Step {
    private static final int QUESTIONS_PER_QUERY = 200;
    private static final Duration SHORTEST = Duration.ofMillis(10);
    private static final Duration LONGEST = Duration.ofSeconds(1);

    private final HistoryStore store;
    private final Predicate<UUID> isHere;
    private final Set<Wait> waiting = ConcurrentHashMap.newKeySet();
    private volatile Runnable wake = () -> {};
    private volatile Duration interval = LONGEST;
    private volatile boolean closed;

    /** A caller, compared by identity: several may ask the same question. */
    private static final class Wait {
        private final Reply.Question question;
        private final WaitFor stage;
        private final CompletableFuture<Reply.State> answer = new CompletableFuture<>();

        Wait(Reply.Question question, WaitFor stage) {
            this.question = question;
            this.stage = stage;
        }

        void hear(Reply.State state) {
            boolean accepted =
                    switch (stage) {
                        case ACCEPTED -> !state.waits();
                        case COMPLETED -> false;
                    };
            if (accepted || state.reply() != null || !state.open()) {
                answer.complete(state);
            }
        }
    }

    /** @param isHere whether a run goes on in this process: its transitions complete the futures of its updates */
    UpdateWaiters(HistoryStore store, Predicate<UUID> isHere) {
        this.store = store;
        this.isHere = isHere;
    }

    void onWait(Runnable action) {
        wake = action;
    }

    /**
     * Returns the state of an update once it has reached the stage, has an answer, or its run has closed. Each caller gets
     * a future of its own, which it may cancel.
     */
    CompletableFuture<Reply.State> state(Reply.Question question, WaitFor stage) {
        Wait wait = new Wait(question, stage);
        waiting.add(wait);
        var unused = wait.answer.whenComplete((state, error) -> waiting.remove(wait));
        if (closed) {
            close();
        }
        if (!isHere.test(question.run().runId())) {
            interval = SHORTEST;
        }
        wake.run();
        return wait.answer;
    }

    /** Returns the number of waiting callers. */
    int size() {
        return waiting.size();
    }

    /** Completes the waits for updates that a durable transition of this process has taken in or answered. */
    void written(RunKey run, Collection<UUID> consumed, List<Reply> replies) {
        if (waiting.isEmpty()) {
            return;
        }
        Map<UUID, Reply> byId = new HashMap<>();
        replies.forEach(reply -> byId.put(reply.id(), reply));
        for (Wait wait : waiting) {
            Reply.Question asked = wait.question;
            if (asked.run().equals(run)) {
                Reply reply = byId.getOrDefault(asked.message(), byId.get(asked.answer()));
                if (reply != null || consumed.contains(asked.message())) {
                    wait.hear(new Reply.State(asked, reply, false, true));
                }
            }
        }
    }

    /** Reads all answers soon, as a run has closed, or nudges may have been lost. */
    void look() {
        if (!waiting.isEmpty()) {
            interval = SHORTEST;
            wake.run();
        }
    }

    /** Stops polling: present and later waits fail. */
    void close() {
        closed = true;
        waiting.forEach(wait -> wait.answer.completeExceptionally(BlockedCallers.engineIsClosed()));
    }

    @Override
    public Duration runOnce() {
        if (waiting.isEmpty()) {
            return UNTIL_WOKEN;
        }
        Map<Reply.Question, List<Wait>> asked = new HashMap<>();
        waiting.forEach(wait -> asked.computeIfAbsent(wait.question, question -> new ArrayList<>())
                .add(wait));
        List<Reply.Question> questions = List.copyOf(asked.keySet());
        for (int from = 0; from < questions.size(); from += QUESTIONS_PER_QUERY) {
            store.replies(questions.subList(from, Math.min(questions.size(), from + QUESTIONS_PER_QUERY)))
                    .forEach(state ->
                            asked.getOrDefault(state.question(), List.of()).forEach(wait -> wait.hear(state)));
        }
        Duration pause = interval;
        Duration longer = pause.multipliedBy(3).dividedBy(2);
        interval = longer.compareTo(LONGEST) < 0 ? longer : LONGEST;
        return pause;
    }

    /** Returns the longest pause during an outage, so that callers hardly wait for longer than the outage lasts. */
    @Override
    public Duration patience() {
        return LONGEST;
    }
}
