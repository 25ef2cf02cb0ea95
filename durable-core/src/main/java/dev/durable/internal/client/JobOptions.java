package dev.durable.internal.client;

import dev.durable.ActivityCancellationType;
import dev.durable.ActivityOptions;
import dev.durable.ActivityOptionsBuilder;
import dev.durable.RefusedInputException;
import dev.durable.client.StartOptions;
import dev.durable.history.EnqueuedOptions;
import dev.durable.internal.declare.ActivityMethod;
import dev.durable.internal.declare.BackgroundOptions;
import dev.durable.internal.declare.OptionsAtCallSite;
import dev.durable.internal.text.Bounds;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Converts {@link StartOptions} of a background job to the options of its activity.
 *
 * @param resolved all options, as this process knows them
 * @param chosen those of the options that were chosen for this job; the rest comes from the worker that begins it
 */
record JobOptions(ActivityOptions resolved, EnqueuedOptions chosen) {

    /**
     * @param now the store's time
     * @throws IllegalArgumentException when the options do not fit together, or do not fit the activity
     */
    static JobOptions of(ActivityMethod activity, StartOptions start, Instant now) {
        if (start.retry() != null) {
            throw new IllegalArgumentException(
                    "job " + start.id() + ": retry(…) is for workflows, whose runs it repeats. A"
                            + " background job is retried by the policy of its activity: activity(o -> o.maxAttempts(…)).");
        }
        OptionsAtCallSite changes = new OptionsAtCallSite();
        // Whatever the activity declares: a job that is cancelled stays open until its attempt has ended.
        changes.cancellation(ActivityCancellationType.WAIT_CANCELLATION_COMPLETED);
        Integer priority = start.priority();
        if (priority != null) {
            changes.priority(priority);
        }
        Consumer<? super ActivityOptionsBuilder> said = start.activity();
        if (said != null) {
            said.accept(changes);
        }
        ActivityOptions options = changes.apply(BackgroundOptions.of(activity));
        if (priority != null && options.priority() != priority) {
            throw saidTwice(start.id(), "priority", priority, options.priority());
        }
        String queue = start.taskQueue();
        if (queue != null && said != null) {
            OptionsAtCallSite onlyQueue = new OptionsAtCallSite().taskQueue(queue);
            said.accept(onlyQueue);
            String other = onlyQueue.apply(BackgroundOptions.of(activity)).taskQueue();
            if (!queue.equals(other)) {
                throw saidTwice(start.id(), "taskQueue", queue, other);
            }
        }
        if (options.local()) {
            throw new IllegalArgumentException("job " + start.id()
                    + ": local(true) is for calls from workflows: a local activity has no job. Leave it out.");
        }
        Map<String, String> headers = new LinkedHashMap<>(start.headers());
        headers.putAll(options.headers());
        Bounds.notes("start of " + start.id(), options.headers(), start.memo());
        // The notes of the start fitted before interceptors added theirs.
        Bounds.notesWithAdded("start of " + start.id(), headers, start.memo());
        ActivityMethod.checkHeartbeat(activity.name(), activity.checked(options), null);
        return new JobOptions(options.withExpiry(expiry(start, now)), changes.chosen());
    }

    private static IllegalArgumentException saidTwice(
            String job, String option, Object start, @Nullable Object activity) {
        return new IllegalArgumentException("job " + job + ": its " + option + " is said twice, " + start
                + " by StartOptions." + option + "(…) and " + activity + " by activity(o -> o." + option
                + "(…)). Say it once.");
    }

    /** Returns the expiry that the options name, in the precision that databases keep. */
    private static @Nullable Instant expiry(StartOptions start, Instant now) {
        Instant expiresAt = start.expiresAt();
        if (expiresAt != null && !expiresAt.isAfter(now.plus(start.startDelay()))) {
            throw new RefusedInputException("job " + start.id() + " expires at " + expiresAt
                    + ", before it may begin (now " + now + ", delay " + start.startDelay()
                    + "): it would never run. Let it expire later, or leave it out.");
        }
        return expiresAt == null ? null : expiresAt.truncatedTo(ChronoUnit.MICROS);
    }
}
