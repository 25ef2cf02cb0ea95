/**
 * Measures how fast Durable is, beside its peers and beside what its tables allow. {@code benchmarks/run} is in {@code
 * command}.
 *
 * <p>A {@link dev.durable.benchmarks.Scenario} says what is done and measured, a {@link
 * dev.durable.benchmarks.Contestant} does it: Durable, a peer, or bare JDBC. In each round every contestant gets a fresh
 * database on the same server, warms up, is measured and then checked: figures of work that was lost or done twice are
 * thrown away. Rounds are interleaved, so that whatever else the machine does hits all alike; the table shows medians.
 */
@NullMarked
package dev.durable.benchmarks;

import org.jspecify.annotations.NullMarked;
