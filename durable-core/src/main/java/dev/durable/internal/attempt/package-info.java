/**
 * One attempt of an activity, from its begin to the report of its end.
 *
 * <pre>
 *   claimed job ─► Attempt ─ body on a thread ─► AttemptEnd ─ RetryRules: RetryDecision ─► AttemptReport ─► Reports
 *                    │  ▲
 *                    │  └── Cancellation: wanted, shutting down, asked for, stale
 *                    ├── AttemptWatch: start-to-close, schedule-to-close, silence
 *                    ├── HeartbeatSender: the newest details, throttled
 *                    └── AttemptStreams: entries of streams, each durable before its call returns
 * </pre>
 *
 * <ul>
 *   <li>The lease token of an attempt is in {@link dev.durable.internal.attempt.Leases} from before the lease is
 *       written until the outcome of the attempt is durable.
 *   <li>The consequence of a failed attempt is decided in one place, {@link dev.durable.internal.attempt.RetryRules};
 *       workers and the holders of tokens only write the decision.
 *   <li>After an attempt has lost its lease none of its reports has an effect.
 *   <li>Where the process dies between the end of a body and the commit of its outcome, the next attempt runs the body again:
 *       at least once. A transactional body commits together with its outcome: exactly once.
 * </ul>
 */
@NullMarked
package dev.durable.internal.attempt;

import org.jspecify.annotations.NullMarked;
