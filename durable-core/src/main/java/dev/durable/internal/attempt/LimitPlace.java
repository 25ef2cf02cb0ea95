package dev.durable.internal.attempt;

import dev.durable.ActivityOptions;
import dev.durable.store.ClaimedJob;
import dev.durable.store.JobUpdate;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The place of an attempt under the limits of its queue and its key. Where the attempt ends before its body, the place is
 * kept until the body has ended, or for {@link JobUpdate#PLACE_KEPT}: the update that ends the attempt says so, and the
 * place is freed only after that update.
 */
final class LimitPlace {
    private static final Logger log = LoggerFactory.getLogger(LimitPlace.class);

    private final Attempt attempt;
    private final ActivityOptions options;
    private final ActivityQueue queue;
    private final AttemptServices host;

    /** Completed when the early end of the attempt is durable, or will never be. */
    private final CompletableFuture<@Nullable Void> cut = new CompletableFuture<>();

    LimitPlace(Attempt attempt, ActivityOptions options, ActivityQueue queue, AttemptServices host) {
        this.attempt = attempt;
        this.options = options;
        this.queue = queue;
        this.host = host;
    }

    /** Returns whether a limit counts how many jobs run at once. */
    boolean isLimited() {
        return !host.reports().local() && (options.limitKey() != null || queue.isLimited());
    }

    /** Records that the early end of the attempt is durable, or will never be. */
    void endIsDurable() {
        cut.complete(null);
    }

    /**
     * Frees the place for a body that has ended after its attempt; at once, or when the end of the attempt is durable.
     */
    void bodyEndedLate() {
        var unused = cut.thenRun(() -> {
            host.leases().bodyEnded(attempt.lease());
            free();
        });
    }

    /** Frees the place, as nothing of the attempt runs any more and its row is no longer this worker's. */
    void free() {
        if (isLimited()) {
            ClaimedJob job = attempt.job();
            host.reports()
                    .tell(
                            new JobUpdate.FreePlace(job.key(), job.lease()),
                            (outcome, error) -> host.leases().placeFree(attempt));
        }
    }

    /**
     * Logs that the body still runs after {@link JobUpdate#PLACE_KEPT}, from when on stores do not count it any more.
     *
     * @param body the position of its thread, if it runs
     */
    void giveUp(Optional<String> body) {
        body.ifPresent(where -> log.warn(
                "{} goes on {} after it was to end: {}. Its place under the limits of queue {}{} is given up, and"
                        + " another may run beside it. Usual cause: a call without a time limit, which hears no"
                        + " interrupt.",
                attempt,
                JobUpdate.PLACE_KEPT,
                where,
                attempt.job().route().taskQueue(),
                options.limitKey() == null ? "" : " and of limit key " + options.limitKey()));
    }
}
