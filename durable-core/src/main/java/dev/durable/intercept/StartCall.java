package dev.durable.intercept;

import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A start that an interceptor sees: of a run, of a background job, or of a batch of jobs. */
public interface StartCall {

    /** The kinds of starts. */
    enum Kind {
        /** A run: {@code client.start}. */
        WORKFLOW,
        /** A run with a signal, or a signal to the run that is open: {@code client.signalWithStart}. */
        SIGNAL_WITH_START,
        /** A run with an update, or an update of the run that is open: {@code client.updateWithStart}. */
        UPDATE_WITH_START,
        /** One background job: {@code client.enqueue}. */
        JOB,
        /** Background jobs: {@code client.enqueueAll}. One call for all of them. */
        BATCH
    }

    Kind kind();

    /** The workflow id; the id of the job or the batch. */
    String workflowId();

    /** The workflow type, the activity of a job ({@code Payments.charge}), the activity type of a batch ({@code Payments}). */
    String type();

    /** Where it will run; of a batch null where each job goes to the queue of its activity. */
    @Nullable
    String taskQueue();

    /** The name of the signal that goes with the start. */
    Optional<String> signal();

    /** The name of the update that goes with the start. */
    Optional<String> update();

    /**
     * The headers that the run and its activities get; to be changed before the call proceeds. Has what the start's options
     * say and what {@linkplain ContextPropagator propagators} captured. The {@linkplain dev.durable.client.StartOptions
     * bounds} are checked afterwards.
     */
    Map<String, String> headers();

    /**
     * The run that was started, once the call has proceeded; the open one where the conflict policy uses that. Empty for a
     * batch, and where it is only seen after the caller's commit.
     */
    Optional<UUID> runId();
}
