package dev.durable.internal.attempt;

import dev.durable.internal.drive.Deadlines;
import dev.durable.internal.text.Thrown;
import dev.durable.store.ClaimedJob;
import dev.durable.store.JobUpdate;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Executes the local activities of the runs in this process. They have no job: a call becomes one event when it has
 * ended.
 *
 * <pre>
 *   turn durable ─► begin ─► Attempt ──────────────► ended: fed to the run, written with the step that follows
 *                     ▲         │ failed, retried
 *                     └─ delay ─┘ (in this process's memory)
 * </pre>
 *
 * <p>If the process dies, nothing of a call was written: the worker that takes over the run calls the activity again,
 * from attempt 1. The run itself makes sure that a worker takes it over: while it waits for local activities its row
 * becomes due after {@link #silence}, and its own worker, as long as it lives, is the first to act on that.
 */
public final class LocalActivities implements LocalCalls, Reports {
    private static final String RUN_LEFT = "its run is no longer in this process";

    private final Map<String, ActivityQueue> queues;
    private final AttemptServices host;
    private final Duration silence;
    private final Map<UUID, Call> calls = new ConcurrentHashMap<>();
    /** Bodies that wait as everything is halted. */
    private final Queue<Runnable> held = new ConcurrentLinkedQueue<>();

    private volatile boolean draining;
    private BooleanSupplier halted = () -> false;

    /** A call that has not ended. Only the thread that takes the waiting attempt begins it or gives it back. */
    private static final class Call {
        private final Caller caller;
        private final AtomicReference<@Nullable ClaimedJob> waiting;
        private volatile ClaimedJob latest;
        private volatile boolean cancelled;
        private volatile Deadlines.@Nullable Deadline delay;

        Call(Caller caller, ClaimedJob first) {
            this.caller = caller;
            this.latest = first;
            this.waiting = new AtomicReference<>(first);
        }

        void waits(ClaimedJob next) {
            latest = next;
            waiting.set(next);
        }

        @Nullable
        ClaimedJob take() {
            return waiting.getAndSet(null);
        }
    }

    /**
     * @param queues the queues on whose executors bodies run, by the task queue of the run; their executors bound how
     *     many run at once, their slots do not
     * @param shared the services of all attempts; local ones have reports and leases of their own
     * @param silence how long a run may be silent
     */
    public LocalActivities(Map<String, ActivityQueue> queues, AttemptServices shared, Duration silence) {
        this.queues = queues;
        this.host = new AttemptServices(
                shared.code(), this, new Leases(), shared.deadlines(), shared.surroundings(), shared.unread());
        this.silence = silence;
    }

    /** Sets what tells whether everything is halted, so that no body is called. Called before anything runs. */
    public void heldWhile(BooleanSupplier isHalted) {
        halted = isHalted;
    }

    /** Begins the bodies that were held, as far as they are not to be held any longer. */
    public void goOn() {
        for (int waiting = held.size(); waiting > 0; waiting--) {
            Runnable body = held.poll();
            if (body != null) {
                body.run();
            }
        }
    }

    public Leases leases() {
        return host.leases();
    }

    /** Begins nothing from now on; calls that wait for their next attempt are given back. */
    public void drain() {
        draining = true;
        goOn();
        calls.forEach((lease, call) -> {
            host.deadlines().cancel(call.delay);
            run(lease);
        });
    }

    /** Returns the ids of the runs that wait for local activities. */
    public Set<UUID> runs() {
        return calls.values().stream()
                .map(call -> call.latest.key().run().runId())
                .collect(Collectors.toSet());
    }

    /** Gives back the calls of runs that were terminated or timed out, as no code waits for them. */
    public void ended(Set<UUID> runs) {
        calls.values().stream()
                .filter(call -> runs.contains(call.latest.key().run().runId()))
                .forEach(call -> call.caller.givenBack());
    }

    // ── orders of runs ───────────────────────────────────────────────────────────────────────────────────────────────

    @Override
    public void begin(ClaimedJob job, Caller caller) {
        calls.put(job.lease(), new Call(caller, job));
        run(job.lease());
    }

    @Override
    public void cancel(UUID lease) {
        Call call = calls.get(lease);
        if (call != null) {
            call.cancelled = true;
            host.deadlines().cancel(call.delay);
            run(lease);
            if (host.leases().get(lease) instanceof Attempt attempt) {
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
            attempt.becomeStale(RUN_LEFT);
        }
    }

    @Override
    public Duration silence() {
        return silence;
    }

    /** Begins the attempt of this call that waits, if there is one. */
    private void run(UUID lease) {
        Call call = calls.get(lease);
        ClaimedJob job = call == null ? null : call.take();
        if (call == null || job == null) {
            return;
        }
        ActivityQueue queue = queues.get(job.route().taskQueue());
        if (draining || queue == null) {
            giveBack(lease);
            return;
        }
        try {
            begin(job, call, queue);
        } catch (RejectedExecutionException e) {
            giveBack(lease);
        } catch (RuntimeException e) {
            calls.remove(lease);
            host.leases().remove(lease);
            call.caller.refused("local activity " + job.activity() + " can't be begun on this worker: "
                    + Thrown.of(e).words()
                    + ". A worker that has the workflow must have the local activities that it calls.");
        }
    }

    private void begin(ClaimedJob job, Call call, ActivityQueue queue) {
        Attempt attempt =
                new Attempt(job, job.lease(), queue, queue.slots().takeEagerly().orElseThrow(), host);
        host.leases().put(job.lease(), attempt);
        if (call.cancelled) {
            attempt.cancel();
        }
        if (calls.containsKey(job.lease())) {
            queue.executor().execute(() -> callOrHold(attempt, queue));
        } else {
            attempt.becomeStale(RUN_LEFT);
        }
    }

    /** Calls a body, unless everything is halted, also where that happened while the body waited for a thread. */
    private void callOrHold(Attempt attempt, ActivityQueue queue) {
        if (draining || !halted.getAsBoolean()) {
            attempt.run();
            return;
        }
        held.add(() -> {
            try {
                queue.executor().execute(() -> callOrHold(attempt, queue));
            } catch (RejectedExecutionException e) {
                attempt.giveBackUnlessBegun();
            }
        });
        if (draining || !halted.getAsBoolean()) {
            goOn();
        }
    }

    private void giveBack(UUID lease) {
        Call call = calls.remove(lease);
        host.leases().remove(lease);
        if (call != null) {
            call.caller.givenBack();
        }
    }

    // ── reports of attempts ──────────────────────────────────────────────────────────────────────────────────────────

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
    public void end(JobUpdate update, Runnable then, Refusal refusal) {
        Call call = calls.get(update.lease());
        host.leases().remove(update.lease());
        if (call == null) {
            return;
        }
        ClaimedJob ended = call.latest;
        Duration delay;
        switch (update) {
            case JobUpdate.Retry retry -> {
                delay = retry.delay();
                JobUpdate.NewOptions options = retry.options();
                call.waits(ended.again(
                        retry.nextAttempt(), retry.notes(), retry.details(), options == null ? null : options.json()));
            }
            case JobUpdate.Release release -> {
                delay = release.delay();
                call.waits(ended.again(ended.attempt(), ended.notes(), release.details(), null));
            }
            default -> throw new IllegalArgumentException(update + " does not end an attempt");
        }
        call.delay = host.deadlines().in(delay, () -> run(update.lease()));
        if (call.cancelled || draining) {
            run(update.lease());
        }
    }

    /** Accepts a heartbeat; the attempt keeps its details, and they are reported with its end. */
    @Override
    public void tell(JobUpdate update, Answer answer) {
        answer.hear(JobUpdate.Outcome.ACCEPTED, null);
    }
}
