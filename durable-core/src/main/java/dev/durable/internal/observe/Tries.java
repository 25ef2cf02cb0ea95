package dev.durable.internal.observe;

import dev.durable.RemoteException;
import dev.durable.StoreUnavailableException;
import dev.durable.internal.text.Bounds;
import dev.durable.internal.text.Thrown;
import dev.durable.store.CommitUnknownException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

/**
 * Remembers the actions that a process tries again and again and that have failed for some time: its loops, each chore,
 * the claims of a queue, the calls of a listener. An action that has failed at every try for a minute is a problem of
 * the process, which {@code problems()} and health report; until then it is in the log only. Thread-safe.
 */
public final class Tries {
    /** How long an action fails without a success before it is a problem. */
    public static final Duration LASTS = Duration.ofMinutes(1);

    /** How long after its last try an action counts as given up. */
    private static final long FORGOTTEN_NANOS = TimeUnit.MINUTES.toNanos(5);

    /** The most actions that are remembered, as names may come from callers. */
    private static final int MOST = 1_000;

    private static final int LONGEST = 1_000;

    private final LongSupplier nanoTime;
    private final UnaryOperator<Throwable> loggable;
    private final Map<String, Failing> failing = new ConcurrentHashMap<>();

    private record Failing(long since, long last, long tries, Throwable why) {}

    /**
     * An action that has failed for a minute.
     *
     * @param what the action, such as {@code loop "timeouts"}
     * @param text the action, the time and the cause as a text
     * @param away whether the database did not answer the last try
     */
    public record Lasting(String what, String text, boolean away) {}

    /**
     * @param nanoTime a monotonic clock
     * @param loggable removes what must not be shown from an exception
     */
    public Tries(LongSupplier nanoTime, UnaryOperator<Throwable> loggable) {
        this.nanoTime = nanoTime;
        this.loggable = loggable;
    }

    public void failed(String what, Throwable why) {
        if (failing.size() >= MOST && !failing.containsKey(what)) {
            return;
        }
        long now = nanoTime.getAsLong();
        failing.merge(
                what,
                new Failing(now, now, 1, why),
                (before, first) -> now - before.last() > FORGOTTEN_NANOS
                        ? first
                        : new Failing(before.since(), now, before.tries() + 1, why));
    }

    public void worked(String what) {
        if (!failing.isEmpty()) {
            failing.remove(what);
        }
    }

    /** Returns whether there is an action that has not succeeded since it failed. */
    public boolean any() {
        return !failing.isEmpty();
    }

    /** Returns the actions that have failed for a minute, ordered by name. */
    public List<Lasting> lasting() {
        long now = nanoTime.getAsLong();
        failing.values().removeIf(each -> now - each.last() > FORGOTTEN_NANOS);
        return failing.entrySet().stream()
                .filter(each ->
                        each.getValue().tries() > 1 && now - each.getValue().since() >= LASTS.toNanos())
                .sorted(Map.Entry.comparingByKey(Comparator.naturalOrder()))
                .map(each -> lasting(each.getKey(), each.getValue(), now))
                .toList();
    }

    private Lasting lasting(String what, Failing of, long now) {
        String why = Thrown.of(loggable.apply(of.why()))
                .text()
                .replaceFirst("^" + RemoteException.class.getName() + ": ", "")
                .strip()
                .replaceAll("\\s*\\n\\s*", " ")
                .replaceAll("\\.$", "");
        return new Lasting(
                what,
                what + " has failed at every try for " + TimeUnit.NANOSECONDS.toSeconds(now - of.since()) + " s, "
                        + of.tries() + " times, lately: "
                        + Bounds.cutWithMark(why, LONGEST)
                        + ". Until a try succeeds its work is not done; nothing is lost. The log has the stack.",
                of.why() instanceof StoreUnavailableException || of.why() instanceof CommitUnknownException);
    }
}
