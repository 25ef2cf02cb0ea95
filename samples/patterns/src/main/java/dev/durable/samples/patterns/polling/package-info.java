/** A job of another system that does not say when it has ended. */
@NullMarked
package dev.durable.samples.patterns.polling;

import org.jspecify.annotations.NullMarked;
