package dev.durable.store;

import dev.durable.client.AuditEntry;
import dev.durable.internal.text.Bounds;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Selects rows of the audit; a component of null does not restrict. Rows are ordered by time and id, the latest first.
 *
 * @param actor the name of the operator
 * @param action the name of the action
 * @param workflowId actions on runs of this workflow id, or on their activities
 * @param since at this time or later
 * @param before before this time
 * @param after the last row of the page before; null for the first page
 */
public record AuditFilter(
        @Nullable String actor,
        @Nullable String action,
        @Nullable String workflowId,
        @Nullable Instant since,
        @Nullable Instant before,
        @Nullable Place after) {

    /** Selects all rows. */
    public static final AuditFilter ALL = new AuditFilter(null, null, null, null, null, null);

    /** Matches the words before the workflow id, as logs show it, in the target of an action on an activity. */
    public static final String OF_ACTIVITY = "^activity [0-9]+ of run [0-9a-f-]+ of workflow ";

    /** The actions on runs, whose target is the workflow id. */
    public static final List<String> OF_RUNS = List.of(
            "pause run",
            "resume run",
            Delivery.CANCEL,
            Seizure.TERMINATE,
            NewRun.Copied.ACTION,
            "close run without history");

    private static final Pattern ACTIVITY = Pattern.compile(OF_ACTIVITY);

    /**
     * The place of a row in the order of the audit.
     *
     * @param at its time
     * @param id its id
     */
    public record Place(Instant at, UUID id) {}

    public AuditFilter actor(String value) {
        return new AuditFilter(value, action, workflowId, since, before, after);
    }

    public AuditFilter action(String value) {
        return new AuditFilter(actor, value, workflowId, since, before, after);
    }

    public AuditFilter workflowId(String value) {
        return new AuditFilter(actor, action, value, since, before, after);
    }

    public AuditFilter since(Instant value) {
        return new AuditFilter(actor, action, workflowId, value, before, after);
    }

    public AuditFilter before(Instant value) {
        return new AuditFilter(actor, action, workflowId, since, value, after);
    }

    public AuditFilter after(Place value) {
        return new AuditFilter(actor, action, workflowId, since, before, value);
    }

    /** Returns whether the filter selects the row. {@code after} is not considered here. */
    public boolean matches(AuditEntry row) {
        return (actor == null || actor.equals(row.actor()))
                && (action == null || action.equals(row.action()))
                && (workflowId == null || isOf(workflowId, row))
                && (since == null || !row.at().isBefore(since))
                && (before == null || row.at().isBefore(before));
    }

    private static boolean isOf(String workflowId, AuditEntry row) {
        return OF_RUNS.contains(row.action())
                ? row.target().equals(workflowId)
                : ACTIVITY.matcher(row.target()).lookingAt()
                        && ACTIVITY.matcher(row.target()).replaceFirst("").equals(Bounds.shown(workflowId));
    }
}
