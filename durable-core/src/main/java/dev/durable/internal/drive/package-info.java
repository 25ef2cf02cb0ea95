/**
 * The loops of a process: the body of a loop is a {@link dev.durable.internal.drive.Step}, and a {@link
 * dev.durable.internal.drive.Drive} runs it.
 *
 * <pre>
 *   Step.runOnce() ◄── Drive: ThreadDrive (a thread for each step)   in production
 *                             one pump on virtual time                in tests
 *                      PatientDrive waits where a step finds the database away
 * </pre>
 *
 * <ul>
 *   <li>A step does the work that is due and returns for how long there is none. It reads no clock but the store's, and
 *       never sleeps itself.
 *   <li>A step that finds the store away throws, in a state from which its next call goes on.
 *   <li>Threads of activity bodies come from {@link dev.durable.internal.drive.BodyExecutor}; client threads that wait
 *       block in {@link dev.durable.internal.drive.BlockedCallers}, which a closing engine wakes.
 * </ul>
 *
 * <p>The package knows no run, no activity and no SQL: all packages above are built on it.
 */
@NullMarked
package dev.durable.internal.drive;

import org.jspecify.annotations.NullMarked;
