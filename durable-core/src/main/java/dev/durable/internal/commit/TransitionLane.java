package dev.durable.internal.commit;

import dev.durable.StoreUnavailableException;
import dev.durable.internal.drive.Drive;
import dev.durable.internal.drive.Step;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.HistoryStore;
import dev.durable.store.ReadBack;
import dev.durable.store.Transition;
import dev.durable.store.Writes;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Group commit for transitions of runs, with read-back of the fence when the answer to COMMIT is unknown. Unlike
 * messages, transitions can't simply be sent again: one that happened has moved the fence it names. So where the answer
 * to COMMIT never came, or was an error that may not be the transition's own, the fence is read back under lock, and
 * only transitions that did not happen are sent again, under a fresh fence. A resend that finds the fence moved reads
 * back once more, for the first send may have arrived late.
 *
 * <pre>
 *   queued ──► sent ──► outcome
 *                └──► unknown ──► read back ──► happened (applied) | overtaken (fence lost) | not happened ──► sent again
 *     │          └──► locked ──► the slow lane beside this one: alone, with more patience, again and again
 *     └── on the slow lane: one at a time
 * </pre>
 */
public final class TransitionLane implements Step {
    private static final Logger log = LoggerFactory.getLogger(TransitionLane.class);

    private final String name;
    private final HistoryStore store;
    private final Writes writes;
    private final @Nullable TransitionLane slow;

    private final Supplier<UUID> fences;
    private final CommitQueue.Line<Entry> line;
    private final CommitQueue.Seat<Entry> seat;
    /**
     * The members of a batch that failed with an error; they are sent one by one, so that only the one that causes it
     * gets the error.
     */
    private final ArrayDeque<Entry> alone = new ArrayDeque<>();

    private List<Entry> sending = List.of();
    private List<Entry> unknown = List.of();

    TransitionLane(String name, HistoryStore store, CommitQueue.Line<Entry> line, Supplier<UUID> fences) {
        this(name, store, line, fences, beside(name, store, fences));
    }

    private static TransitionLane beside(String name, HistoryStore store, Supplier<UUID> fences) {
        CommitQueue.Line<Entry> alone = new CommitQueue(store.clock()::nanoTime).mainLine(1, 1);
        return new TransitionLane(name + "-slow", store, alone, fences, null);
    }

    private TransitionLane(
            String name,
            HistoryStore store,
            CommitQueue.Line<Entry> line,
            Supplier<UUID> fences,
            @Nullable TransitionLane slow) {
        this.name = name;
        this.store = store;
        this.writes = slow == null ? store.patient() : store;
        this.line = line;
        this.seat = line.seat();
        this.fences = fences;
        this.slow = slow;
    }

    /** Adds this lane and its slow lane to the drive. */
    void drivenBy(Drive drive) {
        seat.onWork(drive.add(name, Drive.Kind.IO, this));
        if (slow != null) {
            slow.drivenBy(drive);
        }
    }

    /**
     * The outcome of a transition.
     *
     * @param outcome the store's outcome
     * @param fence the fence it was written under, where it was written
     */
    public record Written(Transition.Outcome outcome, UUID fence) {
        public boolean isApplied() {
            return outcome.isApplied();
        }

        @Override
        public String toString() {
            return "Written[" + outcome + "]";
        }
    }

    @Override
    public Duration runOnce() {
        try {
            resolve();
            take();
            if (sending.isEmpty()) {
                return seat.pause();
            }
            send();
            return AGAIN;
        } catch (CommitUnknownException e) {
            if (!sending.isEmpty()) {
                log.debug("the commit of {} transitions is in doubt, and will be read back", sending.size());
                unknown = sending;
                sending = List.of();
            }
            throw e;
        }
    }

    private void take() {
        if (sending.isEmpty() && !alone.isEmpty()) {
            sending = List.of(alone.remove());
        }
        if (sending.isEmpty()) {
            sending = seat.take();
        }
    }

