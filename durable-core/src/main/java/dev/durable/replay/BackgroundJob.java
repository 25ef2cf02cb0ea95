package dev.durable.replay;

import dev.durable.ActivityOptions;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.history.OptionsJson;
import dev.durable.history.Payload;
import dev.durable.store.JobStart;
import org.jspecify.annotations.Nullable;

/**
 * The workflow of one activity. Most of its runs are never seen by a replayer: their start writes what the first turn
 * gives, and the completion of the activity closes them. Only where something else comes (a cancel, a failure) does this
 * code run, or where a release enqueued it with a delay that left the first turn for later.
 */
@Workflow(name = BackgroundJob.TYPE)
public class BackgroundJob {
    /** The workflow type. */
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
        return (Payload) DurableCalls.current("a background job").activities().call(activity, arguments, resolved);
    }
}
