/**
 * The command line of the order sample: {@code orders run | history | list | approve | export | views}.
 *
 * <p>All state is in the database. Each command opens it, does its work and ends; {@code run} is the only one with a
 * worker, and may be killed and started again at any moment: an order is started under its own workflow id, so the
 * second start finds the first.
 */
@NullMarked
package dev.durable.samples.orders.cli;

import org.jspecify.annotations.NullMarked;
