package dev.durable.history;

import dev.durable.Versioning;
import dev.durable.internal.text.NamedValues;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The run was started. Always event 1.
 *
 * @param id its place in the history
 * @param at when
 * @param workflowId the business identity
 * @param runId this run
 * @param workflowType its type
 * @param taskQueue its task queue
 * @param input the arguments of its run method, a JSON array
 * @param flags guarded behaviours of the replayer this run was started under
 * @param runDeadline when it times out; null is never
 * @param headers given at the start
 * @param firstTurnDone whether the code ran with the start and gave no command: so that nothing else tells whether it is
 *     still to run
 * @param startDelay how long the first turn was to wait; null is not at all
 * @param startedBy who started it: the name that the caller gave, or that of its process; null in histories of before it was
 *     recorded
 * @param runTimeout how long the run may take, as the start said; null is unlimited
 * @param executionDeadline when the chain of runs times out; null is never
 * @param chain its place in its chain; null for the first run
 * @param parent the workflow that started it as its child; null where none did
 * @param attempt its place among the attempts of its workflow; null without a retry policy
 * @param versioning which builds may go on with it, as its start said; null where its type says so
 */
public record WorkflowStarted(
        long id,
        Instant at,
        String workflowId,
        UUID runId,
        String workflowType,
        String taskQueue,
        Payload input,
        int flags,
        @Nullable Instant runDeadline,
        Map<String, String> headers,
        boolean firstTurnDone,
        @Nullable Duration startDelay,
        @Nullable String startedBy,
        @Nullable Duration runTimeout,
        @Nullable Instant executionDeadline,
        @Nullable ChainLink chain,
        @Nullable ParentRun parent,
        @Nullable RunAttempt attempt,
        @Nullable Versioning versioning)
        implements HistoryEvent.Inbound {
    public WorkflowStarted {
        headers = NamedValues.copyOf(headers);
    }

    /** A run whose type says which builds may go on with it. */
    public WorkflowStarted(
            long id,
            Instant at,
            String workflowId,
            UUID runId,
            String workflowType,
            String taskQueue,
            Payload input,
            int flags,
            @Nullable Instant runDeadline,
            Map<String, String> headers,
            boolean firstTurnDone,
            @Nullable Duration startDelay,
            @Nullable String startedBy,
            @Nullable Duration runTimeout,
            @Nullable Instant executionDeadline,
            @Nullable ChainLink chain,
            @Nullable ParentRun parent,
            @Nullable RunAttempt attempt) {
        this(
                id,
                at,
                workflowId,
                runId,
                workflowType,
                taskQueue,
                input,
                flags,
                runDeadline,
                headers,
                firstTurnDone,
                startDelay,
                startedBy,
                runTimeout,
                executionDeadline,
                chain,
                parent,
                attempt,
                null);
    }

    /** The first run of a chain, with no timeouts but its deadline. */
    public WorkflowStarted(
            long id,
            Instant at,
            String workflowId,
            UUID runId,
            String workflowType,
            String taskQueue,
            Payload input,
            int flags,
            @Nullable Instant runDeadline,
            Map<String, String> headers,
            boolean firstTurnDone,
            @Nullable Duration startDelay,
            @Nullable String startedBy) {
        this(
                id,
                at,
                workflowId,
                runId,
                workflowType,
                taskQueue,
                input,
                flags,
                runDeadline,
                headers,
                firstTurnDone,
                startDelay,
                startedBy,
                null,
                null,
                null,
                null,
                null);
    }

    /** Returns the id of the chain: the run id of its first run. */
    public UUID chainId() {
        return chain == null ? runId : chain.firstRunId();
    }

    @Override
    public Map<String, String> headers() {
        return NamedValues.plain(headers);
    }

    /**
     * Copies the event to this place: where the run was paused before its first turn, its commands stand behind the
     * pause.
     */
    public WorkflowStarted withId(long place) {
        return with(place, firstTurnDone, startDelay, startedBy, attempt, versioning);
    }

    /** Copies the event; its first turn has been made without a command. */
    public WorkflowStarted withFirstTurnDone() {
        return with(id, true, startDelay, startedBy, attempt, versioning);
    }

    /** Copies the event with this delay of the first turn. */
    public WorkflowStarted withStartDelay(Duration delay) {
        return with(id, firstTurnDone, delay.isZero() ? null : delay, startedBy, attempt, versioning);
    }

    /** Copies the event with this caller. */
    public WorkflowStarted withStartedBy(String caller) {
        return with(id, firstTurnDone, startDelay, caller, attempt, versioning);
    }

    /** Copies the event with this place among the attempts of its workflow; null without a retry policy. */
    public WorkflowStarted withAttempt(@Nullable RunAttempt place) {
        return with(id, firstTurnDone, startDelay, startedBy, place, versioning);
    }

    /** Copies the event with what its start says about the builds that may go on with it; null says nothing. */
    public WorkflowStarted withVersioning(@Nullable Versioning said) {
        return with(id, firstTurnDone, startDelay, startedBy, attempt, said);
    }

    /**
     * Copies the event as the code of a fork of the run sees it from the fork on: of a chain of its own, without a parent;
     * or, where the fork has taken the place of the run, of the chain and with the parent of that run.
     */
    public WorkflowStarted forked(WorkflowForked fork) {
        return new WorkflowStarted(
                id,
                fork.at(),
                fork.workflowId(),
                fork.runId(),
                workflowType,
                taskQueue,
                input,
                flags,
                fork.runDeadline(),
                headers,
                firstTurnDone,
                null,
                fork.by(),
                runTimeout,
                fork.executionDeadline(),
                fork.chain(),
                fork.chain() == null ? null : parent,
                attempt == null ? null : attempt.ofNextRun(),
                versioning);
    }

    /** Copies the event of a run that continues another. */
    public WorkflowStarted withChain(ChainLink link) {
        return new WorkflowStarted(
                id,
                at,
                workflowId,
                runId,
                workflowType,
                taskQueue,
                input,
                flags,
                runDeadline,
                headers,
                firstTurnDone,
                startDelay,
                startedBy,
                runTimeout,
                executionDeadline,
                link,
                parent,
                attempt,
                versioning);
    }

    /** When the delay ends, if nothing ends it before; null without one. */
    public @Nullable Instant delayedUntil() {
        return startDelay == null ? null : at.plus(startDelay);
    }

    private WorkflowStarted with(
            long place,
            boolean done,
            @Nullable Duration delay,
            @Nullable String caller,
            @Nullable RunAttempt tried,
            @Nullable Versioning said) {
        return new WorkflowStarted(
                place,
                at,
                workflowId,
                runId,
                workflowType,
                taskQueue,
                input,
                flags,
                runDeadline,
                headers,
                done,
                delay,
                caller,
                runTimeout,
                executionDeadline,
                chain,
                parent,
                tried,
                said);
    }
}
