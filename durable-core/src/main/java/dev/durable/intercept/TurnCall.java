package dev.durable.intercept;

import dev.durable.internal.text.NamedValues;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A turn of a run that an interceptor sees: an event that is fed to the workflow's code.
 *
 * @param workflowId the business identity
 * @param runId the run
 * @param type its workflow type
 * @param taskQueue where its turns are made
 * @param event the type of the event, {@code SignalReceived}
 * @param eventId its number in the history
 * @param signal its name, where the event is a signal
 * @param update its name, where the event is an accepted update
 * @param replaying whether the turn was made before and its event and commands are in the history
 * @param startedAt when the run was started
 * @param headers of the run
 */
public record TurnCall(
        String workflowId,
        UUID runId,
        String type,
        String taskQueue,
        String event,
        long eventId,
        @Nullable String signal,
        @Nullable String update,
        boolean replaying,
        Instant startedAt,
        Map<String, String> headers) {
    public TurnCall {
        headers = NamedValues.copyOf(headers);
    }

    @Override
    public Map<String, String> headers() {
        return NamedValues.plain(headers);
    }
}
