package dev.durable.internal.client;

import dev.durable.internal.client.access.Dispatch;
import dev.durable.store.RunResult;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The future end of a chain of runs: a wait for one run after the other, until one has closed that no other continues. */
final class ChainResult {
    private final Dispatch dispatch;
    private final CompletableFuture<RunResult> end = new CompletableFuture<>();
    private volatile @Nullable CompletableFuture<RunResult> link;

    private ChainResult(Dispatch dispatch) {
        this.dispatch = dispatch;
    }

    /** Returns the future end of the chain to which a run belongs. To cancel it ends the wait. */
    static CompletableFuture<RunResult> of(Dispatch dispatch, UUID runId) {
        ChainResult chain = new ChainResult(dispatch);
        var unused = chain.end.whenComplete((result, error) -> chain.giveUp());
        chain.follow(runId);
        return chain.end;
    }

    private void follow(UUID runId) {
        CompletableFuture<RunResult> next = dispatch.result(runId);
        link = next;
        if (end.isDone()) {
            giveUp();
        }
        var unused = next.whenComplete((result, error) -> {
            if (error != null) {
                end.completeExceptionally(error);
            } else if (result.next() != null) {
                follow(result.next());
            } else {
                end.complete(result);
            }
        });
    }

    private void giveUp() {
        CompletableFuture<RunResult> last = link;
        if (last != null) {
            last.cancel(false);
        }
    }
}
