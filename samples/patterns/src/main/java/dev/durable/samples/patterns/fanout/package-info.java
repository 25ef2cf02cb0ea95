/** One call for each of many items, some of which may fail. */
@NullMarked
package dev.durable.samples.patterns.fanout;

import org.jspecify.annotations.NullMarked;
