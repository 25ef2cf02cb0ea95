package dev.durable.store;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Comparator;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * Run ids: UUIDv7 (RFC 9562) whose ten bits behind the version are a hash of the workflow id, so that the shard follows
 * from either id and rows of one time lie together.
 */
public final class RunIds {
    /** Number of shards; fixed for ever, as it stands in every id. */
    public static final int SHARDS = 1024;

    /** The order of run ids as the database compares uuids, which is unsigned ({@link UUID#compareTo} is signed). */
    public static final Comparator<UUID> ORDER = (a, b) -> {
        int high = Long.compareUnsigned(a.getMostSignificantBits(), b.getMostSignificantBits());
        return high != 0 ? high : Long.compareUnsigned(a.getLeastSignificantBits(), b.getLeastSignificantBits());
    };

    private RunIds() {}

    /** A new id at this time for a run of this workflow id, with 64 random bits of the caller's. */
    public static UUID create(Instant at, String workflowId, long randomBits) {
        long millis = at.toEpochMilli();
        long high = (millis << 16) | 0x7000L | ((long) shardOf(workflowId) << 2) | (randomBits >>> 62);
        long low = (randomBits & 0x3FFF_FFFF_FFFF_FFFFL) | 0x8000_0000_0000_0000L;
        return new UUID(high, low);
    }

    /** A new UUIDv7 at this time, as an id that is none of a run's: all bits behind the time are random. */
    public static UUID inTimeOrder(Instant at, UUID random) {
        long high = (at.toEpochMilli() << 16) | 0x7000L | (random.getMostSignificantBits() >>> 52);
        long low = (random.getLeastSignificantBits() & 0x3FFF_FFFF_FFFF_FFFFL) | 0x8000_0000_0000_0000L;
        return new UUID(high, low);
    }

    public static int shard(UUID runId) {
        return (int) (runId.getMostSignificantBits() >>> 2) & (SHARDS - 1);
    }

    public static int shardOf(String workflowId) {
        CRC32C hash = new CRC32C();
        hash.update(workflowId.getBytes(StandardCharsets.UTF_8));
        return (int) (hash.getValue() & (SHARDS - 1));
    }

    /** The id with its shard replaced by that of the workflow id. */
    public static UUID inShardOf(String workflowId, UUID id) {
        long rest = id.getMostSignificantBits() & ~((long) (SHARDS - 1) << 2);
        return new UUID(rest | (long) shardOf(workflowId) << 2, id.getLeastSignificantBits());
    }

    /** The time in a run id, to the millisecond. */
    public static Instant time(UUID runId) {
        return Instant.ofEpochMilli(runId.getMostSignificantBits() >>> 16);
    }
}
