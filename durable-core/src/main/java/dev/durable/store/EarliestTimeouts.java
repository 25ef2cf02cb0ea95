package dev.durable.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The earliest timeout of each kind that no worker watches; null where there is none.
 *
 * @param waiting of jobs that no worker runs: {@link HistoryStore#timeOutWaiting}
 * @param external of attempts that were left to token holders: {@link HistoryStore#overdueExternal}
 * @param runs of open runs: {@link HistoryStore#expiredRuns}
 */
public record EarliestTimeouts(
        @Nullable Instant waiting,
        @Nullable Instant external,
        @Nullable Instant runs) {}
