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
        String why = code.reason("terminate", reason);
        Failure failure = Failure.of("dev.durable.Terminated", why);
        Optional<RunKey> ended = dispatch.store()
                .seize(new Seizure(
                        workflowId,
                        runId,
                        false,
                        code.random().get(),
                        WorkflowStatus.TERMINATED,
                        "WorkflowTerminated",
                        dropped -> EventJson.attributes(new WorkflowTerminated(1, Instant.EPOCH, why, by(), dropped)),
                        code.failures().toJson(failure).json(),
                        actor));
        ended.ifPresent(dispatch::seized);
        return ended.isPresent();
    }

    /** Pauses the open run; returns whether there is one. */
    boolean pause(String workflowId, @Nullable UUID runId, String reason) {
        return pause(workflowId, runId, true, new WorkflowPaused(1, Instant.EPOCH, code.reason("pause", reason), by()));
    }

    /** Resumes the open run; returns whether there is one. */
    boolean resume(String workflowId, @Nullable UUID runId) {
        return pause(workflowId, runId, false, new WorkflowResumed(1, Instant.EPOCH, by()));
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

    /** Lets the run be tried again at once; returns whether it had stalled and waited for that. */
    boolean retry(String workflowId, @Nullable UUID runId) {
        WorkflowCode.mayNot("client.workflows().retryAll()", "try " + Bounds.shown(workflowId) + " again");
        return dispatch.begun()
                .store()
                .move(new RunMove(workflowId, runId, null, code.random().get(), by()));
    }

    /** Pins the run to a build. Returns false where no such run is open. */
    boolean moveTo(String workflowId, @Nullable UUID runId, String build) {
        mayMove(workflowId);
        return dispatch.begun()
                .store()
                .move(new RunMove(workflowId, runId, build, code.random().get(), by()));
    }

    private boolean pause(String workflowId, @Nullable UUID runId, boolean wanted, HistoryEvent event) {
        mayPause(wanted ? "pause" : "resume", workflowId);
        return dispatch.begun()
                .store()
                .pause(new RunPause(
                        workflowId,
                        runId,
                        wanted,
                        code.random().get(),
                        event.type(),
                        EventJson.attributes(event),
                        by()));
    }
}
