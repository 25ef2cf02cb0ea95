/**
 * Hints for Spring's ahead-of-time processing: which classes of the application Durable reaches by reflection, and which
 * resources of its own it reads.
 *
 * <p>Workflow classes, activity types, their constructors and methods, the types of their arguments, results and exceptions.
 * With them an application starts ahead-of-time processed on a JVM, and tools that remove what is not used leave these in.
 * A native image needs more than hints: Durable records calls with classes that it makes at run time, which a native image
 * can't do.
 */
@NullMarked
package dev.durable.spring.aot;

import org.jspecify.annotations.NullMarked;
