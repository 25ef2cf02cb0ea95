package dev.durable.internal.client;

import dev.durable.ActivityCancellationType;
import dev.durable.ActivityContext;
import dev.durable.ActivityOptions;
import dev.durable.DeferException;
import dev.durable.NonRetryableException;
import dev.durable.RetryPolicy;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.BatchHandle;
import dev.durable.history.EnqueuedOptions;
import dev.durable.history.OptionsJson;
import dev.durable.history.Payload;
import dev.durable.internal.declare.Registry;
import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The activity behind {@code onCompletion} of a batch: polls whether the batch is at rest, less often each time, and
 * then enqueues the job that follows.
 *
 * <p>If the process dies before the following job is enqueued, the watching job is run again; if it dies after that,
 * the watching job finds the following one by its id.
 */
public final class BatchFollower implements BatchWatch {
    static final String ACTIVITY = BatchWatch.TYPE + ".follow";
    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofSeconds(30);
    private static final int PART = 10;
    /** How long jobs of the batch may be missing: a transaction that enqueues them may be open. */
    private static final Duration PATIENCE = Duration.ofHours(1);

    private final Supplier<StoreClient> client;

    private BatchFollower(Supplier<StoreClient> client) {
        this.client = client;
    }

    /** Returns the registration that every worker has beside its own activities. */
    public static Registry registry(Supplier<StoreClient> client) {
        return Registry.builder()
                .activity(BatchWatch.class, new BatchFollower(client))
                .activity(OperatedRuns.class, new OperationRunner(client))
                .build();
    }

    /** Returns the options of the watching job, which waits in the task queue of the following one. */
    static ActivityOptions options(String taskQueue) {
        return new ActivityOptions(
                taskQueue,
                Duration.ofMinutes(1),
                null,
                null,
                null,
                RetryPolicy.DEFAULT,
                0,
                false,
                false,
                false,
                Map.of(),
                null,
                ActivityCancellationType.TRY_CANCEL,
                null);
    }

    @Override
    public void follow(String batch, String following, String activity, String arguments, String options) {
        JobClient own = client.get().ofJobs();
        Duration age = Duration.between(ActivityContext.current().info().scheduledAt(), own.now());
        if (!isAtRest(own.batch(batch), following, age)) {
            throw new DeferException(pause(age));
        }
        own.enqueueOnce(
                following,
                ActivityContext.current().headers(),
                new JobCall(
                        activity,
                        new Payload(arguments),
                        OptionsJson.decode(options),
                        EnqueuedOptions.of(options).orElse(null),
                        own.now()));
    }

    /**
     * Returns whether the batch is at rest. A batch without a job is not: its jobs may be in a transaction that is
     * open.
     */
    private static boolean isAtRest(BatchHandle batch, String following, Duration age) {
        try {
            return batch.progress().isAtRest();
        } catch (WorkflowNotFoundException e) {
            if (age.compareTo(PATIENCE) < 0) {
                return false;
            }
            throw new NonRetryableException(
                    "job " + following + " was to follow batch " + batch.id() + ", of which no job has come within "
                            + PATIENCE + ": it is not enqueued. " + e.getMessage()
                            + " Then say batch.onCompletion(…) again.",
                    e);
        }
    }

    private static Duration pause(Duration age) {
        Duration part = age.dividedBy(PART);
        return part.compareTo(SHORTEST) < 0 ? SHORTEST : part.compareTo(LONGEST) > 0 ? LONGEST : part;
    }
}
