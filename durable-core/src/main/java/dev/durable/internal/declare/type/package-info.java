/**
 * Methods and types as they are declared, with generics resolved: the methods that callers see, the signatures that no
 * payload can carry, the rules of names. The package uses reflection only.
 */
@NullMarked
package dev.durable.internal.declare.type;

import org.jspecify.annotations.NullMarked;
