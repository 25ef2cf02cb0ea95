package dev.durable.internal.drive;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * Computes how long an idle loop sleeps between two polls: short after it found something, doubling after each poll
 * that found nothing, with jitter. Belongs to one loop, but for {@link #expect}.
 */
public final class PollPace {
    private static final double SPREAD = 0.2;
    private static final int SHORTEST_PART = 8;
    /** How many polls are made at the short interval: one minute with the default of one second. */
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

    /** With the interval that depends on whether nudges are heard. */
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

    /** With a constant interval, apart from the jitter. */
    public static PollPace steady(Duration interval, RandomGenerator random) {
        return new PollPace(interval, interval, () -> interval, random);
    }

    /** The longest that an idle loop sleeps, give or take the spread. */
    public Duration longest() {
        return longest.get();
    }

    /** The longest sleep while no nudges of other processes are heard. */
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
     * Something will be there soon, and nobody will say when: the loop begins anew with short sleeps, and for some time
     * sleeps no longer than it would without nudges. Any thread.
     *
     * @return whether the loop may be in a longer sleep now, and is to be woken
     */
    public boolean expect() {
        boolean asleep = next.compareTo(shortest) > 0;
        expecting.set(EXPECTED_LOOKS);
        next = shortest;
        return asleep;
    }
}
