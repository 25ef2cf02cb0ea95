package dev.durable.history;

import static dev.durable.ActivityOptions.DEFAULT;

import com.github.benmanes.caffeine.cache.CacheLoader;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Interner;
import com.github.benmanes.caffeine.cache.LoadingCache;
import dev.durable.ActivityCancellationType;
import dev.durable.ActivityOptions;
import dev.durable.OnExhausted;
import dev.durable.RetryPolicy;
import dev.durable.RetryPolicy.Growth;
import dev.durable.internal.json.JsonObjectReader;
import dev.durable.internal.json.JsonObjectWriter;
import dev.durable.internal.text.Portion;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The options of an activity as JSON text, as they stand in {@code ActivityScheduled} and in job rows: the values as
 * resolved, so that a later change of the defaults never changes a call that was made. Durations are ISO-8601.
 *
 * <p>Of the start-to-close timeout the value always stands there; of all others only where it is not the one that this
 * format means by silence ({@code UNSAID}), which never changes. Most calls have the defaults, and what says so would be
 * half of what they write.
 *
 * <pre>{@code
 * {"startToClose":"PT1M","scheduleToStart":…,"scheduleToClose":…,"heartbeatTimeout":…,"taskQueue":…,"priority":0,
 *  "retry":{"maxAttempts":0,"initialInterval":"PT1S","backoff":2.0,"maxInterval":"PT1M","jitter":0.2,"doNotRetry":[…],
 *           "maxWorkerCrashes":3,"growth":"POLYNOMIAL","retryIf":…,"onExhausted":"INCIDENT","attemptsBefore":5},
 *  "transactional":true,"local":true,"atMostOnce":true,"headers":{…},"limitKey":…,
 *  "cancellation":"ABANDON","summary":…}
 * }</pre>
 *
 * <p>A program has a handful of different options and schedules with them millions of times, and durations are slow to
 * read: both directions remember what they did last.
 */
public final class OptionsJson {
    /** The meaning of absent values: part of the format, whatever the defaults of a release are. */
    private static final ActivityOptions UNSAID = new ActivityOptions(
            null,
            Duration.ofMinutes(1),
            null,
            null,
            null,
            new RetryPolicy(
                    0,
                    Duration.ofSeconds(1),
                    2.0,
                    Duration.ofMinutes(1),
                    0.2,
                    List.of(),
                    3,
                    Growth.EXPONENTIAL,
                    null,
                    OnExhausted.FAIL,
                    0),
            0,
            false,
            false,
            false,
            Map.of(),
            null,
            ActivityCancellationType.TRY_CANCEL,
            null);

    private static final String EXPIRES_AT = "expiresAt";
    private static final String AT_MOST_ONCE = "atMostOnce";
    private static final String RETRY = "retry";
    private static final String ON_EXHAUSTED = "onExhausted";

    /** Bytes of options that were read, and of those that were written. */
    private static final int REMEMBERED = 4 << 20;
    /** The weight of an entry beside its texts, in bytes. */
    private static final int ENTRY = 1_024;

    private static final LoadingCache<ActivityOptions, String> WRITTEN = Caffeine.newBuilder()
            .maximumWeight(REMEMBERED)
            .weigher((ActivityOptions options, String text) -> weight(text))
            .build(OptionsJson::write);
    private static final LoadingCache<String, Read> READ = remembering(OptionsJson::read);

    private static final Interner<ActivityOptions> SHARED = Interner.newWeakInterner();
    private static volatile Written lastWritten = new Written(shared(DEFAULT), write(DEFAULT));

    private record Written(ActivityOptions options, String json) {
        @Override
        public String toString() {
            return "Written[" + options + "]";
        }
    }

    /** Options, and the names in their text that mean nothing to this version. */
    private record Read(ActivityOptions options, List<String> unknown) {}

    private OptionsJson() {}

    /** Remembers what was read from texts, by their length: headers and names in a row may be long. */
    static <V> LoadingCache<String, V> remembering(CacheLoader<String, V> read) {
        return Caffeine.newBuilder()
                .maximumWeight(REMEMBERED)
                .weigher((String text, V value) -> weight(text))
                .build(read);
    }

    /** The text, and the options with the same headers and names. */
    private static int weight(String text) {
        return (int) Math.min(ENTRY + 2 * Portion.heapBytes(text), Integer.MAX_VALUE);
    }

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

    /**
     * Options from their JSON text, to show them beside others: those of an activity that says nothing where the text
     * can't be read.
     */
    public static ActivityOptions decodeIfReadable(String json) {
        try {
            return decode(json);
        } catch (RuntimeException e) {
            return DEFAULT;
        }
    }

    /**
     * Options from their JSON text, for a process that will act by them. An option is written only where it is not as
     * it always was, so one that is not known here asks for something that this version would not do.
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

    // ── single options out of a row: also of one that a newer version wrote, or that was changed by hand ─────────────

    /** Returns whether a job with these options must not run again once its body may have begun. */
    public static boolean isAtMostOnce(String json) {
        return JsonObjectReader.ofAny(json).flag(AT_MOST_ONCE);
    }

    /** When a background job with these options expires; null is never. */
    public static @Nullable Instant expiresAt(String json) {
        return JsonObjectReader.ofAny(json).instantIfAny(EXPIRES_AT);
    }

