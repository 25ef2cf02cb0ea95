package dev.durable.store.memory;

import static dev.durable.store.memory.WaitingReasons.firstLine;
import static dev.durable.store.memory.WaitingReasons.text;

import dev.durable.client.Queues.PausedActivity;
import dev.durable.client.WaitingReason;
import dev.durable.client.WaitingReason.Kind;
import dev.durable.store.OpenJob;
import dev.durable.store.QueueRules;
import dev.durable.store.SessionInfo;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Tells what an open activity of a run waits for. */
final class WaitingJob {
    private final Tables tables;
    private final Job job;
    private final Instant now;
    private final OpenJob shown;
    private final String taskQueue;
    private final String activity;
    private final String title;

    WaitingJob(Tables tables, Job job, Instant now) {
        this.tables = tables;
        this.job = job;
        this.now = now;
        this.shown = job.open(tables.sessions()::identity, false);
        this.taskQueue = shown.route().taskQueue();
        this.activity = shown.route().activity();
        this.title = "activity " + activity + " (" + job.key().seq() + ")";
    }

    WaitingReason reason() {
        return switch (job.state()) {
            case RUNNING -> running();
            case EXTERNAL ->
                underWay(
                        Kind.OUTSIDE,
                        List.of(),
                        "the holder of its token",
                        " is left to the holder of its token: attempt ",
                        "");
            case DEAD -> failed("an operator, by client.deadLetters()", " is a dead letter since ");
            case INCIDENT -> failed("an operator, by client.incidents()", " is an incident since ");
            case PAUSED ->
                reason(
                        Kind.ACTIVITY_QUEUED,
                        shown.times().scheduledAt(),
                        null,
                        List.of(),
                        control() + ".resume()",
                        " is paused");
            case DELAYED ->
                job.visibleAt() != null && job.visibleAt().isAfter(now) ? delayed(job.visibleAt()) : ready(false);
            case READY -> ready(false);
            case WAITING -> ready(true);
        };
    }

    private WaitingReason running() {
        UUID session = job.lease().session();
        String process = tables.sessions().isAlive(session) ? tables.sessions().identity(session) : null;
        return underWay(
                Kind.ACTIVITY_RUNNING,
                process == null ? List.of() : List.of(process),
                "the outcome of the attempt",
                " runs: attempt ",
                process == null ? ", in a process that is gone" : ", in process " + process);
    }

    private WaitingReason underWay(Kind kind, List<String> in, String endedBy, String state, String place) {
        Instant since = shown.times().claimedAt();
        Instant until = job.holdsUntil();
        return reason(
                kind,
                since,
                until,
                in,
                endedBy,
                state
                        + shown.seen().attempt()
                        + (since == null ? "" : ", since " + text(since))
                        + place
                        + (until == null ? "" : ", until " + text(until) + " at the latest")
                        + (job.cancelRequested() ? ", and is asked to stop" : ""));
    }

    private WaitingReason failed(String endedBy, String state) {
        OpenJob.Burial burial = job.burial();
        Instant since = burial == null ? null : burial.at();
        return reason(Kind.ACTIVITY_FAILED, since, null, List.of(), endedBy, state + text(since) + failure(": "));
    }

    private WaitingReason delayed(Instant due) {
        return reason(
                Kind.ACTIVITY_RETRY,
                shown.times().scheduledAt(),
                due,
                List.of(),
                "that time, or " + control() + ".retry()",
                " waits for attempt " + shown.seen().attempt() + ", due at " + text(due)
                        + failure(", as the one before failed: "));
    }

    /** @param ofKey whether its limit key has not let it through yet */
    private WaitingReason ready(boolean ofKey) {
        List<String> serving = WaitingReasons.serving(tables, taskQueue);
        List<String> able = tables.sessions().list().stream()
                .filter(session -> !session.dead() && mayRun(session))
                .map(SessionInfo::identity)
                .sorted()
                .toList();
        if (able.isEmpty()) {
            return serving.isEmpty()
                    ? waiting(
                            Kind.ACTIVITY_UNSERVED,
                            null,
                            able,
                            "a process that serves the queue",
                            ", which no process serves")
                    : waiting(
                            Kind.ACTIVITY_UNSERVED,
                            null,
                            able,
                            "a process that serves the queue and has the activity",
                            ", and of the processes that serve it none has the activity: "
                                    + String.join(", ", serving));
        }
        return queued(able, ofKey);
    }

    private WaitingReason queued(List<String> able, boolean ofKey) {
        Instant queuePaused = tables.settings().pausedUntil(taskQueue, now).orElse(null);
        if (queuePaused != null) {
            Instant until = queuePaused.equals(Instant.MAX) ? null : queuePaused;
            String resume = "client.queues().resume(\"" + taskQueue + "\")";
            return waiting(Kind.ACTIVITY_QUEUED, until, able, resume, ", which is paused" + upTo(until));
        }
        PausedActivity paused = tables.settings().pausedActivities(now).reversed().stream()
                .filter(pause ->
                        pause.activity().equals(activity) || pause.activity().equals(QueueRules.typeOf(activity)))
                .findFirst()
                .orElse(null);
        if (paused != null) {
            return waiting(
                    Kind.ACTIVITY_QUEUED,
                    paused.resumeAt(),
                    able,
                    "client.queues().resumeActivity(\"" + paused.activity() + "\")",
                    ", and " + paused.activity() + " is paused" + upTo(paused.resumeAt()));
        }
        if (ofKey) {
            String key = " until its limit key \"" + job.spec().limitKey() + "\" lets it through";
            return waiting(Kind.ACTIVITY_QUEUED, null, able, "the end of a job with the same limit key", key);
        }
        Integer concurrency = tables.settings().limits(taskQueue).concurrency();
        if (concurrency != null
                && concurrency <= tables.jobs().running(taskQueue).count()) {
            String full = ", where " + concurrency + " run at once, which is its limit";
            return waiting(Kind.ACTIVITY_QUEUED, null, able, "the end of a job of the queue", full);
        }
        return waiting(
                Kind.ACTIVITY_QUEUED,
                null,
                able,
                "a free slot there",
                " for a free slot in a process that serves it: " + String.join(", ", able));
    }

    private WaitingReason waiting(
            Kind kind, @Nullable Instant until, List<String> servedBy, String endedBy, String state) {
        Instant since = job.visibleAt() == null ? shown.times().scheduledAt() : job.visibleAt();
        return reason(
                kind,
                since,
                until,
                servedBy,
                endedBy,
                " waits in task queue \"" + taskQueue + "\" since " + text(since) + state);
    }

    private WaitingReason reason(
            Kind kind,
            @Nullable Instant since,
            @Nullable Instant until,
            List<String> servedBy,
            String endedBy,
            String state) {
        return new WaitingReason(kind, title, since, until, servedBy, endedBy, title + state);
    }

    private boolean mayRun(SessionInfo session) {
        return session.served() == null
                || session.served().queues().contains(taskQueue)
                        && session.served().activities().contains(activity);
    }

    private String control() {
        return "client.activity(\"" + job.key().run().workflowId() + "\", "
                + job.key().seq() + ")";
    }

    private String failure(String before) {
        String failure = job.lastFailure() == null ? "" : firstLine(job.lastFailure());
        return failure.isEmpty() ? "" : before + failure;
    }

    private static String upTo(@Nullable Instant until) {
        return until == null ? "" : " until " + text(until);
    }
}
