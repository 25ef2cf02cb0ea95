package dev.durable.internal.drive;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * Computes how long an idle loop sleeps between two polls: short after it found something, doubling after each poll
 * that found nothing, with jitter. Belongs to one loop, except {@link #expect}.
 */
public final class PollPace {
    private static final double SPREAD = 0.2;
    private static final int SHORTEST_PART = 8;
    /** The number of polls at the short interval: one minute with the default of one second. */
    private static final int EXPECTED_LOOKS = 60;

    private final Duration shortest;
    private final Duration polling;
    private final Supplier<Duration> longest;
    private final RandomGenerator random;
    private final AtomicInteger expecting = new AtomicInteger();
    private volatile Duration next;

    public PollPace(Duration longest, RandomGenerator random) {
        this(longest.dividedBy(SHORTEST_PART), longest, () -> longest, random);
    }

    /** Creates a pace whose interval depends on whether nudges arrive. */
    public PollPace(IdleInterval idle, RandomGenerator random) {
        this(idle.polling().dividedBy(SHORTEST_PART), idle.polling(), idle::next, random);
    }

    private PollPace(Duration shortest, Duration polling, Supplier<Duration> longest, RandomGenerator random) {
        this.shortest = shortest;
        this.polling = polling;
        this.longest = longest;
        this.random = random;
        this.next = shortest;
    }

    /** Creates a pace with a constant interval, apart from the jitter. */
    public static PollPace steady(Duration interval, RandomGenerator random) {
        return new PollPace(interval, interval, () -> interval, random);
    }

    /** Returns the longest sleep of an idle loop, before the spread. */
    public Duration longest() {
        return longest.get();
    }

    /** Returns the longest sleep while no nudges of other processes arrive. */
    public Duration polling() {
        return polling;
    }

    public Duration afterFind() {
        next = shortest;
        return Jitter.spread(next, SPREAD, random);
    }

    public Duration afterNothing() {
        Duration pause = next;
        Duration twice = next.multipliedBy(2);
        Duration most = expecting.getAndUpdate(looks -> Math.max(0, looks - 1)) > 0 ? polling : longest.get();
        next = twice.compareTo(most) < 0 ? twice : most;
        return Jitter.spread(pause, SPREAD, random);
    }

    /**
     * Shortens the sleeps because work will come soon and no nudge will announce it: the loop begins anew with short
     * sleeps, and for some time sleeps no longer than it would without nudges. Callable from any thread.
     *
     * @return whether the loop may be in a longer sleep now and has to be woken
     */
    public boolean expect() {
        boolean asleep = next.compareTo(shortest) > 0;
        expecting.set(EXPECTED_LOOKS);
        next = shortest;
        return asleep;
    }
}