    private void send() {
        List<Entry> batch = sending;
        List<Transition.Outcome> outcomes;
        try {
            outcomes =
                    writes.commit(batch.stream().map(entry -> entry.transition).toList());
        } catch (StoreUnavailableException | CommitUnknownException e) {
            throw e;
        } catch (RuntimeException e) {
            sending = List.of();
            failed(batch, e);
            return;
        }
        sending = List.of();
        List<Entry> doubtful = new ArrayList<>();
        for (int i = 0; i < batch.size(); i++) {
            Entry entry = batch.get(i);
            Transition.Outcome outcome = outcomes.get(i);
            switch (outcome) {
                case LOCKED -> stepAside(entry);
                case FENCE_LOST -> {
                    if (entry.tried.isEmpty()) {
                        entry.complete(outcome, entry.transition.fences().next());
                    } else {
                        entry.overtaken = true;
                        doubtful.add(entry);
                    }
                }
                case APPLIED, APPLIED_MORE, STALE, CLOSE_REFUSED ->
                    entry.complete(outcome, entry.transition.fences().next());
            }
        }
        unknown = doubtful;
    }

    /**
     * Queues a transition whose row is locked for the slow lane, or behind the others on the slow lane itself. Nothing
     * of it was written, so it is sent unchanged.
     */
    private void stepAside(Entry entry) {
        if (slow == null) {
            line.add(entry);
        } else {
            log.info(
                    "a row of {} is locked by another transaction; its transition is tried again alone",
                    entry.transition.run());
            slow.line.add(entry);
        }
    }

    private void failed(List<Entry> batch, RuntimeException error) {
        if (batch.size() == 1) {
            batch.getFirst().written.completeExceptionally(error);
        } else {
            log.warn("a batch of {} transitions failed and is sent one by one", batch.size(), error);
            alone.addAll(batch);
        }
    }

    /** Reads all tried fences in one transaction and decides only then, so that a failed read has no effect. */
    private void resolve() {
        if (unknown.isEmpty()) {
            return;
        }
        List<ReadBack> attempts = unknown.stream().flatMap(Entry::attempts).toList();
        Iterator<ReadBack.Outcome> found = store.readBack(attempts).iterator();
        List<Entry> again = new ArrayList<>();
        for (Entry entry : unknown) {
            UUID happened = null;
            boolean overtaken = entry.overtaken;
            for (UUID fence : entry.fences()) {
                switch (found.next()) {
                    case HAPPENED -> happened = fence;
                    case OVERTAKEN -> overtaken = true;
                    case NOT_HAPPENED -> {}
                }
            }
            if (happened != null) {
                // The read back does not say whether messages wait; an answer that some may wait is always right.
                entry.complete(Transition.Outcome.APPLIED_MORE, happened);
            } else if (overtaken) {
                entry.complete(
                        Transition.Outcome.FENCE_LOST, entry.transition.fences().next());
            } else {
                again.add(entry.again(fences.get()));
            }
        }
        unknown = List.of();
        sending = again;
    }

    public static final class Entry {
        private Transition transition;
        private final List<UUID> tried = new ArrayList<>();
        private boolean overtaken;
        private final CompletableFuture<Written> written = new CompletableFuture<>();

        Transition transition() {
            return transition;
        }

        Entry(Transition transition) {
            this.transition = transition;
        }

        CompletableFuture<Written> written() {
            return written;
        }

        UUID runId() {
            return transition.run().runId();
        }

        void complete(Transition.Outcome outcome, UUID fence) {
            written.complete(new Written(outcome, fence));
        }

        List<UUID> fences() {
            List<UUID> all = new ArrayList<>(tried);
            all.add(transition.fences().next());
            return all;
        }

        Stream<ReadBack> attempts() {
            return fences().stream().map(fence -> new ReadBack(transition.run(), fence, transition.nextEventId()));
        }

        Entry again(UUID fence) {
            tried.add(transition.fences().next());
            transition = transition.withNewFence(fence);
            return this;
        }
    }
}
