package dev.durable.client;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * How far an {@link Operation} is.
 *
 * @param action what it does: cancel, terminate, signal, pause, resume, retry, retry from failure or move
 * @param actor the name of the operator
 * @param reason why
 * @param done how many runs it has asked or changed, each counted once, with those that were as it wants them already
 * @param passed how many runs it has passed over: they had closed, their inboxes were full, or the verb is none for them
 * @param after the last run that it has come to; null before the first page
 */
public record OperationProgress(
        String action,
        String actor,
        String reason,
        long done,
        long passed,
        @Nullable UUID after) {}
