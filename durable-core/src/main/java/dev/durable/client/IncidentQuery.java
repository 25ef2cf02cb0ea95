package dev.durable.client;

import dev.durable.PayloadException;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A selection of incidents, {@code client.incidents()}, or of dead letters, {@code client.deadLetters()}, and what an
 * operator can do to one or to all of them:
 *
 * <pre>{@code
 * client.incidents().groups(20).forEach(System.out::println);
 * client.incidents().where(i -> i.activity("Payments.charge").before(deployed)).by("ann").because("bank is back").retry();
 * client.incidents().one("order-42", 3).by("ann").retryWith(otherPayment, amount);
 * }</pre>
 *
 * <p>Each resolution is an {@code IncidentResolved} in the history, written with the activity's end and seen in its notes
 * until then, and a row of the audit, in the same commit. If two operators resolve one at once, one does; the other
 * gets an exception.
 *
 * <p>Verbs of a selection go through it page by page, each page in one commit, and give the number of those resolved: what
 * others resolved meanwhile does not count. If one fails half-way, what was done stays done; calling it again goes on.
 *
 * <p>Immutable: each call gives a narrowed copy. Thread-safe.
 */
public interface IncidentQuery {

    /** Keeps those that satisfy the filter as well. */
    IncidentQuery where(UnaryOperator<Filter> filter);

    /** Names the operator who resolves, for events and audit; the identity of this process by default. */
    IncidentQuery by(String actor);

    /** Why, in events and audit. */
    IncidentQuery because(String reason);

    /**
     * The first page of at most that many, by run and number in the run; fewer where their failures and heartbeat details
     * make some MiB together.
     */
    Page<Incident> page(int size);

    /**
     * The page of at most that many that begins behind another one.
     *
     * @param next what {@link Page#next()} gave, of this listing; null is the front
     * @throws IllegalArgumentException for a text that is none
     */
    Page<Incident> page(int size, @Nullable String next);

    /** All of them, read page by page. */
    Stream<Incident> stream();

    /** How many there are. Reads all of them: of a large listing rather ask {@link #count(long)}. */
    long count();

    /**
     * How many there are, counted up to a bound.
     *
     * @throws IllegalArgumentException for a bound that is negative
     */
    BoundedCount count(long bound);

    /** Groups of activities that failed alike, the latest first, at most that many. */
    List<IncidentGroup> groups(int limit);

    /** The one with this number in the open run of this workflow id. What the selection says of others does not count. */
    IncidentControl one(String workflowId, int seq);

    /** This one as it was seen: if it was resolved since, even if it failed again, nothing is done. */
    IncidentControl one(Incident seen);

    /** They are tried again, as {@link IncidentControl#retry()}. */
    long retry();

    /** They are tried again at most that often, as {@link IncidentControl#retry(int)}. */
    long retry(int attempts);

    /**
     * They are tried again with these arguments, as {@link IncidentControl#retryWith}.
     *
     * @throws IllegalArgumentException unless the selection names one activity
     */
    long retryWith(@Nullable Object... arguments);

    /**
     * They end with this value.
     *
     * @throws PayloadException when it is none that some can return; all others are completed then
     * @throws IllegalArgumentException for a value that is not null, unless the selection names one activity
     */
    long complete(@Nullable Object value);

    /** They end with a failure of these words. */
    long fail(String why);

    /** They end with this failure. */
    long fail(Throwable failure);

    /**
     * They end as if they had returned null.
     *
     * @throws PayloadException when some return a primitive; all others are discarded then
     */
    long discard();

    /** Conditions on incidents; all that are set must hold. */
    interface Filter {
        /** Of the open run of this workflow id. */
        Filter workflowId(String workflowId);

        Filter runId(UUID runId);

        Filter workflowType(Class<?> type);

        Filter workflowType(String name);

        /** Its name: {@code Payments.charge}. */
        Filter activity(String name);

        Filter taskQueue(String taskQueue);

        /** The fingerprint of its failure, {@link IncidentGroup#fingerprint()}. */
        Filter fingerprint(String fingerprint);

        /** It became one then or later. */
        Filter since(Instant from);

        /** It became one before then. */
        Filter before(Instant time);
    }
}
