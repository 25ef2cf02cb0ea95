/**
 * Runnable examples: {@link dev.durable.samples.orders}, an order from charge to parcel; {@link
 * dev.durable.samples.fileimport}, a large file in one activity. Here is what they share: where the database is, and
 * how progress is shown.
 */
@NullMarked
package dev.durable.samples;

import org.jspecify.annotations.NullMarked;
