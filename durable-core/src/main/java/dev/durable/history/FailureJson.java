package dev.durable.history;

import dev.durable.internal.json.JsonObjectReader;
import dev.durable.internal.json.JsonObjectWriter;
import dev.durable.internal.json.JsonScan;
import org.jspecify.annotations.Nullable;

/**
 * Converts {@link Failure} records to JSON text and back.
 *
 * <pre>{@code
 * {"type": class name, "message": text, "stack": one frame a line, "fields": {…}, "cause": failure, "suppressed": [failure …],
 *  "handler": text}
 * }</pre>
 *
 * All but {@code type} are left out where there is nothing to say.
 */
public final class FailureJson {
    /** Causes and suppressed exceptions below each other that are read; many times what is ever written. */
    private static final int DEEPEST = 50;

    /** Of all that stands in a failure; fields may be values of any depth that payloads have. */
    private static final int DEEPEST_JSON = 1_000;

    private FailureJson() {}

    /** A failure as JSON text. */
    public static Payload encode(Failure failure) {
        return new Payload(JsonObjectWriter.object(out -> write(failure, out)));
    }

    /**
     * A failure from its JSON text.
     *
     * @throws IllegalArgumentException if it is none, or one whose causes are nested deeper than {@value #DEEPEST}
     */
    public static Failure decode(String json) {
        if (JsonScan.isDeeperThan(DEEPEST_JSON, json)) {
            throw tooDeep();
        }
        return read(JsonObjectReader.of(json), 1);
    }

    static void write(Failure failure, JsonObjectWriter out) {
        out.string("type", failure.type()).string("message", failure.message());
        out.string("stack", failure.stack().isEmpty() ? null : failure.stack());
        out.json("fields", failure.fields(), Payload::json);
        out.object("cause", failure.cause(), FailureJson::write);
        out.objects("suppressed", failure.suppressed(), FailureJson::write);
        out.string("handler", failure.handler());
    }

    static @Nullable Failure readOrNull(@Nullable String json) {
        return json == null || json.equals("null") ? null : decode(json);
    }

    private static Failure read(JsonObjectReader in, int depth) {
        if (depth > DEEPEST) {
            throw tooDeep();
        }
        String cause = in.jsonOrNull("cause");
        return new Failure(
                in.string("type"),
                in.stringOrNull("message"),
                in.string("stack", ""),
                AttributesReader.payloadOrNull(in, "fields"),
                cause == null || cause.equals("null") ? null : read(JsonObjectReader.of(cause), depth + 1),
                in.objects("suppressed").stream()
                        .map(suppressed -> read(suppressed, depth + 1))
                        .toList(),
                in.stringOrNull("handler"));
    }

    private static IllegalArgumentException tooDeep() {
        return new IllegalArgumentException("its causes are nested deeper than " + DEEPEST);
    }
}
