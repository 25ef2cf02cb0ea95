package dev.durable.worker;

import java.security.SecureRandom;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/**
 * Random ids (UUID version 4) for fences, leases and messages. They have to be unique, not secret; so each thread has a
 * generator with 192 bits of state, seeded by the system's secure one, which is asked once a thread, not once an id.
 */
final class RandomIds implements Supplier<UUID> {
    private static final RandomGeneratorFactory<RandomGenerator> FACTORY =
            RandomGeneratorFactory.of("L64X128MixRandom");
    private static final SecureRandom SEEDS = new SecureRandom();
    private static final int SEED_BYTES = 24;
    private static final ThreadLocal<RandomGenerator> GENERATOR =
            ThreadLocal.withInitial(() -> FACTORY.create(SEEDS.generateSeed(SEED_BYTES)));

    private static final long VERSION = 0x0000_0000_0000_4000L;
    private static final long NOT_VERSION = 0xFFFF_FFFF_FFFF_0FFFL;
    private static final long VARIANT = 0x8000_0000_0000_0000L;
    private static final long NOT_VARIANT = 0x3FFF_FFFF_FFFF_FFFFL;

    @Override
    public UUID get() {
        RandomGenerator random = GENERATOR.get();
        return new UUID(random.nextLong() & NOT_VERSION | VERSION, random.nextLong() & NOT_VARIANT | VARIANT);
    }
}
