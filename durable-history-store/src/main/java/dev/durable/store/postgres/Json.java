package dev.durable.store.postgres;

import org.jooq.JSON;
import org.jspecify.annotations.Nullable;

/** Columns of type json as the text that stands in them. */
final class Json {
    private Json() {}

    static @Nullable String text(@Nullable JSON json) {
        return json == null ? null : json.data();
    }
}
