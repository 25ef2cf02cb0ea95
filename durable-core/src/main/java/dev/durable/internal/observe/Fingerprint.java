package dev.durable.internal.observe;

import dev.durable.history.Failure;
import dev.durable.internal.text.Bounds;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Computes the fingerprint by which failures are grouped: activity, type of the failure, and the first frames of the
 * application's own code. It is readable, as operators see it in lists; it has no line numbers, which move with each
 * release, and no messages, which hold ids. Code around the body (tracing, proxies, generated classes, the kind of
 * thread) has no part in it, so that a failure is in one group with such code and without.
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
            "kotlinx.",
            "org.springframework.",
            "org.aspectj.",
            "org.hibernate.",
            "org.postgresql.",
            "com.zaxxer.",
            "io.micrometer.",
            "io.opentelemetry.",
            "brave.",
            "dev.durable.internal.",
            "dev.durable.client.",
            "dev.durable.intercept.",
            "dev.durable.micrometer.Durable",
            "dev.durable.spring.SpringActivity",
            "dev.durable.store.postgres.internal.");

    /**
     * The frames of proxies and of classes that are generated at run time, whose numbers change; and of the API's own
     * classes.
     */
    private static final Pattern GENERATED = Pattern.compile(
            "\\$\\$(\\w*CGLIB|FastClass|Lambda|_)|\\$Proxy\\d|\\$(ByteBuddy|HibernateProxy|MockitoMock)\\$"
                    + "|^dev\\.durable\\.[A-Z]");

    private Fingerprint() {}

    public static String of(String activity, Failure failure) {
        List<String> all = failure.stack()
                .lines()
                .filter(line -> line.indexOf('(') > 0)
                .map(line -> line.substring(0, line.indexOf('(')))
                .toList();
        List<String> own = all.stream().filter(Fingerprint::isOwn).toList();
        String where = (own.isEmpty() ? all : own)
                .stream().limit(FRAMES).map(Fingerprint::stable).collect(Collectors.joining(" < "));
        String text = activity + ": " + failure.type() + (where.isEmpty() ? "" : " at " + where);
        return Bounds.cut(Bounds.shown(text), MAX_CHARS);
    }

    private static boolean isOwn(String frame) {
        return NOT_OWN.stream().noneMatch(frame::startsWith)
                && !GENERATED
                        .matcher(frame.substring(0, frame.lastIndexOf('.') + 1))
                        .find();
    }

    /**
     * Returns the one fingerprint of all jobs of an activity that no worker can read; the job itself says what can't be
     * read.
     */
    public static String notRead(String activity) {
        return activity + ": not read";
    }

    /** Removes the numbers that the compiler gives lambdas and accessors. */
    private static String stable(String frame) {
        return frame.replaceAll("\\$\\d+", "");
    }
}
