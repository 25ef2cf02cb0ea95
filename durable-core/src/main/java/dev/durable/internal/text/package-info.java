/**
 * Texts that come in, go out and are kept: the rules for ids, names and reasons and how errors and logs show them ({@code
 * Bounds}), the texts of exceptions that are not the engine's own ({@code Thrown}), named values that show their names only ({@code
 * NamedValues}), URLs without their secrets ({@code
 * JdbcUrl}), and the bytes of texts that are read or held at once ({@code Portion}). It stands on the ground: everything
 * may use it, and it uses only what users see.
 */
@NullMarked
package dev.durable.internal.text;

import org.jspecify.annotations.NullMarked;
