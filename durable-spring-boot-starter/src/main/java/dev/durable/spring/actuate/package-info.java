/**
 * Durable in an application's Actuator: health {@code durable}, the endpoint {@code /actuator/durable}, and
 * a section of {@code /actuator/info}.
 *
 * <p>Health belongs to readiness, never to liveness: a database that is away, or a loop that hangs because of it, is not
 * mended by killing the process. The endpoint reads; it changes something only where {@code durable.actuator.allow-writes}
 * says so. No payload, memo or header is shown by any of them, as {@code docs/security.md} promises.
 */
@NullMarked
package dev.durable.spring.actuate;

import org.jspecify.annotations.NullMarked;
