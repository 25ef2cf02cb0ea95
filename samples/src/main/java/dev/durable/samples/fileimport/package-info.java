/**
 * A large file, imported by one activity that can be killed.
 *
 * <pre>
 *   readings.csv   ──batch──►  insert … on conflict do nothing   ──►  checkpoint(rows, bytes)   ──►  next batch
 *        ▲                                                                   │ durable when it returns
 *        └──────────── the next attempt begins at the last checkpoint ◄──────┘
 * </pre>
 *
 * <p>A batch and its checkpoint are two commits. A process that dies in between leaves rows that the checkpoint does
 * not know; the next attempt inserts them again, and their line number, the primary key, makes that nothing.
 *
 * <p>The heartbeat timeout tells an attempt that hangs from one that works: a checkpoint is a heartbeat.
 */
@NullMarked
package dev.durable.samples.fileimport;

import org.jspecify.annotations.NullMarked;
