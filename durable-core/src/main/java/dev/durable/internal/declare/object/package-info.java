/**
 * Objects that look like a type of the user's and have no state of their own: a proxy of an interface, or an instance
 * of a generated subclass whose constructors never ran. Stubs and recorded calls use them.
 *
 * <p>Generated classes live in the package and class loader of the user's class and are kept by {@link java.lang.ClassValue}, so
 * that none outlives its loader.
 */
@NullMarked
package dev.durable.internal.declare.object;

import org.jspecify.annotations.NullMarked;
