/** A transfer between two accounts whose every step has one effect. */
@NullMarked
package dev.durable.samples.patterns.transfer;

import org.jspecify.annotations.NullMarked;
