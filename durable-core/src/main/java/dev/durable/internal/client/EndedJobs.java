package dev.durable.internal.client;

import dev.durable.ActivityTimedOutException;
import dev.durable.RefusedInputException;
import dev.durable.WorkflowAlreadyStartedException;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.EventJson;
import dev.durable.history.Failure;
import dev.durable.history.FailureJson;
import dev.durable.history.Payload;
import dev.durable.history.StoredEvent;
import dev.durable.history.TimeoutType;
import dev.durable.history.WorkflowStarted;
import dev.durable.internal.client.access.ClientWaits;
import dev.durable.internal.client.access.Dispatch;
import dev.durable.internal.client.access.WorkflowCode;
import dev.durable.internal.json.JsonObjectReader;
import dev.durable.internal.replay.BackgroundJob;
import dev.durable.internal.text.Portion;
import dev.durable.store.BatchPlace;
import dev.durable.store.RunFilter;
import dev.durable.store.RunKey;
import dev.durable.store.RunRecord;
import dev.durable.store.StartOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Implements {@code enqueueAgain}: enqueues background jobs again that have ended without a result. Their arguments are
 * read from the first event of the run that ended. Only the latest run of an id counts: a run after an earlier one may
 * have done its work.
 */
final class EndedJobs {
    /**
     * The statuses that a filter selects where it names none. Cancelled and terminated jobs are not among them, as a
     * caller ended them on purpose.
     */
    static final Set<WorkflowStatus> FAILED = Set.of(WorkflowStatus.FAILED, WorkflowStatus.TIMED_OUT);

    private static final int PAGE = 200;

    private final Dispatch dispatch;
    private final RunStarter starts;

    EndedJobs(Dispatch dispatch, RunStarter starts) {
        this.dispatch = dispatch;
        this.starts = starts;
    }

    /** Enqueues the job of this id again; returns its new run. */
    UUID enqueueAgain(String id) {
        return enqueueAgain(id, null);
    }

    /**
     * Enqueues the job of this id again, if its latest run is this one; returns its new run.
     *
     * @param runId null for the latest run, whichever it is
     */
    UUID enqueueAgain(String id, @Nullable UUID runId) {
        WorkflowCode.mayNot("client.enqueueAgain(…)", "enqueue " + id + " again");
        RunRecord latest = dispatch.store()
                .latestRun(id)
                .orElseThrow(() -> new WorkflowNotFoundException("there is no job " + id + " to enqueue again"));
        if (!isJob(latest)) {
            throw new RefusedInputException("workflow id " + id + " is that of a run of " + latest.type()
                    + ", and not of a background job. Start it again with client.start(…).");
        }
        refuse(latest, runId);
        List<StoredEvent> first = dispatch.store().history(latest.run().runId(), 1, 1);
        if (first.isEmpty()) {
            throw new WorkflowNotFoundException("job " + id + " can't be enqueued again: the history of its run "
                    + latest.run().runId() + " has been removed, and nothing else tells what it was called with."
                    + " Enqueue it with its arguments.");
        }
        return starts.enqueueAgain(options(latest, started(first)), started(first));
    }

    private static void refuse(RunRecord latest, @Nullable UUID runId) {
        String id = latest.run().shown();
        UUID latestRun = latest.run().runId();
        if (!latest.status().closed()) {
            throw new WorkflowAlreadyStartedException(
                    "job " + id
                            + " is not enqueued again: its id is in use by the open"
                            + " run " + latestRun + ". If that is a dead letter, retry it:"
                            + " client.deadLetters().one(\"" + id
                            + "\", 1).retry(). Else wait for its end, or cancel it.",
                    latest.run().workflowId(),
                    latestRun);
        }
        if (runId != null && !runId.equals(latestRun)) {
            throw new WorkflowAlreadyStartedException(
                    "job " + id + " is not enqueued again as it was in run " + runId
                            + ": its id was used since, by run " + latestRun + ", which is " + latest.status()
                            + ". Enqueue the latest one again, client.enqueueAgain(\"" + id
                            + "\"), or a new job with an id of its"
                            + " own.",
                    latest.run().workflowId(),
                    latestRun);
        }
        if (latest.status() == WorkflowStatus.COMPLETED) {
            throw new WorkflowAlreadyStartedException(
                    "job " + id + " is not enqueued again: its run " + latestRun
                            + " has completed, and only what ended without a result is. To do it once more, enqueue it anew.",
                    latest.run().workflowId(),
                    latestRun);
        }
    }

