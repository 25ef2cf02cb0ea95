package dev.durable.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The result of admitting jobs of a queue that wait for their limit key.
 *
 * @param admitted how many are ready now
 * @param waiting whether others still wait, or may
 * @param retryIn when more may be let through although nothing ends; null is not known
 */
public record Admission(
        int admitted, boolean waiting, @Nullable Duration retryIn) {}
