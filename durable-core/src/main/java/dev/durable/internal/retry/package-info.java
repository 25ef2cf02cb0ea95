/**
 * The decision after a failure that a retry policy covers: an attempt of an activity, or a block of workflow code.
 *
 * <pre>
 *   attempt of an activity ─► RetryRules ─────┐
 *                                             ├─► RetryDecision: another attempt and its delay, or none and why
 *   Durable.retry ─► RetriedBlocks ───────────┘
 * </pre>
 *
 * It is a function: time that is left and randomness are handed in, so that replay decides as the first run did.
 */
@NullMarked
package dev.durable.internal.retry;

import org.jspecify.annotations.NullMarked;
