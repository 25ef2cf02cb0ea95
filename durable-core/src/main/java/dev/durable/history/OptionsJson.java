package dev.durable.history;

import static dev.durable.ActivityCancellationType.TRY_CANCEL;
import static dev.durable.ActivityOptions.DEFAULT;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Interner;
import com.github.benmanes.caffeine.cache.LoadingCache;
import dev.durable.ActivityCancellationType;
import dev.durable.ActivityOptions;
import dev.durable.OnExhausted;
import dev.durable.RetryPolicy;
import dev.durable.RetryPolicy.Growth;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The options of an activity as JSON text, as they stand in {@code ActivityScheduled} and in job rows: all values as
 * resolved, so that a later change of the defaults never changes a call that was made. Durations are ISO-8601.
 *
 * <pre>{@code
 * {"startToClose":"PT1M","scheduleToStart":…,"scheduleToClose":…,"heartbeatTimeout":…,"taskQueue":…,"priority":0,
 *  "retry":{"maxAttempts":0,"initialInterval":"PT1S","backoff":2.0,"maxInterval":"PT1M","jitter":0.2,"doNotRetry":[…],
 *           "maxWorkerCrashes":3,"growth":"POLYNOMIAL","retryIf":…,"onExhausted":"INCIDENT","attemptsBefore":5},
 *  "transactional":true,"local":true,"atMostOnce":true,"headers":{…},"limitKey":…,
 *  "cancellation":"ABANDON"}
 * }</pre>
 *
 * <p>Where a background job expires, {@code "expiresAt"} stands first of all: stores read it there without reading JSON.
 *
 * <p>A program has a handful of different options and schedules with them millions of times, and durations are slow to
 * read: both directions remember what they did last.
 */
public final class OptionsJson {
    private static final LoadingCache<ActivityOptions, String> WRITTEN =
            Caffeine.newBuilder().maximumSize(500).build(OptionsJson::write);
    private static final LoadingCache<String, Read> READ =
            Caffeine.newBuilder().maximumSize(500).build(OptionsJson::read);

    private static final Interner<ActivityOptions> SHARED = Interner.newWeakInterner();
    private static volatile Written lastWritten = new Written(shared(DEFAULT), write(DEFAULT));

    private record Written(ActivityOptions options, String json) {}

    /** Options, and the names in their text that mean nothing to this version. */
    private record Read(ActivityOptions options, List<String> unknown) {}

    private OptionsJson() {}

    /** Options as JSON text. Those of one call and the next are often the same object, which is looked at first. */
    @SuppressWarnings("ReferenceEquality")
    public static String encode(ActivityOptions options) {
        Written last = lastWritten;
        if (last.options != options) {
            last = new Written(options, WRITTEN.get(options));
            lastWritten = last;
        }
        return last.json;
    }

    /** Options from their JSON text. What this version does not know is left out: that is enough to show them. */
    public static ActivityOptions decode(String json) {
        return READ.get(json).options;
    }

    /** The same, to show them beside others: those of an activity that says nothing where they can't be read. */
    public static ActivityOptions decodeIfReadable(String json) {
        try {
            return decode(json);
        } catch (RuntimeException e) {
            return DEFAULT;
        }
    }

    /**
     * Options from their JSON text, for who is to keep them. An option is written only where it is not as it always was,
     * so one that is not known here asks for something that this version would not do.
     *
     * @throws IllegalArgumentException if there is an option or a value that this version does not know
     */
    public static ActivityOptions decodeAll(String json) {
        Read read = READ.get(json);
        if (!read.unknown.isEmpty()) {
            throw new IllegalArgumentException(
                    "this version of Durable does not know " + String.join(", ", read.unknown));
        }
        return read.options;
    }

    /**
     * The one object that stands for all equal to these: those that activities are declared with, and those that are read.
     * A replay compares the options of each call with the recorded ones, which costs nothing where they are the same
     * object, and a sixth of the replay where they are not: that is so where a call site changes them.
     */
    public static ActivityOptions shared(ActivityOptions options) {
        return SHARED.intern(options);
    }

