/**
 * Transactions and statements on connections of the user's pool; this package knows no table.
 *
 * <pre>
 *   Connections ─► Tx: BEGIN travels with the first SqlScript, COMMIT with the last
 * </pre>
 *
 * <ul>
 *   <li>A transaction is open for the time of one call only, and its connection goes back as it came.
 *   <li>Its timeouts are set for the transaction alone ({@link
 *       dev.durable.store.postgres.internal.sql.TransactionSettings}).
 *   <li>Errors are classified by {@link dev.durable.store.postgres.internal.sql.SqlState}, by SQLSTATE and never by
 *       text.
 *   <li>If COMMIT gave no answer, the caller gets an exception that says so, and reads back.
 * </ul>
 */
@NullMarked
package dev.durable.store.postgres.internal.sql;

import org.jspecify.annotations.NullMarked;
