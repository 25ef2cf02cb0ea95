/** An agent: a model chooses tools until it has an answer. */
@NullMarked
package dev.durable.samples.patterns.agent;

import org.jspecify.annotations.NullMarked;
