package dev.durable.internal.client;

import dev.durable.ConflictPolicy;
import dev.durable.QueueFullException;
import dev.durable.ReusePolicy;
import dev.durable.WorkflowAlreadyStartedException;
import dev.durable.client.StartOptions;
import dev.durable.history.Payload;
import dev.durable.internal.client.access.ClientWaits;
import dev.durable.internal.client.access.Dispatch;
import dev.durable.internal.declare.ActivityMethod;
import dev.durable.store.BatchPlace;
import dev.durable.store.BatchStore;
import dev.durable.store.StartOutcome;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the start of the jobs of a batch in parts, so that many share a commit and memory stays bounded. A part is
 * durable before the next one is sent.
 *
 * <p>Each job's time is at least a microsecond after that of the job in front of it, and its queue is ordered by that
 * time: so the jobs begin in the order of their items, whichever commits they are written in.
 */
final class Batch {
    private static final Logger log = LoggerFactory.getLogger(Batch.class);
    private static final int AT_ONCE = 1_024;

    private final Dispatch dispatch;
    private final RunStarter starts;
    private final StartOptions options;
    private final boolean mayBeThere;
    private final List<Item> part = new ArrayList<>();
    private int number;
    private long added;
    private Instant last = Instant.MIN;

    private record Item(BatchPlace place, StartOptions options, JobCall call) {
        String taskQueue() {
            String queue = options.taskQueue();
            return queue == null ? call.taskQueue() : queue;
        }
    }

    /** An item whose job was sent to the store. */
    private record Sent(Item item, CompletableFuture<StartOutcome> answer) {}

    private Batch(Dispatch dispatch, RunStarter starts, StartOptions options, boolean mayBeThere) {
        this.dispatch = dispatch;
        this.starts = starts;
        this.options = options;
        this.mayBeThere = mayBeThere;
    }

    /** Returns a batch with an id that is not in use yet. */
    static Batch fresh(Dispatch dispatch, RunStarter starts, StartOptions options) {
        return new Batch(dispatch, starts, options, false);
    }

    /** Returns a batch that adds the missing jobs to one that exists in part; existing jobs, open or closed, stay. */
    static Batch missing(Dispatch dispatch, RunStarter starts, StartOptions options) {
        return new Batch(
                dispatch,
                starts,
                options.reusePolicy(ReusePolicy.REJECT_DUPLICATE).conflictPolicy(ConflictPolicy.USE_EXISTING),
                true);
    }

    String id() {
        return options.id();
    }

    boolean isEmpty() {
        return number == 0;
    }

    /**
     * @throws QueueFullException when its queue has no room for the item or for one in front of it; all items before
     *     that one are durable
     */
    void add(ActivityMethod activity, Payload arguments) {
        BatchPlace place = new BatchPlace(options.id(), number++);
        StartOptions one = options.withId(JobBatch.jobId(place));
        part.add(new Item(place, one, JobCall.of(activity, one, arguments, next())));
        if (part.size() == AT_ONCE) {
            end();
        }
    }

    /** Returns how many jobs were enqueued: the added items whose jobs did not exist yet. */
    long added() {
        return added;
    }

    private Instant next() {
        Instant now = starts.now().truncatedTo(ChronoUnit.MICROS);
        last = now.isAfter(last) ? now : last.plus(1, ChronoUnit.MICROS);
        return last;
    }

    /** Sends the rest; all items that were added are durable afterwards. */
    void endAll() {
        end();
        if (added == 0 && number > 0) {
            log.info(
                    "enqueueAll added nothing to batch {}: all {} items have jobs there already, which stay as they are. Usual"
                            + " cause: a batch id that was used before, by last week's run for example. For new jobs take a"
                            + " new id; for those that failed, client.enqueueAgain(…).",
                    id(),
                    number);
        }
    }

    /** Sends a part, which has the time of one call. */
    private void end() {
        Dispatch call = dispatch.begun();
        List<Item> items = notThere(call);
        part.clear();
        Map<String, Integer> rooms = new HashMap<>();
        items.stream()
                .collect(Collectors.groupingBy(Item::taskQueue, Collectors.counting()))
                .forEach((queue, wanted) -> rooms.put(queue, call.takeRoom(queue, wanted.intValue())));
        List<Sent> sent = new ArrayList<>();
        Item full = null;
        for (Item item : items) {
            if (rooms.merge(item.taskQueue(), -1, Integer::sum) < 0) {
                full = item;
                break;
            }
            sent.add(send(item));
        }
        awaitAll(call, sent);
        if (full != null) {
            throw dispatch.full(
                    full.taskQueue(),
                    "batch " + id() + " from item " + full.place().number()
                            + " on (what is in front of it is enqueued, and enqueueAll with this id again adds the rest)");
        }
    }

    /**
     * Returns the items whose jobs don't exist yet. In a caller's transaction it returns all of them: no other
     * connection sees its writes, and the caller's pool may have no second one.
     */
    private List<Item> notThere(Dispatch call) {
        if (!mayBeThere || part.isEmpty() || dispatch.transaction().isPresent()) {
            return List.copyOf(part);
        }
        int first = part.getFirst().place().number();
        Set<Integer> there = call.store().members(id(), first - 1, part.size()).stream()
                .map(BatchStore.Member::number)
                .collect(Collectors.toSet());
        return part.stream()
                .filter(item -> !there.contains(item.place().number()))
                .toList();
    }

    private Sent send(Item item) {
        return new Sent(item, starts.enqueueAsync(item.call(), item.options(), item.place()));
    }

    private void awaitAll(Dispatch call, List<Sent> sent) {
        WorkflowAlreadyStartedException taken = null;
        for (Sent one : sent) {
            UUID other = othersAt(call, one);
            if (other != null && taken == null) {
                taken = StartRefusals.idOfItemTaken(
                        one.item().place(), one.item().options().id(), other);
            }
        }
        if (taken != null) {
            throw taken;
        }
    }

    /**
     * Returns the run that has the item's id without being a job of the batch; null where the item's job is enqueued
     * now, or was before.
     */
    private @Nullable UUID othersAt(Dispatch call, Sent first) {
        Sent one = first;
        while (true) {
            StartOutcome outcome = ClientWaits.forAnswer(call, one.answer(), "enqueueing batch " + id());
            switch (outcome) {
                case StartOutcome.Started ignored -> {
                    added++;
                    return null;
                }
                case StartOutcome.AlreadyOpen open -> {
                    return open.samePlace() ? null : open.runId();
                }
                case StartOutcome.Refused refused -> {
                    return refused.samePlace() ? null : refused.latestRunId();
                }
                case StartOutcome.Locked ignored -> {
                    dispatch.breathe();
                    one = send(one.item());
                }
            }
        }
    }
}
