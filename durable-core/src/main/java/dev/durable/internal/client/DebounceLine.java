package dev.durable.internal.client;

import dev.durable.ConflictPolicy;
import dev.durable.ReusePolicy;
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
 * Makes the debounced starts of one workflow id, type and policies one after another in this process, and of those that
 * come meanwhile only the last: each of them would take the place of the one before, so the outcome is that of making all,
 * and many callers at one time cost a few transactions and not one each. Starts of other processes are not seen here.
 */
final class DebounceLine {
    /** The starts that wait, by the line in which a start is under way. */
    private final Map<Line, List<Place>> lines = new HashMap<>(0);

    /** The starts that take each other's place: those of one id which treat runs that they meet alike. */
    record Line(String workflowId, String type, ConflictPolicy conflicts, ReusePolicy reuse) {}

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
    UUID start(Dispatch call, Line line, Supplier<UUID> start) {
        Place mine = new Place();
        boolean waits = join(line, mine);
        Optional<UUID> run = waits ? await(call, line, mine) : Optional.empty();
        return run.orElseGet(() -> make(line, mine, start));
    }

    private synchronized boolean join(Line line, Place mine) {
        List<Place> waiting = lines.get(line);
        if (waiting == null) {
            lines.put(line, new ArrayList<>(0));
            return false;
        }
        waiting.add(mine);
        return true;
    }

    private Optional<UUID> await(Dispatch call, Line line, Place mine) {
        try {
            return ClientWaits.forAnswer(call, mine.turn, "start of " + line.workflowId());
        } catch (RuntimeException | Error e) {
            if (!mine.turn.cancel(false) && mine.turn.join().isEmpty()) {
                leave(line, mine.preceded); // its turn has come in this moment
            }
            throw e;
        }
    }

    private UUID make(Line line, Place mine, Supplier<UUID> start) {
        List<Place> preceded = mine.preceded;
        try {
            UUID run = start.get();
            preceded.forEach(place -> place.turn.complete(Optional.of(run)));
            preceded = List.of();
            return run;
        } finally {
            leave(line, preceded);
        }
    }

    /**
     * Gives the turn to the last caller that waits.
     *
     * @param back callers whose starts were not made, and which come first now
     */
    private synchronized void leave(Line line, List<Place> back) {
        List<Place> behind = lines.remove(line);
        List<Place> waiting = new ArrayList<>(back);
        waiting.addAll(behind == null ? List.of() : behind);
        while (!waiting.isEmpty()) {
            Place last = waiting.removeLast();
            last.preceded.addAll(waiting);
            if (last.turn.complete(Optional.empty())) {
                lines.put(line, new ArrayList<>(0));
                return;
            }
            last.preceded.clear(); // its caller has given up
        }
    }
}
