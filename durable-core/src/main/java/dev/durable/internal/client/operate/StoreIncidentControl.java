package dev.durable.internal.client.operate;

import dev.durable.IncidentNotFoundException;
import dev.durable.client.ActivityState;
import dev.durable.client.Incident;
import dev.durable.client.IncidentControl;
import dev.durable.history.EventJson;
import dev.durable.history.IncidentResolved;
import dev.durable.internal.text.Bounds;
import dev.durable.store.JobFilter;
import dev.durable.store.JobOrder;
import dev.durable.store.JobOrder.Outcome;
import dev.durable.store.OpenJob;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Implements {@link IncidentControl} for one incident or dead letter, by its place or exactly as a listing has read it.
 */
final class StoreIncidentControl implements IncidentControl {
    private final Operations operations;
    private final Which which;
    private final Resolutions resolutions;

    /**
     * The place of the incident or dead letter.
     *
     * @param job filters its job
     * @param workflowId the id of its run's workflow
     * @param seq its number in the run
     * @param kind INCIDENT or DEAD
     * @param since since when it must be one; null for any time
     */
    record Which(
            JobFilter job,
            String workflowId,
            int seq,
            ActivityState kind,
            @Nullable Instant since) {

        static Which of(String workflowId, int seq, ActivityState kind) {
            return new Which(JobFilter.ALL.workflowId(workflowId).seq(seq), workflowId, seq, kind, null);
        }

        static Which of(Incident seen, ActivityState kind) {
            int seq = seen.activity().seq();
            return new Which(
                    JobFilter.ALL.runId(seen.activity().runId()).seq(seq),
                    seen.activity().workflowId(),
                    seq,
                    kind,
                    seen.since());
        }

        boolean is(OpenJob found) {
            return found.status().state() == kind
                    && (since == null
                            || found.burial() != null
                                    && since.equals(found.burial().at()));
        }
    }

    StoreIncidentControl(Operations operations, Which which, Resolutions resolutions) {
        this.operations = operations;
        this.which = which;
        this.resolutions = resolutions;
    }

    @Override
    public IncidentControl by(String actor) {
        return new StoreIncidentControl(operations, which, resolutions.by(actor));
    }

    @Override
    public IncidentControl because(String reason) {
        return new StoreIncidentControl(operations, which, resolutions.because(reason));
    }

    @Override
    public Incident describe() {
        Operations call = operations.begun();
        OpenJob job = call.find(which.job()).orElse(null);
        if (job == null || !which.is(job)) {
            throw notFound(call, job);
        }
        return IncidentListing.incident(job);
    }

    @Override
    public void retry() {
        resolve(resolutions.retry());
    }

    @Override
    public void retry(int attempts) {
        resolve(resolutions.retry(attempts));
    }

    @Override
    public void retryWith(@Nullable Object... arguments) {
        resolve(resolutions.retryWith(arguments));
    }

    @Override
    public void complete(@Nullable Object value) {
        resolve(resolutions.complete(value));
    }

    @Override
    public void fail(String why) {
        resolve(resolutions.fail(why));
    }

    @Override
    public void fail(Throwable failure) {
        resolve(resolutions.fail(failure));
    }

    @Override
    public void discard() {
        resolve(resolutions.discard());
    }

    private void resolve(Function<OpenJob, JobOrder> resolution) {
        Operations call = operations.begun();
        Outcome outcome =
                call.carryOut(which.job(), job -> job == null || !which.is(job) ? null : resolution.apply(job));
        if (!Operations.isDone(outcome)) {
            throw notFound(call, call.find(which.job()).orElse(null));
        }
    }

    // ── why it is no incident ────────────────────────────────────────────────────────────────────────────────────────

    private IncidentNotFoundException notFound(Operations call, @Nullable OpenJob found) {
        return new IncidentNotFoundException("activity " + which.seq() + " of workflow "
                + Bounds.shown(which.workflowId()) + " is no " + name(which.kind()) + ": "
                + (found == null ? whyGone(call) : whyOther(found)) + " Nothing was written.");
    }

    private String whyGone(Operations call) {
        return call.store()
                .latestRun(which.workflowId())
                .map(run -> run.status().closed()
                        ? "the run is closed, " + run.status() + "."
                        : "it has ended, or there never was one of that number. Usually an operator completed, failed or"
                                + " discarded it meanwhile, its workflow cancelled it, or its retention was over: its end"
                                + " stands in client.history(\"" + Bounds.shown(which.workflowId()) + "\").")
                .orElse("there is no run of that workflow id.");
    }

    private String whyOther(OpenJob found) {
        int attempt = found.seen().attempt();
        String now = found.activity() + " is " + found.status().state()
                + (found.status().state().isBuried()
                        ? "; its next attempt would be " + attempt
                        : ", at attempt " + attempt)
                + ".";
        String resolved = lastResolution(found)
                .map(last -> " It was " + last.resolution() + " at " + last.at() + " by " + last.by()
                        + (last.reason().isEmpty() ? "." : ", because: " + last.reason() + "."))
                .orElse("");
        if (found.status().state() == which.kind()) {
            return "the one that was seen, since " + which.since() + ", was resolved, and " + now + resolved
                    + " Look at it again.";
        }
        return now
                + switch (found.status().state()) {
                    case DEAD -> " It is found by client.deadLetters().";
                    case INCIDENT -> " It is found by client.incidents().";
                    case READY, DELAYED, RUNNING, PAUSED, EXTERNAL, WAITING -> resolved;
                };
    }

    private static Optional<IncidentResolved> lastResolution(OpenJob job) {
        return EventJson.decodeNotes(job.report().notes()).stream()
                .filter(note -> note.type().equals("IncidentResolved"))
                .map(EventJson::decode)
                .map(IncidentResolved.class::cast)
                .reduce((one, next) -> next);
    }

    private static String name(ActivityState kind) {
        return kind == ActivityState.DEAD ? "dead letter" : "incident";
    }
}
