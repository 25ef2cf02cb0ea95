/**
 * How a client reaches its process and its store, and what all its parts share: {@link
 * dev.durable.internal.client.access.Dispatch}, messages, listings, waits.
 */
@NullMarked
package dev.durable.internal.client.access;

import org.jspecify.annotations.NullMarked;
