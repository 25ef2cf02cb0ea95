/**
 * Methods and types as declarations say them, with generics resolved: which methods callers see, which signatures no payload
 * can carry, which names may be one. All of it reads reflection and nothing else.
 */
@NullMarked
package dev.durable.internal.declare.type;

import org.jspecify.annotations.NullMarked;
