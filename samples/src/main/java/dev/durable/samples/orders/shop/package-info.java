/**
 * The shop's own side: what the activities of {@link dev.durable.samples.orders.OrderWorkflow} do, in the shop's own
 * tables (schema {@code shop}, see {@code shop.sql}), next to Durable's on the same PostgreSQL.
 *
 * <p>Every effect is written under the activity's idempotency key, in one statement: a second attempt finds the row and
 * does nothing. Payment provider and carrier are simulated: {@link dev.durable.samples.orders.shop.Latency} stands for
 * the network, the card and the country of an order decide what they answer, and the carrier is down for some orders
 * at their first attempts. All of it depends on the order alone, so each run of the sample ends alike.
 */
@NullMarked
package dev.durable.samples.orders.shop;

import org.jspecify.annotations.NullMarked;
