/**
 * The options of an activity: their list, the values of each, and the merging of levels.
 *
 * <p>{@link dev.durable.internal.declare.option.Option} is the only list: annotations, configuration and call sites set
 * these options, and a test compares each of the three with it.
 */
@NullMarked
package dev.durable.internal.declare.option;

import org.jspecify.annotations.NullMarked;
