/**
 * Tests of workflows in a Spring Boot application: {@link dev.durable.spring.test.DurableSpringTest} makes an application
 * context of Durable's configuration and the beans that the test names, on time that the test moves.
 *
 * <p>The context is kept for further tests, as Spring does with all. The engine in it is not: each test method gets one on an
 * empty store, when it first calls the client, made of the same parts as the application's own engine ({@link
 * dev.durable.spring.EngineParts}). It is closed after the method, which replays each history that was made. So tests
 * neither see nor disturb each other, whichever contexts are alive: nothing polls, and nothing is claimed that the test has
 * not set going.
 *
 * <p>The beans {@code DurableEngine}, {@code DurableClient} and {@code HistoryStore} stand for those of the current test.
 */
@NullMarked
package dev.durable.spring.test;

import org.jspecify.annotations.NullMarked;
