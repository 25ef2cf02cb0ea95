package dev.durable.store.postgres.internal.sql;

import dev.durable.internal.text.Bounds;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/**
 * Converts memos to JSON text and back. Everything beyond ASCII is escaped: NUL and unpaired surrogates come back as
 * they were.
 */
public final class MemoJson {
    private static final TypeReference<Map<String, String>> TYPE = new TypeReference<>() {};
    private static final JsonMapper JSON =
            JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

    private static final int MAX_SHOWN = 1_000;

    private MemoJson() {}

    public static @Nullable String write(Map<String, String> memo) {
        return memo.isEmpty() ? null : JSON.writeValueAsString(memo);
    }

    /**
     * Reads a memo. A text that is none, because the row was edited by hand, is shown as it stands, so that a listing
     * of other runs does not fail.
     */
    public static Map<String, String> read(@Nullable String json) {
        if (json == null) {
            return Map.of();
        }
        try {
            Map<String, String> memo = JSON.readValue(json, TYPE);
            return memo == null ? Map.of() : memo;
        } catch (JacksonException e) {
            return Map.of("unreadable", Bounds.cut(json, MAX_SHOWN));
        }
    }
}