    /** Enqueues all jobs of the filter again; returns how many. */
    long enqueueAgain(RunFilter filter) {
        WorkflowCode.mayNot("client.enqueueAgain(w -> …)", "enqueue jobs again");
        dispatch.store().refuseIfForeign();
        RunFilter from = filter.types(Set.of(BackgroundJob.TYPE)).newestFirst(true);
        long enqueued = 0;
        List<RunRecord> page;
        do {
            page = dispatch.store().runs(from, PAGE);
            enqueued += enqueueAgain(page);
            if (!page.isEmpty()) {
                // Runs that are created meanwhile are younger, so they are not read.
                from = from.after(page.getLast().run().runId());
            }
        } while (!Portion.isWhole(page, PAGE, RunRecord::atMost));
        return enqueued;
    }

    private long enqueueAgain(List<RunRecord> page) {
        List<RunRecord> left = latest(page);
        long enqueued = 0;
        while (!left.isEmpty()) {
            Map<UUID, List<StoredEvent>> first = dispatch.store()
                    .histories(left.stream().map(run -> run.run().runId()).toList(), 1);
            List<RunRecord> read = left.stream()
                    .filter(run -> first.containsKey(run.run().runId()))
                    .toList();
            enqueued += enqueueAgain(read, first);
            // The next portion; where there is none, their histories are gone.
            left = left.stream()
                    .filter(run ->
                            !first.isEmpty() && !first.containsKey(run.run().runId()))
                    .toList();
        }
        return enqueued;
    }

    /** Enqueues jobs again without waiting for each, so that they share commits. */
    private long enqueueAgain(List<RunRecord> wanted, Map<UUID, List<StoredEvent>> first) {
        Map<RunKey, BatchPlace> places = JobBatch.placesOf(
                dispatch.store(), wanted.stream().map(RunRecord::run).toList());
        List<CompletableFuture<StartOutcome>> sent = new ArrayList<>();
        try {
            for (RunRecord run : wanted) {
                WorkflowStarted started =
                        started(Objects.requireNonNull(first.get(run.run().runId())));
                sent.add(starts.enqueueAgainAsync(options(run, started), started, places.get(run.run())));
            }
        } finally {
            // Whatever exception stops this, the jobs that were sent are durable or refused.
            sent.forEach(one -> ClientWaits.forAnswer(dispatch, one, "enqueueing jobs again"));
        }
        return sent.stream()
                .filter(one -> one.join() instanceof StartOutcome.Started)
                .count();
    }

    /** Returns the runs that ended without a result and are the latest of their ids. */
    private List<RunRecord> latest(List<RunRecord> page) {
        List<RunRecord> ended = page.stream()
                .filter(run -> run.status().closed() && run.status() != WorkflowStatus.COMPLETED && !hasExpired(run))
                .toList();
        Set<RunKey> latest = Set.copyOf(dispatch.store()
                .latestRuns(ended.stream().map(run -> run.run().workflowId()).collect(Collectors.toSet())));
        return ended.stream().filter(run -> latest.contains(run.run())).toList();
    }

    /**
     * Returns whether the job expired before an attempt began: its work is of no use later, so only a call that names
     * its id enqueues it again.
     */
    private static boolean hasExpired(RunRecord run) {
        if (run.failure() == null) {
            return false;
        }
        Failure failure = FailureJson.decode(run.failure());
        Payload fields = failure.fields();
        return failure.type().equals(RunRecord.EXPIRED)
                || failure.type().equals(ActivityTimedOutException.class.getName())
                        && fields != null
                        && TimeoutType.EXPIRY
                                .name()
                                .equals(JsonObjectReader.ofAny(fields.json()).stringIfAny("timeout"));
    }

    private static boolean isJob(RunRecord run) {
        return run.type().equals(BackgroundJob.TYPE);
    }

    private static WorkflowStarted started(List<StoredEvent> first) {
        return (WorkflowStarted) EventJson.decode(first.getFirst());
    }

    private static StartOptions options(RunRecord ended, WorkflowStarted started) {
        StartOptions options = RunStarter.again(started);
        for (Map.Entry<String, String> note : ended.memo().entrySet()) {
            options = options.memo(note.getKey(), note.getValue());
        }
        return options;
    }
}
