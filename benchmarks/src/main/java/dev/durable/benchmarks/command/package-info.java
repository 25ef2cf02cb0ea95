/**
 * The command {@code benchmarks/run}: its options, the server that it measures on, the rounds that it plays, the other
 * checkout that it compares with, and the table that it prints.
 *
 * <pre>
 *   Main ─► Server, Base ─► Rounds ─► a {@link dev.durable.benchmarks.Scenario} for each {@link dev.durable.benchmarks.Peer} ─► Report
 * </pre>
 *
 * <p>Nothing of {@code dev.durable.benchmarks} uses this package.
 */
@NullMarked
package dev.durable.benchmarks.command;

import org.jspecify.annotations.NullMarked;
