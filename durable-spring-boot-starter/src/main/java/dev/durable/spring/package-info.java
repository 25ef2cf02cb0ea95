/**
 * Durable in a Spring Boot application: an engine and a client on the application's own DataSource.
 *
 * <p>{@code @Workflow} classes in the application's packages are found by scanning; they are no beans. {@code @Activity}
 * beans are found among the beans, when all singletons are there; the client needs none of them, so that they may have it
 * injected. The worker begins to claim when the application context is up and drains before anything it uses is closed.
 * {@code client.start} inside {@code @Transactional} takes part in the transaction: the workflow exists exactly if the
 * application's own rows do. After the end of the transaction, as in a {@code @TransactionalEventListener}, it is a call of
 * its own.
 */
@NullMarked
package dev.durable.spring;

import org.jspecify.annotations.NullMarked;
