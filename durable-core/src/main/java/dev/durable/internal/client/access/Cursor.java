package dev.durable.internal.client.access;

import dev.durable.RefusedInputException;
import dev.durable.client.Page;
import dev.durable.internal.text.Bounds;
import dev.durable.store.AuditFilter;
import dev.durable.store.JobKey;
import dev.durable.store.RunKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The text by which a listing goes on behind a row: it names the listing and the key of that row. The store orders its
 * rows by that key, so rows that come and go between two pages shift nothing.
 */
public enum Cursor {
    NEWEST_RUNS_FIRST(Long.BYTES * 2),
    OLDEST_RUNS_FIRST(Long.BYTES * 2),
    JOBS(Long.BYTES * 2 + Integer.BYTES),
    AUDIT(Long.BYTES * 3);

    private final int length;

    Cursor(int length) {
        this.length = length;
    }

    static Cursor ofRuns(boolean newestFirst) {
        return newestFirst ? NEWEST_RUNS_FIRST : OLDEST_RUNS_FIRST;
    }

    /**
     * Converts the rows to a page.
     *
     * @param from the cursor at which the rows begin
     * @param behind returns the cursor behind a row
     */
    public static <S, T> Page<T> page(
            List<S> found, @Nullable String from, Function<S, String> behind, Function<S, ? extends T> row) {
        String next = found.isEmpty() ? from : behind.apply(found.getLast());
        return new Page<T>(found.stream().<T>map(row).toList(), next);
    }

    public String of(UUID runId) {
        return text(put(key(), runId));
    }

    public String of(JobKey job) {
        return text(put(key(), job.run().runId()).putInt(job.seq()));
    }

    public String of(AuditFilter.Place place) {
        return text(put(key(), place.id()).putLong(ChronoUnit.MICROS.between(Instant.EPOCH, place.at())));
    }

    UUID run(String text) {
        return uuid(read(text));
    }

    public JobKey job(String text) {
        ByteBuffer key = read(text);
        return new JobKey(new RunKey(uuid(key), ""), key.getInt());
    }

    public AuditFilter.Place place(String text) {
        ByteBuffer key = read(text);
        UUID id = uuid(key);
        return new AuditFilter.Place(Instant.EPOCH.plus(key.getLong(), ChronoUnit.MICROS), id);
    }

    private ByteBuffer key() {
        return ByteBuffer.allocate(1 + length).put((byte) name().charAt(0));
    }

    private static ByteBuffer put(ByteBuffer key, UUID id) {
        return key.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
    }

    private static UUID uuid(ByteBuffer key) {
        return new UUID(key.getLong(), key.getLong());
    }

    private static String text(ByteBuffer key) {
        ByteBuffer text = Base64.getUrlEncoder().withoutPadding().encode(key.flip());
        return StandardCharsets.US_ASCII.decode(text).toString();
    }

    private ByteBuffer read(String text) {
        try {
            // A text that is longer than any cursor was not made here; nothing of it is decoded.
            byte[] bytes =
                    text.length() > 64 ? new byte[0] : Base64.getUrlDecoder().decode(text);
            if (bytes.length == 1 + length && bytes[0] == name().charAt(0)) {
                return ByteBuffer.wrap(bytes, 1, length);
            }
        } catch (IllegalArgumentException e) {
            // The error below says so.
        }
        throw new RefusedInputException(
                "page(size, " + Bounds.quoted(text) + "): that is no place in this listing."
                        + " Give what next() of a page of the same listing, in the same order, has given, or null for its front.");
    }
}
