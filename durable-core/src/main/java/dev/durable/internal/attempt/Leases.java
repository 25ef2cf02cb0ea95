package dev.durable.internal.attempt;

import dev.durable.history.OptionsJson;
import dev.durable.internal.commit.Weights;
import dev.durable.store.JobKey;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The job leases that this process holds or is about to get, by lease token, each from before it is written until its
 * outcome is durable; a lease that the store has and this map has not belongs to a claim whose reply was lost.
 *
 * <pre>
 *   Reserved ──► Attempt ──► HandedOver ──► gone          (a claim begins as Attempt; a report to the store ends it there)
 * </pre>
 */
public final class Leases {
    private final ConcurrentHashMap<UUID, Held> held = new ConcurrentHashMap<>();
    private final Set<Object> claimsUnderWay = ConcurrentHashMap.newKeySet();
    /**
     * Leases of attempts whose end could not be reported: their bodies have begun, so they must not be taken for claims
     * whose reply was lost.
     */
    private final Set<UUID> forgotten = ConcurrentHashMap.newKeySet();

    private final Set<UUID> leftBehind = ConcurrentHashMap.newKeySet();
    private final AtomicLong weight = new AtomicLong();
    private final AtomicBoolean claimLost = new AtomicBoolean();
    private volatile Runnable whenClaimLost = () -> {};
    private volatile Runnable whenEmpty = () -> {};
    private volatile Consumer<Held> whenEnded = ended -> {};

    /** The holder of a lease in this process: a reservation, an attempt, or an outcome that a run has taken. */
    public sealed interface Held permits Reserved, Attempt, HandedOver {}

    /**
     * A slot for a job that is about to be inserted.
     *
     * @param session the session that will hold the lease
     * @param queue the queue of the job
     * @param slot the slot taken for it
     */
    public record Reserved(UUID session, ActivityQueue queue, ActivitySlots.Slot slot) implements Held {}

    /**
     * An outcome that the run's cached instance took and will make durable.
     *
     * @param outcome the outcome
     * @param looks how many checks since then still found the lease in the store
     * @param toInbox whether it was sent to the inbox since; the store's answer to that ends the holding
     */
    public record HandedOver(AttemptOutcome outcome, int looks, boolean toInbox) implements Held {
        public HandedOver(AttemptOutcome outcome) {
            this(outcome, 0, false);
        }

        public HandedOver lookedAt() {
            return new HandedOver(outcome, looks + 1, toInbox);
        }

        public HandedOver sent() {
            return new HandedOver(outcome, looks, true);
        }
    }

    /** Sets the action that runs when no lease is held any more. */
    public void onEmpty(Runnable action) {
        whenEmpty = action;
    }

    /** Sets the action for each lease that is removed because its outcome is durable. */
    public void onEnded(Consumer<Held> action) {
        whenEnded = action;
    }

    public boolean isEmpty() {
        return held.isEmpty();
    }

    /** Returns the tokens of all leases that are held now. */
    public Set<UUID> tokens() {
        return Set.copyOf(held.keySet());
    }

    public boolean knows(UUID lease) {
        return held.containsKey(lease);
    }

    public void put(UUID lease, Held holding) {
        weigh(held.put(lease, holding), holding);
    }

    /** Returns the bytes of the jobs that run here, and of the outcomes that runs have taken. */
    public long weight() {
        return weight.get();
    }

    private void weigh(@Nullable Held before, @Nullable Held after) {
        long more = weightOf(after) - weightOf(before);
        if (more != 0) {
            weight.addAndGet(more);
        }
    }

    private static long weightOf(@Nullable Held holding) {
        return switch (holding) {
            case Attempt attempt -> Weights.of(attempt.job());
            case HandedOver taken ->
                Weights.of(taken.outcome().job(), taken.outcome().message());
            case Reserved ignored -> 0;
            case null -> 0;
        };
    }

    /** Removes the lease; returns whether this call removed it. */
    public boolean remove(UUID lease) {
        Held ended = held.remove(lease);
        if (ended == null) {
            return false;
        }
        weigh(ended, null);
        whenEnded.accept(ended);
        if (held.isEmpty()) {
            whenEmpty.run();
        }
        return true;
    }

    /**
     * Forgets a lease whose end can't be reported, so that it is found unused and its job is given back. A job that
     * runs at most once must not begin again: its lease stays here until the session ends, and then the job ends with
     * an unknown outcome.
     */
    public void forget(UUID lease) {
        Held ended = get(lease);
        switch (ended) {
            case Attempt attempt -> forgetBegun(lease, attempt.isAtMostOnce());
            case HandedOver taken ->
                forgetBegun(
                        lease,
                        OptionsJson.isAtMostOnce(taken.outcome().job().content().options()));
            case Reserved ignored -> remove(lease);
            case null -> {}
        }
    }

    private void forgetBegun(UUID lease, boolean once) {
        if (!once) {
            forgotten.add(lease);
            remove(lease);
        }
    }

    /** Returns whether an attempt under this lease was forgotten, so that its body may have been called. */
    public boolean isForgotten(UUID lease) {
        return forgotten.contains(lease);
    }

    /** Drops a forgotten lease, as the store has given its job back. */
    public void givenBack(UUID lease) {
        forgotten.remove(lease);
    }

    /** Records that the attempt under this lease ends while its body goes on. */
    void leaveBehind(UUID lease) {
        leftBehind.add(lease);
    }

    /** Returns whether the body of an ended attempt goes on. */
    public boolean isLeftBehind(UUID lease) {
        return leftBehind.contains(lease);
    }

    /** Records that the body of an ended attempt has ended, too. */
    void bodyEnded(UUID lease) {
        leftBehind.remove(lease);
    }

    /** Frees the place under a limit that was kept for that body. */
    void placeFree(Held ended) {
        whenEnded.accept(ended);
    }

    @Nullable
    public Held get(UUID lease) {
        return held.get(lease);
    }

    public List<Attempt> attempts() {
        return only(Attempt.class, held.values());
    }

    /** Returns the attempt of this job, if it runs here. */
    public Optional<Attempt> attemptOf(JobKey key) {
        return attempts().stream().filter(attempt -> attempt.key().equals(key)).findFirst();
    }

    /** Replaces a handed-over outcome after one more check, unless its lease was removed meanwhile. */
    public void replace(HandedOver before, HandedOver after) {
        held.replace(before.outcome().lease(), before, after);
    }

    public List<HandedOver> handedOver() {
        return only(HandedOver.class, held.values());
    }

    /** Registers a claim before it is sent; the leases in its reply become known before {@link #claimEnds}. */
    public Object claimBegins() {
        Object claim = new Object();
        claimsUnderWay.add(claim);
        return claim;
    }

    public void claimEnds(Object claim) {
        claimsUnderWay.remove(claim);
    }

    /** Records that a claim was not answered: the leases that it may have taken are to be looked for. */
    public void claimLost() {
        claimLost.set(true);
        whenClaimLost.run();
    }

    /** Sets the action that runs when a claim was not answered. */
    public void onClaimLost(Runnable action) {
        whenClaimLost = action;
    }

    /** Returns whether a claim was not answered since the last call of this method. */
    public boolean takeClaimLost() {
        return claimLost.getAndSet(false);
    }

    /** Returns the claims whose replies may bring leases that are not known yet. */
    public Set<Object> claimsUnderWay() {
        return Set.copyOf(claimsUnderWay);
    }

    private static <T> List<T> only(Class<T> type, Collection<Held> all) {
        return all.stream().filter(type::isInstance).map(type::cast).toList();
    }
}
