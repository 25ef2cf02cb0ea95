/** A task that a person does, in an application that knows no workflow. */
@NullMarked
package dev.durable.samples.patterns.humantask;

import org.jspecify.annotations.NullMarked;
