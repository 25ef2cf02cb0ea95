/** A timer that is moved while it runs. */
@NullMarked
package dev.durable.samples.patterns.timer;

import org.jspecify.annotations.NullMarked;
