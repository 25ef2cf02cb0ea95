/**
 * JSON text, written and read without a parser where that is worth it (docs/decisions/0047 and 0097). Values that are JSON
 * themselves go in and come out to the byte.
 *
 * <pre>
 *   JsonObjectWriter ──► text ──► JsonObjectReader ── JsonScan finds the end of a value; Jackson, where it finds none
 * </pre>
 *
 * No other package puts JSON together out of pieces of text, or looks into it by other means. The names of properties are
 * known to {@code dev.durable.history}, which has the one encoder and the one decoder of events and of options.
 */
@NullMarked
package dev.durable.internal.json;

import org.jspecify.annotations.NullMarked;
