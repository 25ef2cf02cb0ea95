/**
 * The options of an activity: which there are, what each may be set to, and how levels are merged.
 *
 * <p>{@link dev.durable.internal.declare.option.Option} is the one list: annotations, configuration and call sites set what
 * stands there, and a test holds each of them against it.
 */
@NullMarked
package dev.durable.internal.declare.option;

import org.jspecify.annotations.NullMarked;
