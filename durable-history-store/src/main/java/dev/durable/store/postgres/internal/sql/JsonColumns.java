package dev.durable.store.postgres.internal.sql;

import org.jooq.JSON;
import org.jspecify.annotations.Nullable;

/** Reads columns of type json as their text. */
public final class JsonColumns {
    private JsonColumns() {}

    public static @Nullable String text(@Nullable JSON json) {
        return json == null ? null : json.data();
    }
}
