/** Patterns of durable workflows: each in a package of its own, with a demonstration that {@link Patterns} runs. */
@NullMarked
package dev.durable.samples.patterns;

import org.jspecify.annotations.NullMarked;
