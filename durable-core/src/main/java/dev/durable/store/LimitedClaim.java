package dev.durable.store;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of claiming jobs from a queue that has limits.
 *
 * @param jobs the jobs
 * @param retryIn when more may be let through although nothing ends: somebody else claims just now, or the rate allows
 *     more then; null is not known
 */
public record LimitedClaim(List<ClaimedJob> jobs, @Nullable Duration retryIn) {

    public LimitedClaim {
        jobs = List.copyOf(jobs);
    }
}
