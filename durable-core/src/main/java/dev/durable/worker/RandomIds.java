package dev.durable.worker;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * Random ids (UUID version 4) for fences, leases and messages, from the system's cryptographic generator: whoever has seen
 * some of them, as the holders of tokens have, can't tell others. Each thread takes the bytes of a few at once, as the
 * generator is asked by one at a time.
 */
final class RandomIds implements Supplier<UUID> {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int AT_ONCE = 32;
    private static final ThreadLocal<ByteBuffer> BYTES = ThreadLocal.withInitial(
            () -> ByteBuffer.allocate(AT_ONCE * 2 * Long.BYTES).limit(0));

    private static final long VERSION = 0x0000_0000_0000_4000L;
    private static final long NOT_VERSION = 0xFFFF_FFFF_FFFF_0FFFL;
    private static final long VARIANT = 0x8000_0000_0000_0000L;
    private static final long NOT_VARIANT = 0x3FFF_FFFF_FFFF_FFFFL;

    @Override
    public UUID get() {
        ByteBuffer bytes = BYTES.get();
        if (!bytes.hasRemaining()) {
            byte[] drawn = new byte[bytes.capacity()];
            RANDOM.nextBytes(drawn);
            bytes.clear().put(drawn).flip();
        }
        return new UUID(bytes.getLong() & NOT_VERSION | VERSION, bytes.getLong() & NOT_VARIANT | VARIANT);
    }
}
