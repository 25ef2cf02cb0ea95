/**
 * The SPI of a history store: it writes what must be durable as whole <i>transitions</i>, never as single rows.
 *
 * <pre>
 *   start ──► run parked with a fence ──► claim (new fence) ──► transition … transition (each: old fence → new fence)
 *                    ▲        ▲                                      │ events · consumed messages · jobs · wake · close
 *                    │        └── inbox: messages, outcomes ◄── job: claim (lease) → heartbeat → outcome | retry
 *                    └── closed from outside, a Seizure (terminate, run timeout)
 * </pre>
 *
 * <ul>
 *   <li>Every method takes a batch and is one transaction; the refusal of one item never affects the others. Group
 *       commit is therefore done by the queues of the caller, not by the store.
 *   <li>Only a writer that names the run's current fence can write its history. A transition that finds another
 *       fence changes nothing.
 *   <li>Only a report that names a job's current lease token can change the job or end it.
 *   <li>Every signal, cancel request and outcome from elsewhere goes into the run's inbox once, under a message id made
 *       by the sender.
 *   <li>Payloads and event attributes are JSON text kept exactly as written.
 *   <li>Events that a store adds itself, where no worker is there to do it, are written by {@code dev.durable.history} as
 *       those of the engine are.
 *   <li>Time is the store's ({@link dev.durable.store.HistoryStore#now()}); no caller's clock is ever written but as
 *       event times derived from it.
 * </ul>
 *
 * A job carries informing events, which its workflow's code does not see, in two lists, so that its worker and orders
 * never overwrite each other's:
 *
 * <pre>
 *   notes            of its workers, such as failed attempts         written by the holder of the lease
 *   operator notes   of orders since the claim                       appended by orders, whichever worker runs the job
 *   revision         how many orders changed it since the claim      an order that depends on the job as it was read
 *                                                                   names it; if it has moved on, the answer is CHANGED
 *
 *   claim            notes := notes + operator notes    operator notes := none    revision := 0
 *   while it runs    its worker reads revision and operator notes whenever it reads its claims
 *   its end          notes + operator notes go into the history, before the closing event
 * </pre>
 *
 * Limits count bodies. A job that is running, or external, is the place of its body; if a job is taken away or given
 * back while its body may go on, its place is kept apart from the job, under its lease, in the same commit:
 *
 * <pre>
 *   attempt given up by its worker     BodyGoesOn(Retry | Release | Settle | Bury)
 *   run closed with the job            kept by the statement that deletes the job
 *   attempt ended by an order          kept by the order
 *   free                               FreePlace, when the body has ended; the session is dead or gone; PLACE_KEPT is over
 * </pre>
 *
 * <i>Dead</i> is said of sessions, and of jobs that are dead letters. A job is <i>buried</i> (a word of the code) when
 * it waits for an operator's decision: as a dead letter, which is purged when its retention is over, or as an incident,
 * which is not.
 *
 * <p>A method throws {@link dev.durable.StoreUnavailableException} if nothing happened and the database can't be
 * reached, and {@link dev.durable.store.CommitUnknownException} if the answer to COMMIT leaves open what happened.
 * Implementations are thread-safe and pass the store contract suite.
 */
@NullMarked
package dev.durable.store;

import org.jspecify.annotations.NullMarked;
