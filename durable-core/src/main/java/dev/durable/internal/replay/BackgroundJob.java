package dev.durable.internal.replay;

import dev.durable.ActivityOptions;
import dev.durable.CancelledException;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.history.OptionsJson;
import dev.durable.history.Payload;
import dev.durable.internal.replay.call.DurableCalls;
import dev.durable.internal.replay.match.StalledException;
import dev.durable.internal.text.Thrown;
import dev.durable.store.JobStart;
import org.jspecify.annotations.Nullable;

/**
 * The built-in workflow behind a background job: it calls one activity and returns its result. Most of its runs are
 * never replayed: their start writes the commands of the first turn, and the completion of the activity closes them.
 * This code runs only after any other event (a request to cancel, a failure), or where an older release enqueued the
 * job with a delay that left the first turn for later.
 *
 * <p>Cancelled, it waits for its activity, with any declared cancellation type: until its attempt has ended the job is
 * open, its id is taken, and heartbeats of its body are still written. Then it is cancelled, or completed where the
 * body came to its result all the same. (Jobs enqueued by older releases have another {@link
 * dev.durable.ActivityCancellationType} in their histories, and close at once.)
 */
@Workflow(name = BackgroundJob.TYPE)
public class BackgroundJob {
    public static final String TYPE = JobStart.TYPE;

    /** The number of its only activity. */
    public static final int SEQ = 1;

    BackgroundJob() {}

    /**
     * @param activity its name
     * @param arguments a JSON array
     * @param options ActivityOptions as JSON
     */
    @Run
    @Nullable
    Payload run(String activity, Payload arguments, Payload options) throws Throwable {
        ActivityOptions resolved = OptionsJson.decode(options.json());
        DurableCalls run = DurableCalls.current("a background job");
        try {
            return (Payload) run.activities().call(activity, arguments, resolved);
        } catch (Exception e) {
            if (run.isCancelled() && !(e instanceof StalledException)) {
                // The outcome is in the history, and no code uses this value.
                throw e instanceof CancelledException
                        ? e
                        : new CancelledException(Thrown.of(e).text(), e);
            }
            throw e;
        }
    }
}
