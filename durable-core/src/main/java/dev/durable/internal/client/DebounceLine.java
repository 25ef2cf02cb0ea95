package dev.durable.internal.client;

import dev.durable.internal.client.access.ClientWaits;
import dev.durable.internal.client.access.Dispatch;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Makes the debounced starts of one workflow id one after another in this process, and of those that come meanwhile only
 * the last: each of them would take the place of the one before, so the result is the same, and many callers at one time
 * cost a few transactions and not one each. Starts of other processes are not seen here.
 */
final class DebounceLine {
    /** The starts that wait, by the workflow id that a start is under way for. */
    private final Map<String, List<Place>> lines = new HashMap<>(0);

    /**
     * A caller that waits.
     *
     * @param turn completed empty when it is to make its start, with a run id when a later caller has made one for both
     * @param preceded the callers whose starts it makes with its own
     */
    private record Place(CompletableFuture<Optional<UUID>> turn, List<Place> preceded) {
        Place() {
            this(new CompletableFuture<>(), new ArrayList<>(0));
        }
    }

    /**
     * Makes the start, or waits for a later one that takes its place.
     *
     * @return the id of the run that is open under the workflow id
     */
    UUID start(Dispatch call, String workflowId, Supplier<UUID> start) {
        Place mine = new Place();
        boolean waits = join(workflowId, mine);
        Optional<UUID> run = waits ? await(call, workflowId, mine) : Optional.empty();
        return run.orElseGet(() -> make(workflowId, mine, start));
    }

    private synchronized boolean join(String workflowId, Place mine) {
        List<Place> line = lines.get(workflowId);
        if (line == null) {
            lines.put(workflowId, new ArrayList<>(0));
            return false;
        }
        line.add(mine);
        return true;
    }

    private Optional<UUID> await(Dispatch call, String workflowId, Place mine) {
        try {
            return ClientWaits.forAnswer(call, mine.turn, "start of " + workflowId);
        } catch (RuntimeException | Error e) {
            if (!mine.turn.cancel(false) && mine.turn.join().isEmpty()) {
                leave(workflowId, mine.preceded); // its turn has come in this moment
            }
            throw e;
        }
    }

    private UUID make(String workflowId, Place mine, Supplier<UUID> start) {
        List<Place> preceded = mine.preceded;
        try {
            UUID run = start.get();
            preceded.forEach(place -> place.turn.complete(Optional.of(run)));
            preceded = List.of();
            return run;
        } finally {
            leave(workflowId, preceded);
        }
    }

    /**
     * Gives the turn to the last caller that waits.
     *
     * @param back those whose starts were not made, and who come first now
     */
    private synchronized void leave(String workflowId, List<Place> back) {
        List<Place> line = lines.remove(workflowId);
        List<Place> waiting = new ArrayList<>(back);
        waiting.addAll(line == null ? List.of() : line);
        while (!waiting.isEmpty()) {
            Place last = waiting.removeLast();
            last.preceded.addAll(waiting);
            if (last.turn.complete(Optional.empty())) {
                lines.put(workflowId, new ArrayList<>(0));
                return;
            }
            last.preceded.clear(); // its caller has given up
        }
    }
}
