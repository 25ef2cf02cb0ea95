package dev.durable.store;

import dev.durable.RefusedInputException;
import dev.durable.internal.text.Bounds;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.UUID;

/**
 * The token of one attempt of an activity: an opaque text that names run, activity and lease for the system that
 * completes it.
 *
 * @param key the job
 * @param lease the lease of the attempt
 * @param activity the activity's name, by which a result is written
 */
public record ActivityToken(JobKey key, UUID lease, String activity) {
    private static final String VERSION = "1";
    private static final String SEPARATOR = "\n";

    public static ActivityToken of(JobKey key, UUID lease, String activity) {
        return new ActivityToken(key, lease, activity);
    }

    /** Returns the token as letters, digits, {@code -} and {@code _} only, fit for URLs and headers. */
    public String text() {
        String plain = String.join(
                SEPARATOR,
                VERSION,
                key.run().runId().toString(),
                Integer.toString(key.seq()),
                lease.toString(),
                activity,
                key.run().workflowId());
        return Base64.getUrlEncoder().withoutPadding().encodeToString(plain.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Reads a token from its text.
     *
     * @throws IllegalArgumentException when the text is no token
     */
    public static ActivityToken read(String text) {
        try {
            String plain = new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8);
            String[] parts = plain.split(SEPARATOR, 6);
            if (parts.length == 6 && parts[0].equals(VERSION)) {
                RunKey run = new RunKey(UUID.fromString(parts[1]), parts[5]);
                return new ActivityToken(
                        new JobKey(run, Integer.parseInt(parts[2])), UUID.fromString(parts[3]), parts[4]);
            }
        } catch (IllegalArgumentException e) {
            throw new RefusedInputException(refusal(text), e);
        }
        throw new RefusedInputException(refusal(text));
    }

    private static String refusal(String text) {
        return "\"" + Bounds.shown(text.length() > 40 ? Bounds.cut(text, 40) + "…" : text)
                + "\" is no token of an activity: hand in what ActivityContext.completeLater() gave, unchanged";
    }

    @Override
    public String toString() {
        return "ActivityToken[" + key + ", " + activity + "]";
    }
}