    private static String write(ActivityOptions options) {
        return JsonObjectWriter.object(out -> out.instant("expiresAt", options.expiresAt())
                .duration("startToClose", options.startToClose())
                .duration("scheduleToStart", options.scheduleToStart())
                .duration("scheduleToClose", options.scheduleToClose())
                .duration("heartbeatTimeout", options.heartbeatTimeout())
                .string("taskQueue", options.taskQueue())
                .number("priority", options.priority())
                .object("retry", retry -> write(options.retry(), retry))
                .flag("transactional", options.transactional())
                .flag("local", options.local())
                .flag("atMostOnce", options.atMostOnce())
                .map("headers", options.headers())
                .string("limitKey", options.limitKey())
                .string(
                        "cancellation",
                        options.cancellation() == TRY_CANCEL
                                ? null
                                : options.cancellation().name()));
    }

    static void write(RetryPolicy retry, JsonObjectWriter out) {
        out.number("maxAttempts", retry.maxAttempts())
                .duration("initialInterval", retry.initialInterval())
                .number("backoff", retry.backoff())
                .duration("maxInterval", retry.maxInterval())
                .number("jitter", retry.jitter())
                .strings("doNotRetry", retry.doNotRetry())
                .number("maxWorkerCrashes", retry.maxWorkerCrashes())
                .string(
                        "growth",
                        retry.growth() == Growth.EXPONENTIAL
                                ? null
                                : retry.growth().name())
                .string("retryIf", retry.retryIf())
                .string(
                        "onExhausted",
                        retry.onExhausted() == OnExhausted.FAIL
                                ? null
                                : retry.onExhausted().name());
        if (retry.attemptsBefore() > 0) {
            out.number("attemptsBefore", retry.attemptsBefore());
        }
    }

    private static Read read(String json) {
        JsonObjectReader in = JsonObjectReader.of(json).remembering();
        String retryJson = in.jsonOrNull("retry");
        JsonObjectReader retry =
                retryJson == null ? null : JsonObjectReader.of(retryJson).remembering();
        ActivityOptions options = shared(read(in, retry));
        List<String> unknown = new ArrayList<>(in.unasked());
        unknown.remove(EnqueuedOptions.NAME);
        if (retry != null) {
            retry.unasked().forEach(name -> unknown.add("retry." + name));
        }
        return new Read(options, List.copyOf(unknown));
    }

    private static ActivityOptions read(JsonObjectReader in, @Nullable JsonObjectReader retry) {
        return new ActivityOptions(
                in.stringOrNull("taskQueue"),
                in.duration("startToClose", DEFAULT.startToClose()),
                in.durationOrNull("scheduleToStart"),
                in.durationOrNull("scheduleToClose"),
                in.durationOrNull("heartbeatTimeout"),
                retry == null ? DEFAULT.retry() : readRetry(retry),
                in.integer("priority", DEFAULT.priority()),
                in.flag("transactional"),
                in.flag("local"),
                in.flag("atMostOnce"),
                in.map("headers"),
                in.stringOrNull("limitKey"),
                ActivityCancellationType.valueOf(in.string("cancellation", TRY_CANCEL.name())),
                in.instantOrNull("expiresAt"));
    }

    static RetryPolicy readRetry(JsonObjectReader in) {
        RetryPolicy unset = RetryPolicy.DEFAULT;
        return new RetryPolicy(
                in.integer("maxAttempts", unset.maxAttempts()),
                in.duration("initialInterval", unset.initialInterval()),
                in.decimal("backoff", unset.backoff()),
                in.duration("maxInterval", unset.maxInterval()),
                in.decimal("jitter", unset.jitter()),
                in.strings("doNotRetry"),
                in.integer("maxWorkerCrashes", unset.maxWorkerCrashes()),
                Growth.valueOf(in.string("growth", Growth.EXPONENTIAL.name())),
                in.stringOrNull("retryIf"),
                OnExhausted.valueOf(in.string("onExhausted", OnExhausted.FAIL.name())),
                in.integer("attemptsBefore", 0));
    }
}
