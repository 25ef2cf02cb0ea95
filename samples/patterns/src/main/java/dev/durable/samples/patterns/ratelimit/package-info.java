/** Calls of an API that lets each customer call so often. */
@NullMarked
package dev.durable.samples.patterns.ratelimit;

import org.jspecify.annotations.NullMarked;
