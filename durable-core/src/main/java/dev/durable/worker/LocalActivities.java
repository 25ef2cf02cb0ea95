package dev.durable.worker;

import dev.durable.store.ClaimedJob;
import dev.durable.store.JobUpdate;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the local activities of the runs in this process. They have no job: a call becomes one event when it has ended.
 *
 * <pre>
 *   turn durable ─► begin ─► Attempt ──────────────► ended: fed to the run, written with the step that follows
 *                     ▲         │ failed, retried
 *                     └─ delay ─┘ (in this process's memory)
 * </pre>
 *
 * <p>If the process dies, nothing of a call was written: whoever rebuilds the run calls again, from attempt 1. That
 * somebody does is the run's doing: while it waits for local activities it is due after {@link #silence}, and its worker,
 * as long as it lives, is the first to hear of that.
 */
final class LocalActivities implements LocalCalls, Reports {
    private static final Logger log = LoggerFactory.getLogger(LocalActivities.class);

    private final Map<String, ActivityQueue> queues;
    private final ActivityHost host;
    private final Duration silence;
    private final Map<UUID, Call> calls = new ConcurrentHashMap<>();
    private volatile boolean draining;

    /** A call that has not ended. */
    private static final class Call {
        private final Caller caller;
        private volatile ClaimedJob next;
        private volatile boolean cancelled;
        private volatile Deadlines.@Nullable Deadline delay;

        Call(Caller caller, ClaimedJob first) {
            this.caller = caller;
            this.next = first;
        }
    }

    /**
     * @param queues where bodies run, by the task queue of the run; their slots bound nothing, their executors do
     * @param shared what local attempts have in common with others, but for reports and leases
     * @param silence how long a run may be silent
     */
    LocalActivities(Map<String, ActivityQueue> queues, ActivityHost shared, Duration silence) {
        this.queues = queues;
        this.host = new ActivityHost(shared.code(), this, new Leases(), shared.deadlines(), shared.surroundings());
        this.silence = silence;
    }

    Leases leases() {
        return host.leases();
    }

    /** From now on nothing begins. */
    void drain() {
        draining = true;
    }

    // ── what runs want ───────────────────────────────────────────────────────────────────────────────────────────────

    @Override
    public void begin(ClaimedJob job, Caller caller) {
        calls.put(job.lease(), new Call(caller, job));
        run(job);
    }

    @Override
    public void cancel(UUID lease) {
        Call call = calls.get(lease);
        if (call != null) {
            call.cancelled = true;
            Deadlines.Deadline delay = call.delay;
            if (delay != null) {
                host.deadlines().cancel(delay);
                run(call.next);
            } else if (host.leases().get(lease) instanceof Attempt attempt) {
                attempt.cancel();
            }
        }
    }

    @Override
    public void abandon(UUID lease) {
        Call call = calls.remove(lease);
        if (call != null) {
            host.deadlines().cancel(call.delay);
        }
        if (host.leases().get(lease) instanceof Attempt attempt) {
            attempt.lose("its run is no longer in this process");
        }
    }

    @Override
    public Duration silence() {
        return silence;
    }

    private void run(ClaimedJob job) {
        Call call = calls.get(job.lease());
        if (call == null) {
            return;
        }
        call.delay = null;
        ActivityQueue queue = queues.get(job.taskQueue());
        if (draining || queue == null) {
            giveBack(job.lease());
            return;
        }
        try {
            Attempt attempt = new Attempt(
                    job, job.lease(), queue, queue.slots().takeEagerly().orElseThrow(), host);
            host.leases().put(job.lease(), attempt);
            if (call.cancelled) {
                attempt.cancel();
            }
            queue.executor().execute(attempt);
        } catch (RejectedExecutionException e) {
            giveBack(job.lease());
        } catch (RuntimeException e) {
            log.error("local activity {} of {} can't be begun here", job.activity(), job.key(), e);
            giveBack(job.lease());
        }
    }

    private void giveBack(UUID lease) {
        Call call = calls.remove(lease);
        host.leases().remove(lease);
        if (call != null) {
            call.caller.givenBack();
        }
    }

    // ── what attempts tell ───────────────────────────────────────────────────────────────────────────────────────────

    @Override
    public boolean local() {
        return true;
    }

    @Override
    public void settle(AttemptOutcome outcome) {
        Call call = calls.remove(outcome.lease());
        if (call == null) {
            outcome.settled();
        } else {
            call.caller.ended(outcome);
        }
    }

    @Override
    public void end(JobUpdate update, Runnable then) {
        Call call = calls.get(update.lease());
        host.leases().remove(update.lease());
        if (call == null) {
            return;
        }
        if (draining) {
            giveBack(update.lease());
            return;
        }
        ClaimedJob ended = call.next;
        Duration delay;
        switch (update) {
            case JobUpdate.Retry retry -> {
                delay = retry.delay();
                call.next = ended.again(retry.nextAttempt(), retry.notes(), retry.details());
            }
            case JobUpdate.Release release -> {
                delay = release.delay();
                call.next = ended.again(ended.attempt(), ended.notes(), release.details());
            }
            default -> throw new IllegalArgumentException(update + " does not end an attempt");
        }
        ClaimedJob next = call.next;
        if (call.cancelled) {
            run(next);
        } else {
            call.delay = host.deadlines().in(delay, () -> run(next));
        }
    }

    /** A heartbeat: kept by the attempt, and told with its end. */
    @Override
    public void tell(JobUpdate update, Answer answer) {
        answer.hear(JobUpdate.Outcome.ACCEPTED, null);
    }
}
