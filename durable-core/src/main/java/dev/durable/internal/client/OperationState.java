package dev.durable.internal.client;

import dev.durable.client.OperationProgress;
import java.util.List;
import java.util.UUID;

/**
 * What is durable of an operation between two pages: the checkpoint of its job.
 *
 * @param progress as of the last page that is done
 * @param page the run ids of the page that is under way; empty between two slices. A worker that takes the operation over
 *     does that page again, whose runs it would no longer find by the filter where they have closed
 */
record OperationState(OperationProgress progress, List<UUID> page) {
    OperationState {
        page = List.copyOf(page);
    }

    /** Returns the state with this page under way. */
    OperationState at(List<UUID> next) {
        return new OperationState(progress, next);
    }

    /**
     * Returns the state when the page is done.
     *
     * @param done how many of its runs were asked or changed
     */
    OperationState done(long done) {
        return new OperationState(
                new OperationProgress(
                        progress.action(),
                        progress.actor(),
                        progress.reason(),
                        progress.done() + done,
                        progress.passed() + page.size() - done,
                        page.getLast()),
                List.of());
    }
}
