/** An order system in one file, without a framework. */
@NullMarked
package dev.durable.samples.plain;

import org.jspecify.annotations.NullMarked;
