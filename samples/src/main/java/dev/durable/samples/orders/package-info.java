/**
 * An order of a web shop, from the charge to the parcel.
 *
 * <pre>
 *              ┌─ above the approval amount ─┐      ┌─ reserve stock ─┐
 *  charge ─────┤  a person approves          ├──────┤                 ├───── ship ───── receipt
 *              └─ or the time is up ─────────┘      └─ print label ───┘
 *     │                                                     │
 *     └── undo: refund                                      └── undo: release the stock
 * </pre>
 *
 * {@link dev.durable.samples.orders.OrderWorkflow} is that picture as a plain Java method. It survives the death of its
 * process between any two steps because everything it learns is an event in PostgreSQL; the steps themselves are {@link
 * dev.durable.Activity} interfaces, implemented in {@link dev.durable.samples.orders.shop} against the shop's own
 * tables.
 *
 * <p>An activity can run twice when its process dies between the effect and its completion event. Therefore each effect
 * carries the attempt-independent {@link dev.durable.ActivityInfo#idempotencyKey()}: the ledger has one charge per
 * order, whatever dies when.
 */
@NullMarked
package dev.durable.samples.orders;

import org.jspecify.annotations.NullMarked;
