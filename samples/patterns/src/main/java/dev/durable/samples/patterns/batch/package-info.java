/** A batch of many items: a window of children that slides over a chain of runs. */
@NullMarked
package dev.durable.samples.patterns.batch;

import org.jspecify.annotations.NullMarked;
