/**
 * How the loops of a process are turned: a loop is a {@link dev.durable.internal.drive.Step}, and a {@link
 * dev.durable.internal.drive.Drive} turns it.
 *
 * <pre>
 *   Step.runOnce() ◄── Drive: ThreadDrive (a thread for each step)   in production
 *                             one pump on virtual time                in tests
 *                      PatientDrive waits where a step finds the database away
 * </pre>
 *
 * <ul>
 *   <li>A step is one crank: it does what is due and says how long there is nothing to do. It reads no clock but the
 *       store's, and never sleeps itself.
 *   <li>A step that finds the store away throws, in a state from which its next crank goes on.
 *   <li>Threads of activity bodies come from {@link dev.durable.internal.drive.BodyExecutor}; who waits for something blocks in
 *       {@link dev.durable.internal.drive.BlockedCallers}, which a closing engine wakes.
 * </ul>
 *
 * <p>Knows no run, no activity and no statement: everything above is built on it.
 */
@NullMarked
package dev.durable.internal.drive;

import org.jspecify.annotations.NullMarked;
