package dev.durable.client;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A listing of runs. Immutable: each call gives a narrowed copy. */
public interface WorkflowQuery {

    /** Keeps the runs that satisfy the filter as well. */
    WorkflowQuery where(UnaryOperator<Filter> filter);

    /** Latest start first; the default. */
    WorkflowQuery newestFirst();

    /** Earliest start first. */
    WorkflowQuery oldestFirst();

    /** The first page of at most that many; fewer where their results and memos make some MiB together. */
    Page<Row> page(int size);

    /**
     * The page of at most that many that begins behind another one.
     *
     * @param next what {@link Page#next()} gave, of this listing in the same order; null is the front
     * @throws IllegalArgumentException for a text that is none
     */
    Page<Row> page(int size, @Nullable String next);

    /** All of them, read page by page; close it. */
    Stream<Row> stream();

    /** How many there are. Reads all of them: of a large listing rather ask {@link #count(long)}. */
    long count();

    /**
     * How many there are, counted up to a bound.
     *
     * @throws IllegalArgumentException for a bound that is negative
     */
    BoundedCount count(long bound);

    /**
     * What an operator does to all open runs of this listing: {@code .by("ann").because("…").cancel()}. The methods that
     * end in {@code All} are the same without a name and a reason: the audit shows this process.
     *
     * @param actor the operator's name, which histories and audit show
     * @throws dev.durable.RefusedInputException for a name that can't be one
     */
    WorkflowVerbs by(String actor);

    /** Has workers try each stalled run of this listing again now: {@link WorkflowVerbs#retry}. */
    Operation retryAll();

    /** Asks each open run of this listing to cancel: {@link WorkflowVerbs#cancel}. */
    Operation cancelAll();

    /** Terminates each open run of this listing: {@link WorkflowVerbs#terminate}. */
    Operation terminateAll(String reason);

    /** Sends each open run of this listing a signal: {@link WorkflowVerbs#signal}. */
    Operation signalAll(String name, @Nullable Object... arguments);

    /** Counts the open runs of this listing and changes nothing: {@link WorkflowVerbs#dryRun}. */
    OperationPreview dryRun();

    /**
     * The stalled ones of them in groups that have stalled alike, the largest first. Reads all of them, so narrow the
     * listing first where hundreds of thousands have stalled.
     */
    List<StallGroup> stallGroups();

    /** Conditions on runs; all that are set must hold. */
    interface Filter {
        Filter type(Class<?> type);

        Filter type(String name);

        /** Background jobs of this activity: {@code Emails.send}, as it was called when they were enqueued. */
        Filter activity(String name);

        /** One of these. */
        Filter status(WorkflowStatus... statuses);

        Filter workflowId(String workflowId);

        Filter workflowIdPrefix(String prefix);

        Filter startedAfter(Instant when);

        Filter startedBefore(Instant when);

        Filter closedAfter(Instant when);

        Filter closedBefore(Instant when);

        Filter taskQueue(String taskQueue);

        /** Children that a workflow has started: its run id, which is the first one's where it has continued as new. */
        Filter parent(UUID runId);

        /** All children, and their children, below a workflow that has no parent: its run id, as {@link #parent}. */
        Filter root(UUID runId);

        /** Runs that can't go on for now: non-determinism or an {@code Error}. */
        Filter stalled();

        /**
         * Runs that have stalled as those of a group of {@link WorkflowQuery#stallGroups()}, now or since then: of its type,
         * for its cause, at its line. A verb of the listing, such as {@link WorkflowVerbs#retry} or {@link
         * WorkflowVerbs#moveTo}, is for the whole group then, and for nothing else.
         */
        Filter stalledLike(StallGroup group);
    }

    /** A run that was found. */
    interface Row {
        /** The summary of the run. */
        WorkflowSummary summary();

        /** The workflow id. */
        default String workflowId() {
            return summary().workflowId();
        }

        /** The state of the run. */
        default WorkflowStatus status() {
            return summary().status();
        }

        /** A handle of exactly this run. */
        <W> WorkflowHandle<W, ?> handle(Class<W> type);

        /**
         * A handle of exactly this background job.
         *
         * @throws IllegalStateException when it is none
         */
        ActivityHandle job();
    }
}
