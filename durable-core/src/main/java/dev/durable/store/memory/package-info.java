/**
 * A complete history store in memory, on a clock that tests move. For tests and for trying things out: it promises all
 * that the PostgreSQL store does but to outlive its process.
 *
 * <pre>
 *   InMemoryHistoryStore      one lock: each method of the SPI is one turn in it, so it is atomic and serial
 *     │ verbs:  Starts · Deliveries · Transitions · JobUpdates · Claims · Seizures · Reads
 *     ▼
 *   Tables                    what PostgreSQL keeps in tables
 *     ├─ RunTable             Run (row, history, Inbox, its Jobs), by run id and by workflow id
 *     ├─ JobQueues            Job by queue: ready by rank, delayed by time; running by session
 *     ├─ Sessions             beats
 *     ├─ Places               places under limits that outlast their jobs
 *     └─ Agenda               anything by the time it is due: runs, delayed jobs, deadlines
 * </pre>
 *
 * <ul>
 *   <li>What PostgreSQL keeps as text is text here: no live object of a caller is ever handed back.
 *   <li>An item is judged before anything of it is written, so that a refusal or an exception leaves nothing behind.
 *   <li>What the PostgreSQL store says with row locks and snapshots the one lock gives for free; the contract suite in the
 *       tests says what both must do.
 *   <li>Nudges are sent after the lock is released. Closing the store drops nothing: an engine may be started again on it.
 * </ul>
 */
@NullMarked
package dev.durable.store.memory;

import org.jspecify.annotations.NullMarked;
