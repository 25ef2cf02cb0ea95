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
final class Batch {
    private static final int AT_ONCE = 1_024;

    private final Dispatch dispatch;
    private final Starts starts;
    private final StartOptions options;
    private final List<CompletableFuture<StartOutcome>> sent = new ArrayList<>();
    private int number;

    private Batch(Dispatch dispatch, Starts starts, StartOptions options) {
        this.dispatch = dispatch;
        this.starts = starts;
        this.options = options;
    }

    /** A batch of an id that nobody has used. */
    static Batch fresh(Dispatch dispatch, Starts starts, StartOptions options) {
        return new Batch(dispatch, starts, options);
    }

    /** Of a batch that may be there in part, the rest: a job that is there, open or closed, stays the one. */
    static Batch missing(Dispatch dispatch, Starts starts, StartOptions options) {
        return new Batch(
                dispatch,
                starts,
                options.reusePolicy(ReusePolicy.REJECT_DUPLICATE).conflictPolicy(ConflictPolicy.USE_EXISTING));
    }

    String id() {
        return options.id();
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
