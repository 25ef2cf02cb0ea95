package dev.durable.store;

import dev.durable.internal.text.Portion;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An activity job that this process has claimed, with all that is needed to run the attempt.
 *
 * @param key which job
 * @param route its activity, and where it came from
 * @param lease the token to settle it with
 * @param attempt from 1
 * @param crashes how often its worker died
 * @param content its arguments, options and headers
 * @param deadlines when it was scheduled, and its deadlines
 * @param heartbeatDetails the last accepted details of the attempts before, JSON text; null without
 * @param notes informing events so far, a JSON array; null without
 */
public record ClaimedJob(
        JobKey key,
        JobRoute route,
        UUID lease,
        int attempt,
        int crashes,
        JobContent content,
        JobDeadlines deadlines,
        @Nullable String heartbeatDetails,
        @Nullable String notes) {

    /** The name of its activity. */
    public String activity() {
        return route.activity();
    }

    /** This job, which has begun, for another attempt; details or options of null keep those that it has. */
    public ClaimedJob again(
            int nextAttempt, @Nullable String newNotes, @Nullable String details, @Nullable String newOptions) {
        return new ClaimedJob(
                key,
                route,
                lease,
                nextAttempt,
                crashes,
                content.with(null, newOptions),
                deadlines.with(null, deadlines.toClose()),
                details == null ? heartbeatDetails : details,
                newNotes);
    }

    /** The largest size that a store may count for it in a {@linkplain Portion portion}. */
    public long atMost() {
        return Portion.atMost(content.input())
                + Portion.atMost(content.headers())
                + Portion.atMost(heartbeatDetails)
                + Portion.atMost(notes);
    }

    @Override
    public String toString() {
        return "ClaimedJob[" + key + ", " + route + ", attempt=" + attempt + ", " + content + "]";
    }
}
