package dev.durable.store.postgres;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/** Memos as JSON text. Everything beyond ASCII is escaped: NUL and unpaired surrogates come back as they were. */
final class Memo {
    private static final TypeReference<Map<String, String>> TYPE = new TypeReference<>() {};
    private static final JsonMapper JSON =
            JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

    private Memo() {}

    static @Nullable String write(Map<String, String> memo) {
        return memo.isEmpty() ? null : JSON.writeValueAsString(memo);
    }

    static Map<String, String> read(@Nullable String json) {
        return json == null ? Map.of() : JSON.readValue(json, TYPE);
    }
}
