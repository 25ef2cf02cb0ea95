package dev.durable.internal.declare;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import dev.durable.ActivityOptions;
import dev.durable.RetryPolicy;
import dev.durable.history.EnqueuedOptions;
import dev.durable.history.OptionsJson;
import dev.durable.internal.text.Portion;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Computes the options of a background job: those chosen when it was enqueued take precedence over those that its
 * worker declares. Until its first attempt has ended, the activity's options are those of the process that runs it: a
 * web tier that enqueues need not have the configuration of the workers, and a job that waits for a week begins with
 * the options of that time.
 *
 * <p>The options that the store applies on its own stay as they were at the enqueueing: the queue, the priority, the
 * limit key, how long the job may wait for its first attempt, how many workers it may cost, its headers; a
 * schedule-to-close that the enqueuing process had, because it has been running since; and at most once, which may be
 * added but not taken away. The end of a job whose attempts are used up also stays, unless the activity's type, its
 * method or the configuration set it here: the engine's own default is that of the enqueueing process.
 */
public final class BackgroundOptions {
    private static final Logger log = LoggerFactory.getLogger(BackgroundOptions.class);
    /** The bytes of texts that are remembered: the headers in a row may be long. */
    private static final int REMEMBERED = 2 << 20;

    private static final LoadingCache<Question, ActivityOptions> ANSWERS = Caffeine.newBuilder()
            .maximumWeight(REMEMBERED)
            .weigher((Question question, ActivityOptions answer) -> question.weight())
            .build(BackgroundOptions::answer);

    private record Question(String activity, String json, ActivityOptions declared, boolean saysEnd) {
        Question(ActivityMethod activity, String json) {
            this(activity.name(), json, of(activity), activity.saysEnd());
        }

        @Override
        public String toString() {
            return "Question[" + activity + "]";
        }

        /** Returns the estimated bytes of the text and of the options that were read from it. */
        int weight() {
            return (int) Math.min(1_024 + 2 * Portion.heapBytes(json), Integer.MAX_VALUE);
        }

        ActivityOptions declaredFor(ActivityOptions row) {
            return saysEnd
                    ? declared
                    : declared.withRetry(
                            declared.retry().withOnExhausted(row.retry().onExhausted()));
        }
    }

    private BackgroundOptions() {}

    /** Returns the options of an activity as a background job, as this process knows them. */
    public static ActivityOptions of(ActivityMethod activity) {
        return activity.ofJob();
    }

    /**
     * Returns the options of an attempt.
     *
     * @param json the options in the job's row
     * @param activity the activity as this process has it; empty where it does not, and then the options in the row
     *     hold
     */
    public static ActivityOptions now(String json, Optional<ActivityMethod> activity) {
        return activity.isEmpty() || EnqueuedOptions.of(json).isEmpty()
                ? OptionsJson.decode(json)
                : ANSWERS.get(new Question(activity.get(), json));
    }

    private static ActivityOptions answer(Question question) {
        ActivityOptions row = OptionsJson.decode(question.json());
        EnqueuedOptions chosen = EnqueuedOptions.of(question.json()).orElse(EnqueuedOptions.NOTHING);
        ActivityOptions here = question.declaredFor(row);
        try {
            return inTheRow(row, OptionsAtCallSite.of(chosen).apply(inTheRow(row, here)));
        } catch (IllegalArgumentException e) {
            log.warn(
                    "what was chosen for a job of {} when it was enqueued does not fit its options here, and these hold."
                            + " Usual cause: the activity's options were changed while the job waited. {}",
                    question.activity(),
                    e.getMessage());
            return inTheRow(row, here);
        }
    }

    /** Returns these options, with those that stay as they were at the enqueueing. */
    private static ActivityOptions inTheRow(ActivityOptions row, ActivityOptions here) {
        Duration toClose = row.scheduleToClose() == null ? here.scheduleToClose() : row.scheduleToClose();
        boolean once = row.atMostOnce() || here.atMostOnce();
        ActivityOptions merged = new ActivityOptions(
                row.taskQueue(),
                here.startToClose(),
                row.scheduleToStart(),
                toClose,
                here.heartbeatTimeout(),
                retry(row.retry().maxWorkerCrashes(), here.retry(), once),
                row.priority(),
                here.transactional(),
                row.local(),
                once,
                row.headers(),
                row.limitKey(),
                here.cancellation(),
                row.expiresAt(),
                row.summary());
        return merged.equals(row) ? row : OptionsJson.shared(merged);
    }

    private static RetryPolicy retry(int crashes, RetryPolicy here, boolean once) {
        return new RetryPolicy(
                once ? 1 : here.maxAttempts(),
                here.initialInterval(),
                here.backoff(),
                here.maxInterval(),
                here.jitter(),
                here.doNotRetry(),
                crashes,
                here.growth(),
                here.retryIf(),
                here.onExhausted(),
                here.attemptsBefore());
    }
}
