package dev.durable.internal.commit;

import dev.durable.StoreUnavailableException;
import dev.durable.internal.drive.Drive;
import dev.durable.internal.drive.Step;
import dev.durable.observe.EngineStatistics;
import dev.durable.store.CommitUnknownException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A queue with group commit for one kind of write: items that arrive while one batch commits form the next batch, with
 * no timer and no artificial delay unless {@link CommitQueue} lets it wait for others.
 *
 * <p>The items must be safe to send again (message ids, lease tokens and run ids make them so): a batch whose COMMIT
 * gave no answer, and one that found the database away, is sent again until it is answered. Any other error goes to the
 * item that causes it: the batch is sent again one by one, and the item that fails alone gets the error.
 *
 * @param <I> items
 * @param <O> their outcomes
 */
public final class Lane<I, O> implements Step {
    private static final Logger log = LoggerFactory.getLogger(Lane.class);

    private final String name;
    private final CommitQueue.Line<Entry<I, O>> line;
    private final CommitQueue.Seat<Entry<I, O>> seat;
    private final Function<List<I>, List<O>> write;
    private final @Nullable SlowRoad<I, O> slow;

    private List<Entry<I, O>> retrying = List.of();

    /** Creates a lane that commits independently of the others. */
    public Lane(String name, int maxBatch, Function<List<I>, List<O>> write) {
        this(name, new CommitQueue(System::nanoTime).mainLine(maxBatch, 1), write);
    }

    /** Creates the only lane of a line. */
    public Lane(String name, CommitQueue.Line<Entry<I, O>> line, Function<List<I>, List<O>> write) {
        this(name, line, line.seat(), write, null);
    }

    private Lane(
            String name,
            CommitQueue.Line<Entry<I, O>> line,
            CommitQueue.Seat<Entry<I, O>> seat,
            Function<List<I>, List<O>> write,
            @Nullable SlowRoad<I, O> slow) {
        this.name = name;
        this.line = line;
        this.seat = seat;
        this.write = write;
        this.slow = slow;
    }

    /**
     * Returns this lane with a slow lane beside it, for items whose rows are locked.
     *
     * @param isLocked recognises the outcome of an item whose row is locked
     * @param patient writes such an item, and waits for the lock for longer
     * @param key the name of an item in the log: its kind and its run, without its payload
     */
    Lane<I, O> withSlowLane(Predicate<O> isLocked, Function<List<I>, List<O>> patient, Function<I, String> key) {
        Lane<I, O> beside = new Lane<>(name + "-slow", 1, patient);
        return new Lane<>(name, line, seat, write, new SlowRoad<>(isLocked, key, beside));
    }

    /** Adds this lane and its slow lane to the drive. */
    void drivenBy(Drive drive) {
        seat.onWork(drive.add(name, Drive.Kind.IO, this));
        if (slow != null) {
            slow.lane.drivenBy(drive);
        }
    }

    /** Queues the item; the future completes after its commit, on the lane's thread. */
    public CompletableFuture<O> submit(I item) {
        Entry<I, O> entry = new Entry<>(item, new Outcome<>());
        line.add(entry);
        return entry.outcome;
    }

    /**
     * Queues the item for a caller, which can wait or try later: fails at once with {@link StoreUnavailableException}
     * while the {@linkplain HeapShare#backlog backlog} waits. Cancelling the future withdraws an item that no batch has
     * taken yet.
     */
    public CompletableFuture<O> offer(I item) {
        Outcome<O> outcome = new Outcome<>();
        Entry<I, O> entry = new Entry<>(item, outcome);
        long most = HeapShare.backlog();
        outcome.onCancel = line.addWithin(most, entry);
        if (outcome.onCancel == null) {
            outcome.completeExceptionally(new StoreUnavailableException(name + ": " + (most >> 20)
                    + " MiB already wait in this process to be written, so this was not sent. Usually the database is away or"
                    + " overloaded, and callers go on sending. Send again later; fewer at a time, or a larger heap, help where"
                    + " the database is well."));
        }
        return outcome;
    }

    /** Returns the number and the bytes of the items that wait to be taken. */
    EngineStatistics.Lane statistics() {
        return new EngineStatistics.Lane(name, line.size(), line.held());
    }

    /** Returns the bytes of the items that wait to be taken. */
    public long held() {
        return line.held();
    }

    private static final class Outcome<O> extends CompletableFuture<O> {
        private volatile @Nullable Runnable onCancel;

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            boolean cancelled = super.cancel(mayInterruptIfRunning);
            Runnable withdraw = onCancel;
            if (cancelled && withdraw != null) {
                withdraw.run();
            }
            return cancelled;
        }
    }

    @Override
    public Duration runOnce() {
        List<Entry<I, O>> batch = retrying;
        if (batch.isEmpty()) {
            batch = seat.take();
        }
        if (batch.isEmpty()) {
            return seat.pause();
        }
        retrying = batch;
        write(batch);
        retrying = List.of();
        return AGAIN;
    }

    private void write(List<Entry<I, O>> batch) {
        try {
            List<O> outcomes = write.apply(batch.stream().map(Entry::item).toList());
            for (int i = 0; i < batch.size(); i++) {
                answer(batch.get(i), outcomes.get(i));
            }
        } catch (StoreUnavailableException | CommitUnknownException e) {
            throw e;
        } catch (RuntimeException e) {
            if (batch.size() == 1) {
                batch.getFirst().outcome.completeExceptionally(e);
            } else {
                log.warn("{}: a batch of {} failed and is sent one by one", name, batch.size(), e);
                batch.stream()
                        .filter(entry -> !entry.outcome.isDone())
                        .map(List::of)
                        .forEach(this::write);
            }
        }
    }

    private void answer(Entry<I, O> entry, O outcome) {
        if (slow != null && slow.isLocked.test(outcome)) {
            slow.lane.submit(entry, slow);
        } else {
            entry.outcome.complete(outcome);
        }
    }

    /**
     * Sends the item on the slow lane; where its row is locked for longer than that lane waits, the item goes to the
     * end of its queue.
     */
    private void submit(Entry<I, O> entry, SlowRoad<I, O> road) {
        log.info(
                "{}: a row that {} needs is locked by another transaction; it is tried again alone",
                name,
                road.key.apply(entry.item));
        var unused = submit(entry.item).whenComplete((outcome, error) -> {
            if (error != null) {
                entry.outcome.completeExceptionally(error);
            } else if (road.isLocked.test(outcome)) {
                submit(entry, road);
            } else {
                entry.outcome.complete(outcome);
            }
        });
    }

    private record SlowRoad<I, O>(Predicate<O> isLocked, Function<I, String> key, Lane<I, O> lane) {}

    record Entry<I, O>(I item, CompletableFuture<O> outcome) {}
}
