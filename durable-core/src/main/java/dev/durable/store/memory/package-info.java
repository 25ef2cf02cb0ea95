/**
 * A complete history store in memory, on a clock that tests move. It is for tests and for trying things out: it
 * promises all that the PostgreSQL store does, except that its contents outlive the process.
 *
 * <pre>
 *   InMemoryHistoryStore      one lock: each method of the SPI holds it from begin to end, so it is atomic and serial
 *     │ verbs:  Starts · Deliveries · Relays · Transitions · JobUpdates · Claims · Seizures · Reads
 *     ▼
 *   Tables                    the contents of PostgreSQL's tables
 *     ├─ RunTable             Run (row, history, Inbox, its Jobs), by run id and by workflow id
 *     ├─ JobQueues            Job by queue: ready by rank, delayed by time; running by session
 *     ├─ Sessions             beats
 *     ├─ Streams              entries, by chain and name, and how many of them each lease has appended
 *     ├─ Outbox               messages of runs to others and orders about children, until relay delivers them
 *     ├─ Places               places under limits that outlast their jobs
 *     └─ Agenda               elements by the time they are due: runs, delayed jobs, deadlines
 * </pre>
 *
 * <ul>
 *   <li>Values that PostgreSQL keeps as text are text here: no live object of a caller is ever handed back.
 *   <li>An item is judged before anything of it is written, so that a refusal or an exception leaves nothing behind.
 *   <li>The one lock gives the guarantees for which the PostgreSQL store needs row locks and snapshots; the contract
 *       suite in the tests holds for both.
 *   <li>Nudges are sent after the lock is released. Closing the store drops nothing: an engine may be started again on it.
 * </ul>
 */
@NullMarked
package dev.durable.store.memory;

import org.jspecify.annotations.NullMarked;
