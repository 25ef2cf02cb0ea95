package dev.durable.client;

import java.time.Instant;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds rows of the audit, which record the actions of operators, the latest first: {@code client.audit().where(a ->
 * a.workflowId("order-42")).page(50)}. A row exists exactly if its action happened: both are one commit. Operators
 * decide how long rows stay, see {@code docs/roles.md}.
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

    /** Conditions on rows; all that are set must hold. */
    interface Filter {
        /** Rows of this operator. */
        Filter actor(String actor);

        /** Rows of this action: {@code retry}. */
        Filter action(String action);

        /** It was done to this workflow or background job, or to an activity of it. */
        Filter workflowId(String workflowId);

        /** Then or later. */
        Filter since(Instant from);

        /** Before then. */
        Filter before(Instant time);
    }
}
