/**
 * Internal: a real PostgreSQL, run as a child of no process, for development, samples and tests. The public entry is
 * {@link dev.durable.store.postgres.embedded.EmbeddedPostgres}.
 *
 * <pre>
 *   jar on the class path ──unpack once──► ~/.cache/durable/postgres/18.6-&lt;crc&gt;
 *                                                  │ initdb, pg_ctl
 *   dir/  lock        held while a user enters   ▼
 *         data/       the cluster ◄──────────── postgres  (own session: Ctrl-C does not reach it)
 *         attached/   one file per user of the server, locked while that user lives
 *             server.log
 *         password    of the role {@code durable}, readable by its owner only
 *         superuser-password
 *         durable.conf  the settings of the last start
 *         port        the last one, taken again if it is free
 * </pre>
 *
 * <p><b>The one rule:</b> while {@code attached/} has a file, the server is in use; <i>the process that succeeds in
 * removing the folder stops the server</i>. Removing a folder that is not empty fails, so exactly the last one
 * succeeds, and a process that comes in a moment too late sees that the folder is gone. No pid is ever trusted alone.
 *
 * <p>A process that comes in holds {@code lock}. It finds a server and adds a file (attaches), or finds none and starts
 * one. Where it finds a server without the folder, another process is stopping the server, or was killed while doing
 * so: then the server is stopped once more and started anew.
 *
 * <p>The leaving is done by a <b>guardian</b>: a tiny shell that each user starts and that reads from a pipe. The pipe
 * ends when the user closes the server, ends, or is killed with SIGKILL; there is no other way out, so the ordinary way
 * is the tested way. When guardian and user are killed together, the file in {@code attached/} stays: the next process
 * to come in sees that no process holds its lock, and takes it away.
 *
 * <p>Under root the server runs as the user {@code nobody}, which owns {@code data/} alone: the files beside it are
 * root's, so that neither has the other's files in hand. Applications connect as {@code durable}, which is no
 * superuser.
 *
 * <p>A machine that loses power keeps what was committed: {@code fsync}, {@code synchronous_commit} and {@code
 * full_page_writes} are on for every directory that is kept, and cannot be turned off there. Only temporary servers run
 * without.
 */
@NullMarked
package dev.durable.store.postgres.embedded.internal;

import org.jspecify.annotations.NullMarked;
