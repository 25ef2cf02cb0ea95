package dev.durable.internal.engine;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
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
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * The callers of this process that wait for updates. A transition that this process commits completes the futures of
 * its updates at once, after the answered COMMIT. For the others a nudge leads to a query at once, and one query per
 * interval reads the answers of all of them, with the states of their runs: a run that has ended answers nothing any
 * more. The interval grows to a second while no answer comes, and starts over with each new waiter; it starts longer
 * while nudges arrive. A waiter that gives up cancels its future and is read no longer.
 */
final class UpdateWaiters implements Step {
    private static final int QUESTIONS_PER_QUERY = 200;
    private static final Duration SHORTEST = Duration.ofMillis(10);
    private static final Duration SHORTEST_WITH_NUDGES = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofSeconds(1);

    private final HistoryStore store;
    private final BooleanSupplier nudged;
    private final Predicate<UUID> isHere;
    private final Set<Wait> waiting = ConcurrentHashMap.newKeySet();
    /** The runs that have accepted or answered an update, or have closed, according to a nudge. */
    private final Set<UUID> hinted = ConcurrentHashMap.newKeySet();

    /** The last runs that have answered while no caller waited, here or elsewhere, according to a nudge. */
    private final Cache<UUID, Boolean> early =
            Caffeine.newBuilder().maximumSize(1_000).executor(Runnable::run).build();

    private volatile Runnable wake = () -> {};
    private volatile Duration interval = LONGEST;
    /** The time of the monotonic clock at which all answers are read again. */
    private final AtomicLong lookAt;

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

    /**
     * @param nudged whether nudges of other processes arrive here, as far as is known
     * @param isHere whether a run goes on in this process: its transitions complete the futures of its updates
     */
    UpdateWaiters(HistoryStore store, BooleanSupplier nudged, Predicate<UUID> isHere) {
        this.store = store;
        this.nudged = nudged;
        this.isHere = isHere;
        this.lookAt = new AtomicLong(store.clock().nanoTime() + UNTIL_WOKEN.toNanos());
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
        if (early.asMap().remove(question.run().runId()) != null) {
            hinted.add(question.run().runId());
        }
        boolean here = isHere.test(question.run().runId());
        lookWithin(here ? LONGEST : nudged.getAsBoolean() ? SHORTEST_WITH_NUDGES : SHORTEST);
        return wait.answer;
    }

    /** Has all answers read when this time has passed, and then less and less often. */
    private void lookWithin(Duration time) {
        long at = store.clock().nanoTime() + time.toNanos();
        lookAt.accumulateAndGet(at, (one, other) -> one - other < 0 ? one : other);
        if (time.compareTo(interval) < 0) {
            interval = time;
        }
        wake.run();
    }

    /** Returns the number of waiting callers. */
    int size() {
        return waiting.size();
    }

    /**
     * Completes the waits for updates that a durable transition of this process has taken in or answered. A caller whose
     * wait begins a moment later has the answers of the run read at once.
     */
    void written(RunKey run, Collection<UUID> consumed, List<Reply> replies) {
        early.put(run.runId(), true);
        Map<UUID, Reply> byId = new HashMap<>();
        replies.forEach(reply -> byId.put(reply.id(), reply));
        Set<UUID> missed = new HashSet<>(consumed);
        missed.addAll(byId.keySet());
        for (Wait wait : waiting) {
            Reply.Question asked = wait.question;
            if (asked.run().equals(run)) {
                Reply reply = byId.getOrDefault(asked.message(), byId.get(asked.answer()));
                if (reply != null || consumed.contains(asked.message())) {
                    wait.hear(new Reply.State(asked, reply, false, true));
                    if (!wait.answer.isDone()) {
                        // The run may have answered this id before: then no transition brings the answer.
                        hinted.add(run.runId());
                        wake.run();
                    }
                }
                missed.removeAll(List.of(asked.message(), asked.answer()));
            }
        }
        if (missed.isEmpty()) {
            early.invalidate(run.runId());
        }
    }

    /** Reads all answers at once, as nudges may have been lost. */
    void look() {
        if (!waiting.isEmpty()) {
            lookWithin(Duration.ZERO);
        }
    }

    /** Reads the answers of a run at once, as it may have given one or may have closed. */
    void look(UUID runId) {
        early.put(runId, true);
        if (waiting.stream().anyMatch(wait -> wait.question.run().runId().equals(runId))) {
            early.invalidate(runId);
            hinted.add(runId);
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
        long now = store.clock().nanoTime();
        if (waiting.isEmpty()) {
            hinted.clear();
            lookAt.set(now + UNTIL_WOKEN.toNanos());
            // Checked again: a caller may have come before its time to look was overwritten.
            if (waiting.isEmpty()) {
                return UNTIL_WOKEN;
            }
            lookAt.set(now);
        }
        long due = lookAt.get();
        Set<UUID> said = Set.copyOf(hinted);
        hinted.removeAll(said);
        if (now - due >= 0) {
            Duration pause = interval.isZero() ? SHORTEST : interval;
            Duration longer = pause.multipliedBy(3).dividedBy(2);
            interval = longer.compareTo(LONGEST) < 0 ? longer : LONGEST;
            lookAt.compareAndSet(due, now + pause.toNanos());
            ask(List.copyOf(waiting));
        } else if (!said.isEmpty()) {
            ask(waiting.stream()
                    .filter(wait -> said.contains(wait.question.run().runId()))
                    .toList());
        }
        return Duration.ofNanos(Math.max(1, lookAt.get() - store.clock().nanoTime()));
    }

    private void ask(List<Wait> waits) {
        Map<Reply.Question, List<Wait>> asked = new HashMap<>();
        waits.forEach(wait -> asked.computeIfAbsent(wait.question, question -> new ArrayList<>())
                .add(wait));
        List<Reply.Question> questions = List.copyOf(asked.keySet());
        for (int from = 0; from < questions.size(); from += QUESTIONS_PER_QUERY) {
            store.replies(questions.subList(from, Math.min(questions.size(), from + QUESTIONS_PER_QUERY)))
                    .forEach(state ->
                            asked.getOrDefault(state.question(), List.of()).forEach(wait -> wait.hear(state)));
        }
    }

    /** Returns the longest pause during an outage, so that callers hardly wait for longer than the outage lasts. */
    @Override
    public Duration patience() {
        return LONGEST;
    }
}
