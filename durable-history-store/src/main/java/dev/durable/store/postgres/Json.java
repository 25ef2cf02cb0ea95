package dev.durable.store.postgres;

import org.jooq.JSON;
import org.jspecify.annotations.Nullable;

/** Reads columns of type json as their text. */
final class Json {
    private Json() {}

    static @Nullable String text(@Nullable JSON json) {
        return json == null ? null : json.data();
    }
}
