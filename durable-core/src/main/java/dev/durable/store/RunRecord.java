package dev.durable.store;

import dev.durable.client.WorkflowStatus;
import dev.durable.internal.text.NamedValues;
import dev.durable.internal.text.Portion;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code workflow_run}: the values of a run that listings and descriptions show. Clients that wait for its end
 * read a {@link ClosedRun}.
 *
 * @param run the run
 * @param type workflow type
 * @param status its state
 * @param taskQueue its queue
 * @param startedAt when it was started
 * @param closedAt when it closed; null while open
 * @param result JSON text; null without
 * @param failure JSON text; null without
 * @param notes its memo, and the line by which its code says what it is doing
 * @param links the other runs of its chain
 */
public record RunRecord(
        RunKey run,
        String type,
        WorkflowStatus status,
        String taskQueue,
        Instant startedAt,
        @Nullable Instant closedAt,
        @Nullable String result,
        @Nullable String failure,
        Notes notes,
        Links links) {

    /** The type of failure of a run that no worker had begun by its expiry. */
    public static final String EXPIRED = "dev.durable.Expired";

    /**
     * The texts that a listing shows of a run.
     *
     * @param memo notes given at the start
     * @param details the line by which its code says what it is doing; null without
     * @param build the build whose code has made its last turn; null where that named none, or the run has closed
     */
    public record Notes(
            Map<String, String> memo,
            @Nullable String details,
            @Nullable String build) {
        public Notes {
            memo = NamedValues.copyOf(memo);
        }

        @Override
        public String toString() {
            return "Notes[" + memo + "]";
        }
    }

    /**
     * The place of a run among those that continue one another.
     *
     * @param chainId the id of the chain: the run id of its first run
     * @param previous the run that this one continues; null for the first
     * @param next the run that continues this one, or the next attempt of a failed one; null for the last
     * @param attempt its number among the attempts of a workflow with a retry policy, from 1; 1 without a policy
     */
    public record Links(
            UUID chainId, @Nullable UUID previous, @Nullable UUID next, int attempt) {}

    /** Returns whether the run has failed or timed out, and another attempt or a retry from the failure follows. */
    public boolean isRetried() {
        return (status == WorkflowStatus.FAILED || status == WorkflowStatus.TIMED_OUT) && links.next() != null;
    }

    /** The notes given at the start. */
    public Map<String, String> memo() {
        return NamedValues.plain(notes.memo);
    }

    /** The line by which its code says what it is doing; null without. */
    public @Nullable String details() {
        return notes.details;
    }

    /** The build whose code has made its last turn; null where that named none, or the run has closed. */
    public @Nullable String build() {
        return notes.build;
    }

    /** The largest size that a store may count for it in a {@linkplain Portion portion}. */
    public long atMost() {
        // The size as JSON in which each character is escaped.
        long characters = 2;
        for (Map.Entry<String, String> note : notes.memo.entrySet()) {
            characters += 6L * (note.getKey().length() + note.getValue().length() + 1);
        }
        return Portion.atMost(result)
                + Portion.atMost(failure)
                + Portion.atMost(notes.details)
                + Portion.atMost(characters);
    }

    @Override
    public String toString() {
        return "RunRecord[" + run + ", " + type + ", " + status + ", " + taskQueue + "]";
    }
}
