package dev.durable.internal.drive;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Generates random ids (UUID version 4) for fences, leases and messages from a cryptographic generator, so that others
 * can't be guessed from known ones. The generator is asked for the bytes of 256 ids at once, which threads share in 16
 * stripes rather than one store for each thread: bodies have virtual threads of their own, each of which needs an id or
 * two.
 *
 * <p>Thread-safe.
 */
public final class RandomIds implements Supplier<UUID> {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int AT_ONCE = 256;
    private static final int STRIPES = 16;
    private static final Stripe[] ALL =
            Stream.generate(Stripe::new).limit(STRIPES).toArray(Stripe[]::new);

    private static final long VERSION = 0x0000_0000_0000_4000L;
    private static final long NOT_VERSION = 0xFFFF_FFFF_FFFF_0FFFL;
    private static final long VARIANT = 0x8000_0000_0000_0000L;
    private static final long NOT_VARIANT = 0x3FFF_FFFF_FFFF_FFFFL;

    @Override
    public UUID get() {
        return ALL[(int) (Thread.currentThread().threadId() % STRIPES)].next();
    }

    private static final class Stripe {
        private final ReentrantLock lock = new ReentrantLock();
        private final byte[] drawn = new byte[AT_ONCE * 2 * Long.BYTES];
        private final ByteBuffer left = ByteBuffer.wrap(drawn).limit(0);

        UUID next() {
            lock.lock();
            try {
                if (!left.hasRemaining()) {
                    RANDOM.nextBytes(drawn);
                    left.clear();
                }
                return new UUID(left.getLong() & NOT_VERSION | VERSION, left.getLong() & NOT_VARIANT | VARIANT);
            } finally {
                lock.unlock();
            }
        }
    }
}
