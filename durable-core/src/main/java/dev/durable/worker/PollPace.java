package dev.durable.worker;

import java.time.Duration;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/** How long an idle loop sleeps: short after it found something, twice as long after each look in vain, spread. */
final class PollPace {
    private static final double SPREAD = 0.2;
    private static final int SHORTEST_PART = 8;

    private final Duration shortest;
    private final Supplier<Duration> longest;
    private final RandomGenerator random;
    private Duration next;

    PollPace(Duration longest, RandomGenerator random) {
        this(longest, () -> longest, random);
    }

    /** As long as hints allow. */
    PollPace(IdleInterval idle, RandomGenerator random) {
        this(idle.polling(), idle::next, random);
    }

    private PollPace(Duration polling, Supplier<Duration> longest, RandomGenerator random) {
        this.shortest = polling.dividedBy(SHORTEST_PART);
        this.longest = longest;
        this.random = random;
        this.next = shortest;
    }

    /** The longest that an idle loop sleeps, give or take the spread. */
    Duration longest() {
        return longest.get();
    }

    Duration afterFind() {
        next = shortest;
        return Jitter.spread(next, SPREAD, random);
    }

    Duration afterNothing() {
        Duration pause = next;
        Duration twice = next.multipliedBy(2);
        Duration most = longest.get();
        next = twice.compareTo(most) < 0 ? twice : most;
        return Jitter.spread(pause, SPREAD, random);
    }
}
