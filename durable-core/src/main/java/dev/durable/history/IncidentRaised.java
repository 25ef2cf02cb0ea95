package dev.durable.history;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An activity used up its attempts or its worker crashes, or no worker could read it, and its job stays until an operator
 * says what becomes of it.
 *
 * @param id its place in the history
 * @param at when
 * @param seq its number in the run
 * @param attempt the last attempt
 * @param kind incident or dead letter
 * @param reason failed, timed out, worker lost, or not read: no worker that claimed it could read it
 * @param failure what the last attempt threw; null where its worker was lost
 * @param crashes how often its worker died
 * @param fingerprint activity, type of failure and the first frames of its own code: the same for what failed alike
 */
public record IncidentRaised(
        long id,
        Instant at,
        int seq,
        int attempt,
        String kind,
        String reason,
        @Nullable Failure failure,
        int crashes,
        String fingerprint)
        implements HistoryEvent.Informing {}