    /** The name of the constant of {@link OnExhausted} that these options have; null is FAIL. */
    public static @Nullable String onExhausted(String json) {
        return JsonObjectReader.ofAny(json).objectIfAny(RETRY).stringIfAny(ON_EXHAUSTED);
    }

    private static String write(ActivityOptions options) {
        return JsonObjectWriter.object(out -> {
            out.instant(EXPIRES_AT, options.expiresAt())
                    .duration("startToClose", options.startToClose())
                    .duration("scheduleToStart", options.scheduleToStart())
                    .duration("scheduleToClose", options.scheduleToClose())
                    .duration("heartbeatTimeout", options.heartbeatTimeout())
                    .string("taskQueue", options.taskQueue());
            if (options.priority() != UNSAID.priority()) {
                out.number("priority", options.priority());
            }
            if (!options.retry().equals(UNSAID.retry())) {
                out.object(RETRY, retry -> write(options.retry(), retry));
            }
            out.flag("transactional", options.transactional())
                    .flag("local", options.local())
                    .flag(AT_MOST_ONCE, options.atMostOnce())
                    .map("headers", options.headers())
                    .string("limitKey", options.limitKey())
                    .string("cancellation", unlessUnsaid(options.cancellation(), UNSAID.cancellation()))
                    .string("summary", options.summary());
        });
    }

    /** Writes a policy, without the values that the first release would have read from nothing. */
    public static void write(RetryPolicy retry, JsonObjectWriter out) {
        RetryPolicy unsaid = UNSAID.retry();
        if (retry.maxAttempts() != unsaid.maxAttempts()) {
            out.number("maxAttempts", retry.maxAttempts());
        }
        if (!retry.initialInterval().equals(unsaid.initialInterval())) {
            out.duration("initialInterval", retry.initialInterval());
        }
        if (retry.backoff() != unsaid.backoff()) {
            out.number("backoff", retry.backoff());
        }
        if (!retry.maxInterval().equals(unsaid.maxInterval())) {
            out.duration("maxInterval", retry.maxInterval());
        }
        if (retry.jitter() != unsaid.jitter()) {
            out.number("jitter", retry.jitter());
        }
        out.strings("doNotRetry", retry.doNotRetry());
        if (retry.maxWorkerCrashes() != unsaid.maxWorkerCrashes()) {
            out.number("maxWorkerCrashes", retry.maxWorkerCrashes());
        }
        out.string("growth", unlessUnsaid(retry.growth(), unsaid.growth()))
                .string("retryIf", retry.retryIf())
                .string(ON_EXHAUSTED, unlessUnsaid(retry.onExhausted(), unsaid.onExhausted()));
        if (retry.attemptsBefore() != unsaid.attemptsBefore()) {
            out.number("attemptsBefore", retry.attemptsBefore());
        }
    }

    private static @Nullable String unlessUnsaid(Enum<?> value, Enum<?> unsaid) {
        return value == unsaid ? null : value.name();
    }

    private static Read read(String json) {
        JsonObjectReader in = JsonObjectReader.of(json).remembering();
        String retryJson = in.jsonOrNull(RETRY);
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
                in.duration("startToClose", UNSAID.startToClose()),
                in.durationOrNull("scheduleToStart"),
                in.durationOrNull("scheduleToClose"),
                in.durationOrNull("heartbeatTimeout"),
                retry == null ? UNSAID.retry() : readRetry(retry),
                in.integer("priority", UNSAID.priority()),
                in.flag("transactional"),
                in.flag("local"),
                in.flag(AT_MOST_ONCE),
                in.map("headers"),
                in.stringOrNull("limitKey"),
                known(ActivityCancellationType.class, "cancellation", in, UNSAID.cancellation()),
                in.instantOrNull(EXPIRES_AT),
                in.stringOrNull("summary"));
    }

    /** Reads what {@link #write(RetryPolicy, JsonObjectWriter)} has written. */
    public static RetryPolicy readRetry(JsonObjectReader in) {
        RetryPolicy unsaid = UNSAID.retry();
        return new RetryPolicy(
                in.integer("maxAttempts", unsaid.maxAttempts()),
                in.duration("initialInterval", unsaid.initialInterval()),
                in.decimal("backoff", unsaid.backoff()),
                in.duration("maxInterval", unsaid.maxInterval()),
                in.decimal("jitter", unsaid.jitter()),
                in.strings("doNotRetry"),
                in.integer("maxWorkerCrashes", unsaid.maxWorkerCrashes()),
                known(Growth.class, "growth", in, unsaid.growth()),
                in.stringOrNull("retryIf"),
                known(OnExhausted.class, ON_EXHAUSTED, in, unsaid.onExhausted()),
                in.integer("attemptsBefore", unsaid.attemptsBefore()));
    }

    /** The value that stands there. One that is not known here asks for something that this version would not do. */
    private static <E extends Enum<E>> E known(Class<E> type, String name, JsonObjectReader in, E unsaid) {
        String text = in.string(name, unsaid.name());
        for (E value : type.getEnumConstants()) {
            if (value.name().equals(text)) {
                return value;
            }
        }
        throw new UnknownValueException(name, text);
    }
}
