/** Rows of inboxes: messages for runs, each once by its id, in the order in which they were sent. */
@NullMarked
package dev.durable.store.postgres.internal.message;

import org.jspecify.annotations.NullMarked;
