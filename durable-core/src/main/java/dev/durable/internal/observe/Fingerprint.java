package dev.durable.internal.observe;

import dev.durable.history.Failure;
import dev.durable.store.Bounds;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Computes the fingerprint by which failures are grouped: activity, type of the failure, and the first frames of the
 * application's own code. Readable, as people see it in lists; without line numbers, which move with each release, and
 * without messages, which hold ids.
 *
 * <pre>Payments.charge: java.io.IOException at com.acme.Bank.post &lt; com.acme.StripePayments.charge</pre>
 */
public final class Fingerprint {
    private static final int FRAMES = 3;
    private static final int MAX_CHARS = 400;
    private static final List<String> NOT_OWN = List.of(
            "java.",
            "javax.",
            "jakarta.",
            "jdk.",
            "sun.",
            "com.sun.",
            "kotlin.",
            "org.springframework.",
            "org.hibernate.",
            "org.postgresql.",
            "com.zaxxer.",
            "dev.durable.internal.");

    private Fingerprint() {}

    public static String of(String activity, Failure failure) {
        List<String> all = failure.stack()
                .lines()
                .filter(line -> line.indexOf('(') > 0)
                .map(line -> line.substring(0, line.indexOf('(')))
                .toList();
        List<String> own = all.stream()
                .filter(frame -> NOT_OWN.stream().noneMatch(frame::startsWith))
                .toList();
        String where = (own.isEmpty() ? all : own)
                .stream().limit(FRAMES).map(Fingerprint::stable).collect(Collectors.joining(" < "));
        String text = activity + ": " + failure.type() + (where.isEmpty() ? "" : " at " + where);
        return Bounds.cut(Bounds.shown(text), MAX_CHARS);
    }

    /** All jobs of an activity that no worker can read are one group: what does not fit stands in each. */
    public static String notRead(String activity) {
        return activity + ": not read";
    }

    /** The compiler numbers lambdas and accessors. */
    private static String stable(String frame) {
        return frame.replaceAll("\\$\\d+", "");
    }
}
