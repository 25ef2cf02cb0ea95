package dev.durable.internal.engine;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.durable.internal.drive.BlockedCallers;
import dev.durable.internal.drive.Step;
import dev.durable.store.StoreClock;
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
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Callers of this process that wait until the store answers their questions about runs as they want. A nudge of a run
 * leads to a query at once, and one query per interval asks the questions of all callers. The interval grows to a
 * second while no caller comes, and starts over with each new one; it starts longer while nudges arrive. A caller that
 * gives up cancels its future, and its question is asked no longer.
 *
 * @param <Q> a question, compared by value: callers with the same one share its answer
 * @param <A> its answer
 */
final class PolledAnswers<Q, A> implements Step {
    static final Duration LONGEST = Duration.ofSeconds(1);
    private static final Duration SHORTEST = Duration.ofMillis(10);
    private static final Duration SHORTEST_WITH_NUDGES = Duration.ofMillis(100);

    private final StoreClock clock;
    private final BooleanSupplier nudged;
    private final Query<Q, A> query;
    private final Set<Wait<Q, A>> waiting = ConcurrentHashMap.newKeySet();
    /** The runs whose answers are to be read at once, according to a nudge. */
    private final Set<UUID> hinted = ConcurrentHashMap.newKeySet();

    /** The last runs of which a nudge, or this process, has told while no caller waited. */
    private final Cache<UUID, Boolean> early =
            Caffeine.newBuilder().maximumSize(1_000).executor(Runnable::run).build();

    private volatile Runnable wake = () -> {};
    private volatile Duration interval = LONGEST;
    /** The time of the monotonic clock at which all answers are read again. */
    private final AtomicLong lookAt;

    private volatile boolean closed;

    /**
     * The query that answers all questions.
     *
     * @param ask reads the answers from the store, in any order
     * @param asked the question of an answer
     * @param run the run that a question is about
     * @param atOnce the largest number of questions of one query
     */
    record Query<Q, A>(Function<List<Q>, List<A>> ask, Function<A, Q> asked, Function<Q, UUID> run, int atOnce) {}

    /** A caller, compared by identity: several may ask the same question. */
    static final class Wait<Q, A> {
        private final Q question;
        private final Set<UUID> runs;
        private final Predicate<A> isEnough;
        private final CompletableFuture<A> answer = new CompletableFuture<>();

        private Wait(Q question, Set<UUID> runs, Predicate<A> isEnough) {
            this.question = question;
            this.runs = runs;
            this.isEnough = isEnough;
        }

        Q question() {
            return question;
        }

        boolean isDone() {
            return answer.isDone();
        }

        /** Ends the wait, if this answer is what the caller waits for. */
        void hear(A possible) {
            if (isEnough.test(possible)) {
                answer.complete(possible);
            }
        }
    }

    /** @param nudged whether nudges of other processes arrive here, as far as is known */
    PolledAnswers(StoreClock clock, BooleanSupplier nudged, Query<Q, A> query) {
        this.clock = clock;
        this.nudged = nudged;
        this.query = query;
        this.lookAt = new AtomicLong(clock.nanoTime() + UNTIL_WOKEN.toNanos());
    }

    void onWait(Runnable action) {
        wake = action;
    }

    /**
     * Returns the first answer that is what the caller waits for. Each caller gets a future of its own, which it may
     * cancel.
     *
     * @param alsoRun another run whose nudges concern the question; null without
     * @param comesAnyway whether this process will tell of the answer, so that it is hardly polled for
     */
    CompletableFuture<A> answer(Q question, @Nullable UUID alsoRun, Predicate<A> isEnough, boolean comesAnyway) {
        UUID run = query.run.apply(question);
        Wait<Q, A> wait = new Wait<>(
                question, alsoRun == null || alsoRun.equals(run) ? Set.of(run) : Set.of(run, alsoRun), isEnough);
        waiting.add(wait);
        var unused = wait.answer.whenComplete((answer, error) -> waiting.remove(wait));
        if (closed) {
            close();
        }
        for (UUID about : wait.runs) {
            // It stays for other callers, whose answers may have come together with this one's.
            if (early.getIfPresent(about) != null) {
                hinted.add(about);
            }
        }
        lookWithin(comesAnyway ? LONGEST : nudged.getAsBoolean() ? SHORTEST_WITH_NUDGES : SHORTEST);
        return wait.answer;
    }

    /** Has all answers read when this time has passed, and then less and less often. */
    private void lookWithin(Duration time) {
        long at = clock.nanoTime() + time.toNanos();
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

    /** Returns the waiting callers. */
    Collection<Wait<Q, A>> waiting() {
        return waiting;
    }

    /** Reads all answers at once, as nudges may have been lost. */
    void look() {
        if (!waiting.isEmpty()) {
            lookWithin(Duration.ZERO);
        }
    }

    /** Reads the answers about a run at once, as they may have changed. */
    void look(UUID runId) {
        awaitCallers(runId);
        if (waiting.stream().anyMatch(wait -> wait.runs.contains(runId))) {
            callersHaveHeard(runId);
            readSoon(runId);
        }
    }

    /** Has the answers about a run read at once for the caller that comes next. */
    void awaitCallers(UUID runId) {
        early.put(runId, true);
    }

    /** Takes back {@link #awaitCallers}. */
    void callersHaveHeard(UUID runId) {
        early.invalidate(runId);
    }

    void readSoon(UUID runId) {
        hinted.add(runId);
        wake.run();
    }

    /** Stops polling: present and later waits fail. */
    void close() {
        closed = true;
        waiting.forEach(wait -> wait.answer.completeExceptionally(BlockedCallers.engineIsClosed()));
    }

    @Override
    public Duration runOnce() {
        long now = clock.nanoTime();
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
                    .filter(wait -> wait.runs.stream().anyMatch(said::contains))
                    .toList());
        }
        return Duration.ofNanos(Math.max(1, lookAt.get() - clock.nanoTime()));
    }

    private void ask(List<Wait<Q, A>> waits) {
        Map<Q, List<Wait<Q, A>>> asked = new HashMap<>();
        waits.forEach(wait -> asked.computeIfAbsent(wait.question, question -> new ArrayList<>())
                .add(wait));
        List<Q> questions = List.copyOf(asked.keySet());
        for (int from = 0; from < questions.size(); from += query.atOnce) {
            query.ask
                    .apply(questions.subList(from, Math.min(questions.size(), from + query.atOnce)))
                    .forEach(answer -> asked.getOrDefault(query.asked.apply(answer), List.of())
                            .forEach(wait -> wait.hear(answer)));
        }
    }

    /** Returns the longest pause during an outage, so that callers hardly wait for longer than the outage lasts. */
    @Override
    public Duration patience() {
        return LONGEST;
    }
}
