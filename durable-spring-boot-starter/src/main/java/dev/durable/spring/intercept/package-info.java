/**
 * Interceptors and context propagators that are beans, the MDC's and Spring Security's context in headers, and traces where
 * the application has Micrometer Tracing. Not for applications: they declare beans and set {@code durable.context.*} and
 * {@code durable.tracing.*}.
 */
@NullMarked
package dev.durable.spring.intercept;

import org.jspecify.annotations.NullMarked;
