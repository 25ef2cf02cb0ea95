/** An entity that lives for years: an account that is a workflow. */
@NullMarked
package dev.durable.samples.patterns.entity;

import org.jspecify.annotations.NullMarked;
