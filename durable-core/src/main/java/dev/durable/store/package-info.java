/**
 * The SPI of a history store: what must be durable, said as whole <i>transitions</i>, never as single rows.
 *
 * <pre>
 *   start ──► run parked with a fence ──► claim (new fence) ──► transition … transition (each: old fence → new fence)
 *                    ▲        ▲                                      │ events · consumed messages · jobs · wake · close
 *                    │        └── inbox: messages, outcomes ◄── job: claim (lease) → heartbeat → outcome | retry
 *                    └── seize (terminate, run timeout)
 * </pre>
 *
 * <ul>
 *   <li>Every method takes a batch and is one transaction; one item's refusal never touches its neighbours. Group commit
 *       is therefore the caller's queue, not the store's business.
 *   <li>Only a writer that names the run's current fence can write its history. A transition that finds another
 *       fence changes nothing.
 *   <li>Only a report that names a job's current lease token can settle it.
 *   <li>Everything from elsewhere goes into the run's inbox under a message id made by the sender, once.
 *   <li>Payloads and event attributes are JSON text kept exactly as written.
 *   <li>Events that a store adds itself, where no worker is there to do it, are written by {@code dev.durable.history} as
 *       those of the engine are.
 *   <li>Time is the store's ({@link dev.durable.store.HistoryStore#now()}); no caller's clock is ever written but as
 *       event times derived from it.
 * </ul>
 *
 * A job carries what its workflow is not told, in two lists, so that its worker and those who give orders never write over
 * each other:
 *
 * <pre>
 *   notes            what its workers noted: failed attempts, moved deadlines     written by who holds the lease
 *   operator notes   what orders have added since the claim                       appended by orders, whoever runs the job
 *   revision         how many orders changed it since the claim                   who decides by what it read names it; if
 *                                                                                 it has moved on, the answer is CHANGED
 *
 *   claim            notes := notes + operator notes    operator notes := none    revision := 0
 *   while it runs    its worker hears revision and operator notes with each look at its claims
 *   its end          notes + operator notes go into the history, before the closing event
 * </pre>
 *
 * Limits count bodies. A job that is running, or external, is the place of its body; where a job is taken away or given back
 * while its body may go on, its place is kept apart from it, under its lease, in the same commit:
 *
 * <pre>
 *   attempt given up by its worker     BodyGoesOn(Retry | Release | Settle | Bury)
 *   run seized, or closed with it      kept by who deletes the job
 *   attempt ended by an order          kept by the order
 *   free                               FreePlace, when the body has ended; the session is dead or gone; PLACE_KEPT is over
 * </pre>
 *
 * <i>Dead</i> is said of sessions, and of jobs that are dead letters. A job is <i>buried</i> when it waits for an operator to
 * say what becomes of it: as a dead letter, which is purged some day, or as an incident, which is not.
 *
 * <p>A method throws {@link dev.durable.StoreUnavailableException} when nothing happened and the database can't be reached,
 * and {@link dev.durable.store.CommitUnknownException} when the answer to COMMIT tells nothing. Implementations are
 * thread-safe and pass the store contract suite.
 */
@NullMarked
package dev.durable.store;

import org.jspecify.annotations.NullMarked;
