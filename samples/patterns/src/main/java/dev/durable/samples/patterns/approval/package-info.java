/** An approval that goes to the next person when no answer comes. */
@NullMarked
package dev.durable.samples.patterns.approval;

import org.jspecify.annotations.NullMarked;
