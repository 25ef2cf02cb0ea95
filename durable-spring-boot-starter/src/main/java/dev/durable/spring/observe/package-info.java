/**
 * Meters of the engine in the application's {@code MeterRegistry}, where {@code durable-micrometer} is on the class path.
 * Not for applications: they use the registry.
 */
@NullMarked
package dev.durable.spring.observe;

import org.jspecify.annotations.NullMarked;
