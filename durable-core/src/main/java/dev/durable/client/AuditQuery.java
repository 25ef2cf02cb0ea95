package dev.durable.client;

import java.time.Instant;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What operators did, the latest first: {@code client.audit().where(a -> a.workflowId("order-42")).page(50)}. A row is there
 * exactly if what it tells happened: both are one commit. How long rows stay is the operator's to say, see {@code
 * docs/roles.md}.
 *
 * <p>Immutable: each call gives a narrowed copy. Thread-safe.
 */
public interface AuditQuery {

    /** Keeps the rows that satisfy the filter as well. */
    AuditQuery where(UnaryOperator<Filter> filter);

    /** The latest, at most that many. */
    Page<AuditEntry> page(int size);

    /**
     * The page of at most that many that begins behind another one.
     *
     * @param next what {@link Page#next()} gave, of this listing; null is the front
     * @throws IllegalArgumentException for a text that is none
     */
    Page<AuditEntry> page(int size, @Nullable String next);

    /** All of them, read page by page. */
    Stream<AuditEntry> stream();

    /** What a row must be; all that is said must hold. */
    interface Filter {
        /** Who did it. */
        Filter actor(String actor);

        /** What was done: {@code retry}. */
        Filter action(String action);

        /** It was done to this workflow or background job, or to an activity of it. */
        Filter workflowId(String workflowId);

        /** Then or later. */
        Filter since(Instant from);

        /** Before then. */
        Filter before(Instant time);
    }
}
