package dev.durable.internal.run;

import dev.durable.history.ActivityScheduled;
import dev.durable.internal.attempt.AttemptOutcome;
import dev.durable.internal.attempt.LocalCalls;
import dev.durable.store.ClaimedJob;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The local activities that one run has begun and whose outcomes it has not got yet, by number. */
public final class RunLocals {
    private final LocalCalls calls;
    private final LocalCalls.Caller caller;
    private final Supplier<UUID> random;
    private final Map<Integer, UUID> leases = new HashMap<>(4);
    /** The activities of the unwritten draft, which begin when it is written. */
    private final Set<Integer> unwritten = new HashSet<>(4);
    /** True while the run is fed nothing before one of them has ended. */
    private boolean awaited;

    RunLocals(LocalCalls calls, LocalCalls.Caller caller, Supplier<UUID> random) {
        this.calls = calls;
        this.caller = caller;
        this.random = random;
    }

    boolean isEmpty() {
        return leases.isEmpty();
    }

    /** Returns the number of local activities whose outcomes the run waits for. */
    int open() {
        return leases.size();
    }

    /** Returns whether the unwritten draft calls none. */
    boolean areAllWritten() {
        return unwritten.isEmpty();
    }

    /** Has the run wait for the next outcome. */
    void await() {
        awaited = true;
    }

    boolean areAwaited() {
        return awaited;
    }

    /** Begins the activity when the draft is written, unless it has begun for an instance before this one. */
    void begin(TransitionDraft draft, ActivityScheduled call) {
        if (leases.containsKey(call.seq())) {
            return;
        }
        UUID lease = random.get();
        leases.put(call.seq(), lease);
        unwritten.add(call.seq());
        ClaimedJob job = draft.local(call, lease);
        draft.beginsLocal(() -> calls.begin(job, caller));
    }

    /** Stops the activity when the draft is written; returns false where it has not begun. */
    boolean cancel(TransitionDraft draft, int seq) {
        UUID lease = leases.get(seq);
        if (lease != null) {
            draft.onceWritten(() -> calls.cancel(lease));
        }
        return lease != null;
    }

    /** Records that the draft is written. */
    void written() {
        unwritten.clear();
    }

    /** Records that the draft will not be written: the activities that ended in it count as open again. */
    void rewind(List<AttemptOutcome> ended) {
        leases.keySet().removeAll(unwritten);
        unwritten.clear();
        for (AttemptOutcome outcome : ended) {
            if (outcome.local()) {
                leases.put(outcome.key().seq(), outcome.lease());
            }
        }
    }

    /**
     * Returns whether this instance waits for the outcome; the outcome of a call by an instance before it does not
     * count.
     */
    boolean ended(AttemptOutcome outcome) {
        awaited = false;
        return leases.remove(outcome.key().seq(), outcome.lease());
    }

    /**
     * Returns when the run is due although it waits for its own process, in case that process dies; null where it waits
     * for no local activity.
     */
    @Nullable
    Instant silentUntil(Instant now) {
        return leases.isEmpty() ? null : now.plus(calls.silence());
    }

    void abandon() {
        leases.values().forEach(calls::abandon);
        leases.clear();
    }
}
