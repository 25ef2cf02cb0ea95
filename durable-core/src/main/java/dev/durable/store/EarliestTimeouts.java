package dev.durable.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * When the first timeout of each kind that nobody watches passes, or has passed; null where there is none.
 *
 * @param waiting of jobs that nobody runs: {@link HistoryStore#timeOutWaiting}
 * @param external of attempts in the hands of others: {@link HistoryStore#overdueExternal}
 * @param runs of open runs: {@link HistoryStore#expiredRuns}
 */
public record EarliestTimeouts(
        @Nullable Instant waiting,
        @Nullable Instant external,
        @Nullable Instant runs) {}
