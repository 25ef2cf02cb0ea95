package dev.durable.client;

import dev.durable.ConflictPolicy;
import dev.durable.ReusePolicy;
import dev.durable.StartOptions;
import dev.durable.declare.ActivityMethod;
import dev.durable.history.Payload;
import dev.durable.store.StartOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Jobs that are sent together: not one after the other, so that many share a commit; not all, so that memory is bounded. */
final class Batches {
    private static final int AT_ONCE = 1_024;

    private final Dispatch dispatch;
    private final Starts starts;
    private final StartOptions options;
    private final List<CompletableFuture<StartOutcome>> sent = new ArrayList<>();
    private int number;

    /**
     * @param options of each job, under the id of the batch; a job that is there already, open or closed, stays the one
     */
    Batches(Dispatch dispatch, Starts starts, StartOptions options) {
        this.dispatch = dispatch;
        this.starts = starts;
        this.options = options.reusePolicy(ReusePolicy.REJECT_DUPLICATE).conflictPolicy(ConflictPolicy.USE_EXISTING);
    }

    void add(ActivityMethod activity, Payload arguments) {
        StartOptions one = options.withId(JobBatch.jobId(options.id(), number++));
        sent.add(starts.enqueueAsync(activity, one, arguments));
        if (sent.size() == AT_ONCE) {
            end();
        }
    }

    /** All that was sent is durable. */
    void end() {
        for (CompletableFuture<StartOutcome> one : sent) {
            Waiting.forAnswer(dispatch, one, "enqueueing batch " + options.id());
        }
        sent.clear();
    }
}
