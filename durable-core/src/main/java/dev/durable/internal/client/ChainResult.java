package dev.durable.internal.client;

import dev.durable.WorkflowNotFoundException;
import dev.durable.internal.client.access.Dispatch;
import dev.durable.store.RunKey;
import dev.durable.store.RunResult;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** The future end of a chain of runs: a wait for one run after the other, until one has closed that no other continues. */
final class ChainResult {
    private final Dispatch dispatch;
    private final RunKey first;
    private final CompletableFuture<RunResult> end = new CompletableFuture<>();
    private volatile @Nullable CompletableFuture<RunResult> link;

    private ChainResult(Dispatch dispatch, RunKey first) {
        this.dispatch = dispatch;
        this.first = first;
    }

    /** Returns the future end of the chain to which a run belongs. To cancel it ends the wait. */
    static CompletableFuture<RunResult> of(Dispatch dispatch, RunKey run) {
        ChainResult chain = new ChainResult(dispatch, run);
        var unused = chain.end.whenComplete((result, error) -> chain.giveUp());
        chain.follow(run.runId());
        return chain.end;
    }

    private void follow(UUID runId) {
        CompletableFuture<RunResult> next = dispatch.result(runId);
        link = next;
        if (end.isDone()) {
            giveUp();
        }
        var unused = next.whenComplete((result, error) -> {
            if (error != null && runId.equals(first.runId()) && isGone(error)) {
                // Not on the loop that has found it, as this reads the store.
                var ignored = CompletableFuture.runAsync(() -> followNewest(error));
            } else if (error != null) {
                end.completeExceptionally(error);
            } else if (result.next() != null) {
                follow(result.next());
            } else {
                end.complete(result);
            }
        });
    }

    /** Follows the newest run of the chain, whose first run retention has removed long before the chain ends. */
    private void followNewest(Throwable gone) {
        try {
            UUID newest = dispatch.begun()
                    .store()
                    .latestRun(first.workflowId())
                    .filter(run -> run.links().chainId().equals(first.runId()))
                    .map(run -> run.run().runId())
                    .filter(run -> !run.equals(first.runId()))
                    .orElse(null);
            if (newest == null) {
                end.completeExceptionally(gone);
            } else {
                follow(newest);
            }
        } catch (RuntimeException e) {
            end.completeExceptionally(e);
        }
    }

    private static boolean isGone(Throwable error) {
        return (error instanceof CompletionException ? error.getCause() : error) instanceof WorkflowNotFoundException;
    }

    private void giveUp() {
        CompletableFuture<RunResult> last = link;
        if (last != null) {
            last.cancel(false);
        }
    }
}
