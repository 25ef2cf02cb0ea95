/** An order whose states follow events from outside. */
@NullMarked
package dev.durable.samples.patterns.statemachine;

import org.jspecify.annotations.NullMarked;
