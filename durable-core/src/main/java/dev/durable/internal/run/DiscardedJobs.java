package dev.durable.internal.run;

import dev.durable.history.ActivityAttemptFailed;
import dev.durable.history.EventJson;
import dev.durable.history.Failure;
import dev.durable.history.HistoryEvent;
import dev.durable.history.IncidentResolved;
import dev.durable.history.StoredEvent;
import dev.durable.internal.attempt.Notes;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds out from its events whether a completed background job was discarded ({@code onExhausted = DISCARD}), in which
 * case the reason stands in the run's row as a failure and the job does not count as a success.
 */
final class DiscardedJobs {
    private static final Set<String> TELLING =
            Set.of(ActivityAttemptFailed.class.getSimpleName(), IncidentResolved.class.getSimpleName());

    private DiscardedJobs() {}

    /**
     * Returns why the activity was discarded; null where it was not.
     *
     * @param events the events before its end
     */
    static @Nullable Failure why(List<StoredEvent> events) {
        Failure why = null;
        for (StoredEvent event : events) {
            if (TELLING.contains(event.type())) {
                Failure last = why(EventJson.decode(event));
                why = last == null ? why : last;
            }
        }
        return why;
    }

    private static @Nullable Failure why(HistoryEvent event) {
        return switch (event) {
            case ActivityAttemptFailed failed
            when failed.reason().equals(Notes.DISCARDED) ->
                failed.failure() == null
                        ? Failure.of("dev.durable.Discarded", "discarded: its worker died too often while it ran")
                        : failed.failure();
            case IncidentResolved resolved
            when resolved.resolution().equals("discarded") ->
                Failure.of(
                        "dev.durable.Discarded",
                        "discarded by " + resolved.by()
                                + (resolved.reason().isEmpty() ? "" : ": " + resolved.reason()));
            default -> null;
        };
    }
}
