package dev.durable.internal.attempt;

import dev.durable.ActivityOptions;
import dev.durable.RetryIf;
import dev.durable.history.Failure;
import dev.durable.history.OptionsJson;
import dev.durable.internal.declare.ActivityBinding;
import dev.durable.internal.declare.BackgroundOptions;
import dev.durable.internal.drive.Deadlines;
import dev.durable.internal.intercept.Interception;
import dev.durable.internal.observe.Telemetry;
import dev.durable.internal.payload.FailureCodec;
import dev.durable.internal.payload.PayloadCodec;
import dev.durable.internal.replay.BackgroundJob;
import dev.durable.store.JobUpdate;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/**
 * The services that every attempt of an activity in this process uses: the registered code, the way to report outcomes,
 * the leases that are held, timers, and the executor of bodies.
 *
 * @param code the activities implemented here, and how values cross
 * @param reports reports outcomes to the store, or to the run
 * @param leases the leases that this process holds
 * @param deadlines the clock and the timers of this process
 * @param surroundings the remaining services that an attempt uses
 * @param unread the jobs that can't be read here
 */
public record AttemptServices(
        Code code,
        Reports reports,
        Leases leases,
        Deadlines deadlines,
        Surroundings surroundings,
        UnreadableJobs unread) {

    /**
     * The registered activities, and how their values are read and written.
     *
     * @param bindings finds what implements an activity, by name or alias
     * @param payloads reads and writes arguments, results and details
     * @param failures reads and writes exceptions
     * @param exactArguments whether more or fewer arguments than parameters count as arguments that can't be read
     * @param interception the interceptors around attempts
     * @param retryIf which failures are worth another attempt, where the retry policy does not name a class that says so
     */
    public record Code(
            Function<String, Optional<ActivityBinding>> bindings,
            PayloadCodec payloads,
            FailureCodec failures,
            boolean exactArguments,
            Interception interception,
            RetryIf retryIf) {

        /**
         * Creates the services of a process without interceptors: an argument that is missing at the end is null, one
         * too many is ignored.
         */
        public Code(
                Function<String, Optional<ActivityBinding>> bindings, PayloadCodec payloads, FailureCodec failures) {
            this(bindings, payloads, failures, false, Interception.NONE, (failure, attempt) -> true);
        }

        /**
         * Returns the options that apply to an attempt. Those of a background job that has not ended an attempt are
         * merged here from the options chosen at its enqueueing and this process's configuration.
         *
         * @param json the options in the job's row
         * @param workflowType the type of its run
         */
        ActivityOptions options(String activity, String workflowType, String json) {
            return workflowType.equals(BackgroundJob.TYPE)
                    ? BackgroundOptions.now(json, bindings.apply(activity).map(ActivityBinding::activity))
                    : OptionsJson.decode(json);
        }

        /** Converts an exception of an activity to the failure that its workflow will see. */
        Failure failure(String activity, Throwable thrown) {
            return failures.encode(thrown, ActivityBinding.named(bindings.apply(activity)));
        }

        /** Returns whether the activity's signature declares that failure. */
        boolean declares(String activity, Failure failure) {
            return FailureCodec.isDeclared(failure, ActivityBinding.named(bindings.apply(activity)));
        }
    }

    /**
     * The remaining services that an attempt uses.
     *
     * @param identity the name of this process in events
     * @param random spreads delays; thread-safe
     * @param waiting blocks a body that waits for its checkpoint
     * @param cancelGrace how long the body of a cancelled background job may go on
     * @param telemetry gets what attempts do, for metrics, logs and traces
     */
    public record Surroundings(
            String identity, RandomGenerator random, Waiting waiting, Duration cancelGrace, Telemetry telemetry) {}

    /** Blocks the thread of a body until the future is done. */
    @FunctionalInterface
    public interface Waiting {
        JobUpdate.Outcome await(CompletableFuture<JobUpdate.Outcome> future)
                throws InterruptedException, ExecutionException;
    }
}
