/**
 * Transactions and statements on connections of the user's pool; knows no table.
 *
 * <pre>
 *   Connections ─► Tx: BEGIN travels with the first SqlScript, COMMIT with the last
 * </pre>
 *
 * <ul>
 *   <li>A transaction is open for the time of one call only, and its connection goes back as it came.
 *   <li>How long it waits for what is set for the transaction alone ({@link dev.durable.store.postgres.internal.sql.TransactionSettings}).
 *   <li>What an error means, {@link dev.durable.store.postgres.internal.sql.SqlState} says, by SQLSTATE and never by text.
 *   <li>Where COMMIT gave no answer, the caller is told so and reads back.
 * </ul>
 */
@NullMarked
package dev.durable.store.postgres.internal.sql;

import org.jspecify.annotations.NullMarked;
