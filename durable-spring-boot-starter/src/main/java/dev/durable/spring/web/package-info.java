/**
 * The client's exceptions as RFC 9457 problem details, for Spring MVC and WebFlux alike.
 *
 * <p>The caller of an HTTP interface gets a fixed sentence for each kind of exception, with the workflow id and
 * the run's id where these are known. The exception's own message is for people who run the application: it may name hosts,
 * classes and schemas, so it goes to the log, and into the response only where {@code durable.web.include-message} says so.
 *
 * <p>Only an exception that leaves a controller as it is counts. One of the application's own, with one of Durable's as its
 * cause, stays the application's; so do those that tell how a workflow or activity ended, and those of code that is wrong.
 */
@NullMarked
package dev.durable.spring.web;

import org.jspecify.annotations.NullMarked;
