package dev.durable.store;

import dev.durable.RefusedInputException;
import dev.durable.internal.text.Bounds;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.UUID;
import java.util.zip.CRC32;

/**
 * The token of a callback: an opaque text that names the run and the callback for whoever completes it. The id of the
 * callback can't be guessed and stands nowhere but in the history, so it is also the proof that the holder was given the
 * token.
 *
 * @param run the run that opened the callback
 * @param callback the id of the callback
 */
public record CallbackToken(RunKey run, UUID callback) {
    private static final String VERSION = "c1";
    private static final String SEPARATOR = "\n";
    private static final int EVENT_BITS = 32;
    private static final long RANDOM_BITS = 0xFFFF_0FFFL;
    private static final long VERSION_8 = 0x8000L;

    /**
     * Returns the id of a callback that is opened at an event. It is a UUID of version 8, whose first 32 bits are the id of
     * the event, so that the callback is found without a look at the history before it; its other bits are random. Ids of
     * earlier versions are random UUIDs of version 4.
     */
    public static UUID idAt(long eventId, UUID random) {
        long front = eventId << EVENT_BITS | random.getMostSignificantBits() & RANDOM_BITS | VERSION_8;
        return eventId >>> EVENT_BITS == 0 ? new UUID(front, random.getLeastSignificantBits()) : random;
    }

    /**
     * Returns the first event of the history that can tell of the callback: the one that opened it, where its id says
     * which that was.
     *
     * @param readTo the last event that was read before; 0 for none
     */
    public long firstEvent(long readTo) {
        long opened = callback.version() == 8 ? callback.getMostSignificantBits() >>> EVENT_BITS : 1;
        return Math.max(Math.max(opened, 1), readTo + 1);
    }

    /** Returns the token as letters, digits, {@code -} and {@code _} only, fit for URLs and headers. */
    public String text() {
        String plain = String.join(
                SEPARATOR,
                VERSION,
                run.runId().toString(),
                callback.toString(),
                sum(run.runId().toString(), callback.toString(), run.workflowId()),
                run.workflowId());
        return Base64.getUrlEncoder().withoutPadding().encodeToString(plain.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Reads a token from its text.
     *
     * @throws RefusedInputException when the text is no token, or was changed
     */
    public static CallbackToken read(String text) {
        try {
            String plain = new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8);
            String[] parts = plain.split(SEPARATOR, 5);
            if (parts.length == 5 && parts[0].equals(VERSION) && parts[3].equals(sum(parts[1], parts[2], parts[4]))) {
                return new CallbackToken(new RunKey(UUID.fromString(parts[1]), parts[4]), UUID.fromString(parts[2]));
            }
        } catch (IllegalArgumentException e) {
            throw new RefusedInputException(refusal(text), e);
        }
        throw new RefusedInputException(refusal(text));
    }

    /** Returns a checksum, by which a token that was cut or changed on its way is recognised. */
    private static String sum(String run, String callback, String workflowId) {
        CRC32 sum = new CRC32();
        sum.update((run + SEPARATOR + callback + SEPARATOR + workflowId).getBytes(StandardCharsets.UTF_8));
        return Long.toHexString(sum.getValue());
    }

    private static String refusal(String text) {
        return "\"" + Bounds.shown(text.length() > 40 ? Bounds.cut(text, 40) + "…" : text)
                + "\" is no token of a callback, or a damaged one: hand in the text that Callback.token() gave, whole and"
                + " unchanged. The token of ActivityContext.completeLater() goes to client.activity(token).";
    }

    @Override
    public String toString() {
        return "CallbackToken[" + run.shown() + "]";
    }
}
