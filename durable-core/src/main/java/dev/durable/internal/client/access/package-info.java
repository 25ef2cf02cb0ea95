/**
 * The access of a client to its process and its store, with the mechanisms that all parts of the client share: {@link
 * dev.durable.internal.client.access.Dispatch}, messages, listings, waits.
 */
@NullMarked
package dev.durable.internal.client.access;

import org.jspecify.annotations.NullMarked;
