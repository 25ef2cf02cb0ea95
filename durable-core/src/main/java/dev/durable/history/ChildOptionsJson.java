package dev.durable.history;

import dev.durable.ChildCancellationType;
import dev.durable.ChildOptions;
import dev.durable.ParentClosePolicy;
import dev.durable.ReusePolicy;
import dev.durable.internal.json.JsonObjectReader;
import dev.durable.internal.json.JsonObjectWriter;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The options of a child as JSON text, as they stand in {@link ChildStartRequested} and in the order to start it; id and
 * task queue stand beside them. A value stands there only where it is not the one that this format means by silence,
 * which never changes: that of {@link ChildOptions#defaults} in the first release that had children.
 *
 * <pre>{@code
 * {"reusePolicy":"REJECT_DUPLICATE","startDelay":"PT1M","expiresIn":…,"executionTimeout":…,"runTimeout":…,
 *  "memo":{…},"headers":{…},"parentClosePolicy":"ABANDON","cancellation":"TRY_CANCEL"}
 * }</pre>
 */
public final class ChildOptionsJson {
    private ChildOptionsJson() {}

    public static String encode(ChildOptions options) {
        return JsonObjectWriter.object(
                out -> out.string("reusePolicy", unless(options.reusePolicy(), ReusePolicy.ALLOW_DUPLICATE))
                        .duration("startDelay", options.startDelay().isZero() ? null : options.startDelay())
                        .duration("expiresIn", options.expiresIn())
                        .duration("executionTimeout", options.executionTimeout())
                        .duration("runTimeout", options.runTimeout())
                        .map("memo", options.memo())
                        .map("headers", options.headers())
                        .string("parentClosePolicy", unless(options.parentClosePolicy(), ParentClosePolicy.TERMINATE))
                        .string(
                                "cancellation",
                                unless(options.cancellation(), ChildCancellationType.WAIT_CANCELLATION_COMPLETED))
                        .string("summary", options.summary()));
    }

    public static ChildOptions decode(String json) {
        JsonObjectReader in = JsonObjectReader.of(json);
        return new ChildOptions(
                null,
                ReusePolicy.valueOf(in.string("reusePolicy", ReusePolicy.ALLOW_DUPLICATE.name())),
                null,
                in.duration("startDelay", Duration.ZERO),
                in.durationOrNull("expiresIn"),
                in.durationOrNull("executionTimeout"),
                in.durationOrNull("runTimeout"),
                in.map("memo"),
                in.map("headers"),
                ParentClosePolicy.valueOf(in.string("parentClosePolicy", ParentClosePolicy.TERMINATE.name())),
                ChildCancellationType.valueOf(
                        in.string("cancellation", ChildCancellationType.WAIT_CANCELLATION_COMPLETED.name())),
                null,
                in.stringOrNull("summary"));
    }

    private static @Nullable String unless(Enum<?> value, Enum<?> silence) {
        return value == silence ? null : value.name();
    }
}
