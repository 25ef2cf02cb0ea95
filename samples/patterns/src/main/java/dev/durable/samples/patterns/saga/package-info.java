/** Bookings that are all made, or all cancelled. */
@NullMarked
package dev.durable.samples.patterns.saga;

import org.jspecify.annotations.NullMarked;
