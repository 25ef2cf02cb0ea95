package dev.durable.history;

import com.github.benmanes.caffeine.cache.LoadingCache;
import dev.durable.ActivityOptions;
import dev.durable.RetryPolicy;
import dev.durable.internal.json.JsonObjectReader;
import dev.durable.internal.json.JsonObjectWriter;
import dev.durable.internal.text.NamedValues;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The options of a background job that were chosen when it was enqueued, as opposed to those that its worker declares.
 * It stands beside the options in the job's row for as long as these are what the enqueuing process knew: the worker
 * that begins the first attempt puts it over its own configuration, and the options that result stand in the row from
 * the end of that attempt on; from its beginning where it may not begin again. The first event of its run keeps it,
 * too, for a caller that enqueues the job again.
 *
 * <pre>{@code
 * {"startToClose":"PT1M",…,"enqueued":{"values":{"start-to-close":"PT1M"},"headers":{…},"doNotRetry":[…],"retry":{…}}}
 * }</pre>
 *
 * <p>A process of an older release does not look at it: to it, all options are fixed.
 *
 * @param values by the keys that configuration uses
 * @param headers added to the activity's
 * @param doNotRetry added to the activity's
 * @param retry stands for the activity's policy; null where that holds
 */
public record EnqueuedOptions(
        Map<String, String> values,
        Map<String, String> headers,
        List<String> doNotRetry,
        @Nullable RetryPolicy retry) {

    /** Nothing was chosen. */
    public static final EnqueuedOptions NOTHING = new EnqueuedOptions(Map.of(), Map.of(), List.of(), null);

    /** The name that it stands under among the options. */
    static final String NAME = "enqueued";

    private static final LoadingCache<String, EnqueuedOptions> READ = OptionsJson.remembering(EnqueuedOptions::read);

    public EnqueuedOptions {
        values = NamedValues.copyOf(values);
        headers = NamedValues.copyOf(headers);
        doNotRetry = List.copyOf(doNotRetry);
    }

    @Override
    public Map<String, String> values() {
        return NamedValues.plain(values);
    }

    @Override
    public Map<String, String> headers() {
        return NamedValues.plain(headers);
    }

    /** The options that were chosen when the job was enqueued; empty where all are fixed. */
    public static Optional<EnqueuedOptions> of(String optionsJson) {
        return Optional.ofNullable(JsonObjectReader.ofAny(optionsJson).jsonOrNull(NAME))
                .map(READ::get);
    }

    /** These options as JSON text, with this beside them. */
    public String with(ActivityOptions options) {
        return JsonObjectWriter.extended(
                OptionsJson.encode(options),
                out -> out.object(
                        NAME,
                        chosen -> chosen.map("values", values)
                                .map("headers", headers)
                                .strings("doNotRetry", doNotRetry)
                                .object("retry", retry, OptionsJson::write)));
    }

    private static EnqueuedOptions read(String json) {
        JsonObjectReader in = JsonObjectReader.of(json);
        String retry = in.jsonOrNull("retry");
        return new EnqueuedOptions(
                in.map("values"),
                in.map("headers"),
                in.strings("doNotRetry"),
                retry == null ? null : OptionsJson.readRetry(JsonObjectReader.of(retry)));
    }
}
