package dev.durable.internal.replay.call;

import java.util.UUID;

/**
 * Generates the random numbers of a run: the n-th draw of a coroutine is a hash of run id, coroutine number and n
 * (fixed for ever). So a draw that is added to one coroutine does not shift those of the others. Two different hashes
 * of the same input make the halves of a uuid, so that ids collide no sooner than random ones.
 */
final class RunRandom {
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;
    private static final long VERSION_4 = 0x4000L;
    private static final long VARIANT = 0x8000_0000_0000_0000L;

    private static final int NO_COROUTINE = -1;

    private final UUID run;

    RunRandom(UUID run) {
        this.run = run;
    }

    long bits(int coroutine, long n) {
        return absorb(GOLDEN, coroutine, n);
    }

    UUID uuid(int coroutine, long n) {
        long high = absorb(GOLDEN, coroutine, n) & ~0xF000L | VERSION_4;
        long low = absorb(~GOLDEN, coroutine, n) >>> 2 | VARIANT;
        return new UUID(high, low);
    }

    /** Returns the bits of the run id of a child, which no draw of the code has. */
    long childBits(long number) {
        return absorb(GOLDEN, NO_COROUTINE, number);
    }

    /** Returns the bits of the next attempt's run id and back-off, which no draw of the code has. */
    long attemptBits() {
        return absorb(~GOLDEN, NO_COROUTINE, 0);
    }

    private long absorb(long seed, int coroutine, long n) {
        long hash = mix(seed ^ run.getMostSignificantBits());
        hash = mix(hash + GOLDEN ^ run.getLeastSignificantBits());
        hash = mix(hash + GOLDEN ^ coroutine);
        return mix(hash + GOLDEN ^ n);
    }

    /** The finalizer of SplitMix64: every bit of the input changes half of the output's. */
    private static long mix(long bits) {
        long z = (bits ^ bits >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }
}
