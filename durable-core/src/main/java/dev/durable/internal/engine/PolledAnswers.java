package dev.durable.internal.engine;

import dev.durable.internal.drive.BlockedCallers;
import dev.durable.internal.drive.Step;
import dev.durable.store.StoreClock;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Callers of this process that wait until the store answers their questions about runs as they want. A nudge of a run
 * leads to a query at once. Besides, each question is asked from time to time, in case a nudge was lost: its pause grows
 * to a second, starts over with each new caller that asks it, and starts longer while nudges arrive. A query for the
 * questions that are due takes along those that are due next, as far as it has room; their pauses do not grow by that.
 * A caller that gives up cancels its future, and its question is asked no longer.
 *
 * <p>A step makes two queries at most, one of questions that a nudge concerns and one of questions that are due, so no
 * nudge waits for all questions of the process.
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

    /** Guards all collections and the questions in them. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Map<Q, Asked<Q, A>> questions = new HashMap<>();
    private final Map<UUID, Set<Asked<Q, A>>> byRun = new HashMap<>();
    private final NavigableSet<Asked<Q, A>> byDue = new TreeSet<>();
    /** The questions to be asked at once, according to a nudge. */
    private final Set<Asked<Q, A>> hinted = new LinkedHashSet<>();
    /** The last runs of which a nudge, or this process, has told, with the number of that hint. */
    private final Map<UUID, Long> early = lastOnes();
    /** The questions that had no answer when they could last be read, with the number of the last hint before. */
    private final Map<Q, Long> unanswered = lastOnes();

    private long hints;
    private long numbers;

    private volatile Runnable wake = () -> {};
    private volatile boolean closed;

    /**
     * The query that answers all questions.
     *
     * @param ask reads the answers from the store, in any order
     * @param asked the question of an answer
     * @param next the question of a caller that has got an answer and asks for more; null where callers ask once
     * @param run the run that a question is about
     * @param atOnce the largest number of questions of one query
     */
    record Query<Q, A>(
            Function<List<Q>, List<A>> ask,
            Function<A, Q> asked,
            @Nullable Function<A, Q> next,
            Function<Q, UUID> run,
            int atOnce) {}

    /** A caller, compared by identity: several may ask the same question. */
    static final class Wait<Q, A> {
        private final Q question;
        private final Predicate<A> isEnough;
        private final CompletableFuture<A> answer = new CompletableFuture<>();

        private Wait(Q question, Predicate<A> isEnough) {
            this.question = question;
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

    /** A question of waiting callers, and the time of the monotonic clock at which it is asked next. */
    private static final class Asked<Q, A> implements Comparable<Asked<Q, A>> {
        private final Q question;
        private final long number;
        private final Set<UUID> runs = new LinkedHashSet<>();
        private final Set<Wait<Q, A>> waits = new LinkedHashSet<>();
        private Duration pause = LONGEST;
        private long dueAt;

        Asked(Q question, long number) {
            this.question = question;
            this.number = number;
        }

        @Override
        public int compareTo(Asked<Q, A> other) {
            int earlier = Long.signum(dueAt - other.dueAt);
            return earlier == 0 ? Long.compare(number, other.number) : earlier;
        }

        boolean isDue(long now) {
            return now - dueAt >= 0;
        }
    }

    /** @param nudged whether nudges of other processes arrive here, as far as is known */
    PolledAnswers(StoreClock clock, BooleanSupplier nudged, Query<Q, A> query) {
        this.clock = clock;
        this.nudged = nudged;
        this.query = query;
    }

    private static <K> Map<K, Long> lastOnes() {
        return new LinkedHashMap<>(16, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<K, Long> eldest) {
                return size() > 1_000;
            }
        };
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
        Wait<Q, A> wait = new Wait<>(question, isEnough);
        Duration pause = comesAnyway ? LONGEST : nudged.getAsBoolean() ? SHORTEST_WITH_NUDGES : SHORTEST;
        inTurn(() -> add(wait, alsoRun, pause));
        var unused = wait.answer.whenComplete((answer, error) -> inTurn(() -> remove(wait)));
        if (closed) {
            close();
        }
        wake.run();
        return wait.answer;
    }

    private void add(Wait<Q, A> wait, @Nullable UUID alsoRun, Duration pause) {
        Asked<Q, A> asked = questions.get(wait.question);
        if (asked == null) {
            asked = new Asked<>(wait.question, numbers++);
            asked.dueAt = clock.nanoTime() + LONGEST.toNanos();
            questions.put(wait.question, asked);
            addRun(asked, query.run.apply(wait.question));
        }
        asked.waits.add(wait);
        if (alsoRun != null) {
            addRun(asked, alsoRun);
        }
        if (pause.compareTo(asked.pause) < 0) {
            asked.pause = pause;
        }
        long at = clock.nanoTime() + pause.toNanos();
        putOff(asked, at - asked.dueAt < 0 ? at : asked.dueAt);
        if (asked.runs.stream().anyMatch(run -> isNews(run, wait.question))) {
            hinted.add(asked);
        }
    }

    private void addRun(Asked<Q, A> asked, UUID run) {
        if (asked.runs.add(run)) {
            byRun.computeIfAbsent(run, id -> new LinkedHashSet<>()).add(asked);
        }
    }

    /** Returns whether a hint about the run has come since the question was last known to have no answer. */
    private boolean isNews(UUID run, Q question) {
        Long hint = early.get(run);
        Long read = unanswered.get(question);
        return hint != null && (read == null || hint > read);
    }

    private void remove(Wait<Q, A> wait) {
        Asked<Q, A> asked = questions.get(wait.question);
        if (asked != null && asked.waits.remove(wait) && asked.waits.isEmpty()) {
            questions.remove(wait.question);
            byDue.remove(asked);
            hinted.remove(asked);
            asked.runs.forEach(run ->
                    byRun.computeIfPresent(run, (id, those) -> those.remove(asked) && those.isEmpty() ? null : those));
        }
    }

    /** Returns the number of waiting callers. */
    int size() {
        return locked(() -> questions.values().stream()
                .mapToInt(asked -> asked.waits.size())
                .sum());
    }

    /** Returns the callers that wait for answers about a run. */
    Collection<Wait<Q, A>> waiting(UUID runId) {
        return locked(() -> waits(byRun.getOrDefault(runId, Set.of())));
    }

    private static <Q, A> List<Wait<Q, A>> waits(Collection<Asked<Q, A>> asked) {
        return asked.stream().flatMap(those -> those.waits.stream()).toList();
    }

    /** Reads all answers at once, as nudges may have been lost. */
    void look() {
        long now = clock.nanoTime();
        inTurn(() -> questions.values().forEach(asked -> putOff(asked, now)));
        wake.run();
    }

    private void putOff(Asked<Q, A> asked, long at) {
        byDue.remove(asked);
        asked.dueAt = at;
        byDue.add(asked);
    }

    /**
     * Reads the answers about a run at once, as they may have changed. Where callers ask for more, it is known to those
     * that come later, too.
     */
    void look(UUID runId) {
        boolean awaited = locked(() -> {
            boolean isHeard = hint(runId);
            if (!isHeard || query.next != null) {
                early.put(runId, ++hints);
            } else {
                early.remove(runId);
            }
            return isHeard;
        });
        if (awaited) {
            wake.run();
        }
    }

    private boolean hint(UUID runId) {
        Set<Asked<Q, A>> those = byRun.getOrDefault(runId, Set.of());
        hinted.addAll(those);
        return !those.isEmpty();
    }

    /** Has the answers about a run read at once for the caller that comes next. */
    void awaitCallers(UUID runId) {
        inTurn(() -> early.put(runId, ++hints));
    }

    /** Takes back {@link #awaitCallers}. */
    void callersHaveHeard(UUID runId) {
        inTurn(() -> early.remove(runId));
    }

    void readSoon(UUID runId) {
        inTurn(() -> hint(runId));
        wake.run();
    }

    /** Stops polling: present and later waits fail. */
    void close() {
        closed = true;
        locked(() -> waits(questions.values()))
                .forEach(wait -> wait.answer.completeExceptionally(BlockedCallers.engineIsClosed()));
    }

    @Override
    public Duration runOnce() {
        ask(this::hinted);
        ask(this::due);
        return locked(this::untilNext);
    }

    /** Takes the questions that nudges concern, as many as one query has. */
    private List<Asked<Q, A>> hinted() {
        List<Asked<Q, A>> taken = hinted.stream().limit(query.atOnce).toList();
        taken.forEach(hinted::remove);
        return taken;
    }

    /** Puts off the questions that are due next, as many as one query has; none where none is due now. */
    private List<Asked<Q, A>> due() {
        long now = clock.nanoTime();
        if (byDue.isEmpty() || !byDue.first().isDue(now)) {
            return List.of();
        }
        List<Asked<Q, A>> taken = byDue.stream().limit(query.atOnce).toList();
        for (Asked<Q, A> asked : taken) {
            Duration pause = asked.pause;
            if (asked.isDue(now)) {
                Duration longer = pause.multipliedBy(3).dividedBy(2);
                asked.pause = longer.compareTo(LONGEST) < 0 ? longer : LONGEST;
            }
            putOff(asked, now + pause.toNanos());
        }
        return taken;
    }

    private Duration untilNext() {
        if (!hinted.isEmpty()) {
            return AGAIN;
        }
        return byDue.isEmpty() ? UNTIL_WOKEN : Duration.ofNanos(Math.max(0, byDue.first().dueAt - clock.nanoTime()));
    }

    /** Asks the questions, and tells those of their callers that waited before. */
    private void ask(Supplier<List<Asked<Q, A>>> choice) {
        Map<Q, List<Wait<Q, A>>> waits = new LinkedHashMap<>();
        long before = locked(() -> {
            choice.get().forEach(asked -> waits.put(asked.question, List.copyOf(asked.waits)));
            return hints;
        });
        if (waits.isEmpty()) {
            return;
        }
        List<A> answers;
        try {
            answers = query.ask.apply(List.copyOf(waits.keySet()));
        } catch (RuntimeException | Error e) {
            inTurn(() -> waits.keySet().stream()
                    .map(questions::get)
                    .filter(Objects::nonNull)
                    .forEach(hinted::add));
            throw e;
        }
        Function<A, Q> next = query.next;
        if (next != null) {
            inTurn(() -> answers.forEach(answer -> unanswered.put(next.apply(answer), before)));
        }
        answers.forEach(answer ->
                waits.getOrDefault(query.asked.apply(answer), List.of()).forEach(wait -> wait.hear(answer)));
    }

    private void inTurn(Runnable change) {
        locked(() -> {
            change.run();
            return true;
        });
    }

    private <T> T locked(Supplier<T> work) {
        lock.lock();
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }

    /** Returns the longest pause during an outage, so that callers hardly wait for longer than the outage lasts. */
    @Override
    public Duration patience() {
        return LONGEST;
    }
}
