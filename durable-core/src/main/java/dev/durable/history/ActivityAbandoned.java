package dev.durable.history;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The run closed while an activity had not ended: keeps how far the activity was. Its failed attempts, incidents and
 * resolutions stand before it. An activity of which the history would show nothing new has no such event.
 *
 * @param id its place in the history
 * @param at when
 * @param seq its number in the run
 * @param attempt the current or next attempt
 * @param lastHeartbeatDetails null without
 * @param outcome how it had ended, which the run had not taken in yet: type and attributes of the event that would have
 *     recorded it; null where it had not ended
 */
public record ActivityAbandoned(
        long id,
        Instant at,
        int seq,
        int attempt,
        @Nullable Payload lastHeartbeatDetails,
        @Nullable Payload outcome) implements HistoryEvent.Informing {}
