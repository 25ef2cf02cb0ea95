package dev.durable.internal.client;

import dev.durable.RefusedInputException;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.EventJson;
import dev.durable.history.Failure;
import dev.durable.history.HistoryEvent;
import dev.durable.history.WorkflowPaused;
import dev.durable.history.WorkflowResumed;
import dev.durable.history.WorkflowTerminated;
import dev.durable.internal.client.access.ClientCode;
import dev.durable.internal.client.access.Dispatch;
import dev.durable.internal.client.access.WorkflowCode;
import dev.durable.internal.replay.BackgroundJob;
import dev.durable.internal.text.Bounds;
import dev.durable.store.HistoryStore;
import dev.durable.store.RunKey;
import dev.durable.store.RunMove;
import dev.durable.store.RunPause;
import dev.durable.store.RunRecord;
import dev.durable.store.Seizure;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Implements {@code terminate}, {@code pause} and {@code resume} of a run. */
final class Endings {
    private final Dispatch dispatch;
    private final ClientCode code;
    private final @Nullable String actor;

    /**
     * @param actor the operator in history and audit; null is this process, whose ends of runs get no row in the audit
     */
    Endings(Dispatch dispatch, ClientCode code, @Nullable String actor) {
        this.dispatch = dispatch;
        this.code = code;
        this.actor = actor;
    }

    private String by() {
        return actor == null ? code.identity() : actor;
    }

    /** Terminates the open run; returns whether there was one. */
    boolean terminate(String workflowId, @Nullable UUID runId, String reason) {
        WorkflowCode.mayNot("handle.terminate(…)", "terminate " + Bounds.shown(workflowId) + " again");
        Optional<RunKey> ended = dispatch.store()
                .seize(termination(workflowId, runId, code.reason("terminate", reason), fence(), actor));
        ended.ifPresent(dispatch::seized);
        return ended.isPresent();
    }

    /**
     * Returns the request that terminates the open run.
     *
     * @param fence not used for this run before, unless the same request is sent again
     * @param audited the operator for the row of the audit; null writes none
     */
    Seizure termination(String workflowId, @Nullable UUID runId, String reason, UUID fence, @Nullable String audited) {
        return new Seizure(
                workflowId,
                runId,
                false,
                fence,
                WorkflowStatus.TERMINATED,
                "WorkflowTerminated",
                dropped -> EventJson.attributes(new WorkflowTerminated(1, Instant.EPOCH, reason, by(), dropped)),
                code.failures()
                        .toJson(Failure.of("dev.durable.Terminated", reason))
                        .json(),
                audited);
    }

    /** Pauses the open run; returns whether there is one. */
    boolean pause(String workflowId, @Nullable UUID runId, String reason) {
        mayPause("pause", workflowId);
        return dispatch.begun().store().pause(pausing(workflowId, runId, code.reason("pause", reason), fence(), by()));
    }

    /** Returns the request that pauses the open run; fence and row of the audit are those of {@link #termination}. */
    RunPause pausing(String workflowId, @Nullable UUID runId, String reason, UUID fence, @Nullable String audited) {
        return pause(workflowId, runId, true, fence, new WorkflowPaused(1, Instant.EPOCH, reason, by()), audited);
    }

    /** Resumes the open run; returns whether there is one. */
    boolean resume(String workflowId, @Nullable UUID runId) {
        mayPause("resume", workflowId);
        return dispatch.begun().store().pause(resuming(workflowId, runId, fence(), by()));
    }

    /** Returns the request that resumes the open run; fence and row of the audit are those of {@link #termination}. */
    RunPause resuming(String workflowId, @Nullable UUID runId, UUID fence, @Nullable String audited) {
        return pause(workflowId, runId, false, fence, new WorkflowResumed(1, Instant.EPOCH, by()), audited);
    }

    /** Refuses to pause a background job: it completes without its run's code, so a pause would only delay its end. */
    void refuseToPauseJob(String workflowId, @Nullable UUID runId) {
        mayPause("pause", workflowId);
        if (isJob(workflowId, runId)) {
            throw new RefusedInputException(workflowId
                    + " is a background job, and pausing its run would not hold it: its body would begin, and its end"
                    + " would wait. Use client.activity(\"" + Bounds.shown(workflowId) + "\", " + BackgroundJob.SEQ
                    + "), or client.job(\"" + Bounds.shown(workflowId) + "\").control(): its pause() holds the job.");
        }
    }

    /** Refuses to move a background job. */
    void refuseToMoveJob(String workflowId, @Nullable UUID runId) {
        mayMove(workflowId);
        if (isJob(workflowId, runId)) {
            throw new RefusedInputException(
                    workflowId + " is a background job: it has no workflow code, so no build need go on with it.");
        }
    }

    private static void mayMove(String workflowId) {
        WorkflowCode.mayNot("handle.moveTo(…)", "move " + Bounds.shown(workflowId) + " again");
    }

    private static void mayPause(String what, String workflowId) {
        WorkflowCode.mayNot("handle." + what + "()", what + " " + Bounds.shown(workflowId) + " again");
    }

    private boolean isJob(String workflowId, @Nullable UUID runId) {
        HistoryStore store = dispatch.begun().store();
        Optional<RunRecord> run = runId == null ? store.latestRun(workflowId) : store.run(runId);
        return run.filter(found -> found.type().equals(BackgroundJob.TYPE)).isPresent();
    }

    /** Pins the run to a build. Returns false where no such run is open. */
    boolean moveTo(String workflowId, @Nullable UUID runId, String build) {
        mayMove(workflowId);
        return dispatch.begun().store().move(new RunMove(workflowId, runId, build, fence(), by()));
    }

    private UUID fence() {
        return code.random().get();
    }

    private static RunPause pause(
            String workflowId,
            @Nullable UUID runId,
            boolean wanted,
            UUID fence,
            HistoryEvent event,
            @Nullable String audited) {
        return new RunPause(workflowId, runId, wanted, fence, event.type(), EventJson.attributes(event), audited);
    }
}
