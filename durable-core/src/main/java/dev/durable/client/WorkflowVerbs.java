package dev.durable.client;

import org.jspecify.annotations.Nullable;

/**
 * What an operator does to all open runs that a listing finds, or to failed ones ({@link #retryFromFailure}): {@code client.workflows().where(w ->
 * w.type(OrderWorkflow.class)).by("ann").because("the provider is down").pause()}. Immutable: each call of {@link
 * #because} and {@link #rate} gives a copy.
 *
 * <p>A verb starts an {@link Operation}, which a worker carries out page by page, 500 runs at a time, in one commit where
 * no lock is in the way. When that worker dies, another does the page that was under way again: a run gets a signal or a
 * request to cancel once all the same, and one that was terminated, paused or moved already is recognised, so each run
 * counts once. Only a run that an operator has resumed in between may be paused once more, or the other way round. It concerns
 * the runs that were open when it was started: those that close meanwhile are passed over, those that start later are left
 * alone, and a run that continues one of them is meant with it. A verb in a transaction of the caller takes no part in it.
 * The audit has a row for the order before the first run, and one with the counts behind the last, none for each run.
 *
 * <p>Every verb but {@link #retryFromFailure} throws {@link dev.durable.RefusedInputException} where the filter names only
 * states of closed runs, as those can't be changed any more.
 */
public interface WorkflowVerbs {

    /** Gives the reason, which stands in histories and in the audit. */
    WorkflowVerbs because(String reason);

    /**
     * Limits how many runs are asked per second; without it they are asked as fast as the database takes it.
     *
     * @throws dev.durable.RefusedInputException when it is less than 1
     */
    WorkflowVerbs rate(int perSecond);

    /**
     * Counts the runs that a verb would concern now, by type and status, up to 10,000 of them, and changes nothing: open ones;
     * where the filter names only {@code FAILED} or {@code TIMED_OUT}, those that {@link #retryFromFailure} would.
     */
    OperationPreview dryRun();

    /** Asks each run to cancel, as {@link WorkflowHandle#cancel(String)}. */
    Operation cancel();

    /** Terminates each run, as {@link WorkflowHandle#terminate(String)}. */
    Operation terminate();

    /**
     * Sends each run a signal. A run whose inbox is full is passed over.
     *
     * @param name the name of the signal
     * @param arguments the arguments of its handler
     */
    Operation signal(String name, @Nullable Object... arguments);

    /** Pauses each run, as {@link WorkflowHandle#pause(String)}; background jobs are passed over. */
    Operation pause();

    /** Resumes each run, as {@link WorkflowHandle#resume()}; background jobs are passed over. */
    Operation resume();

    /**
     * Has workers try each stalled run again now, whatever is left of its back-off: after a deployment that mends the code.
     * Runs that have not stalled are no part of it.
     */
    Operation retry();

    /**
     * Pins each run to a build, as {@link WorkflowHandle#moveTo(String)}; background jobs are passed over.
     *
     * @throws dev.durable.RefusedInputException if it can't be the name of a build
     */
    Operation moveTo(String build);

    /**
     * Retries each run that has failed or timed out from its failure, as {@link WorkflowHandle#retryFromFailure()}, after the
     * cause is mended: {@code where(w -> w.type(OrderWorkflow.class).closedAfter(deployedAt))}. Runs that can't be retried,
     * such as those whose compensations have run, are passed over, each with a line in the log of the worker; so are
     * background jobs.
     *
     * @throws dev.durable.RefusedInputException where the filter names only other states
     */
    Operation retryFromFailure();
}
