package dev.durable.internal.client.operate;

import dev.durable.DurableException;
import dev.durable.history.Failure;
import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.history.Payload;
import dev.durable.internal.client.access.ClientCode;
import dev.durable.internal.client.access.Dispatch;
import dev.durable.internal.client.access.WorkflowCode;
import dev.durable.internal.declare.ActivityBinding;
import dev.durable.internal.replay.BackgroundJob;
import dev.durable.internal.text.Bounds;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.HistoryStore;
import dev.durable.store.JobFilter;
import dev.durable.store.JobKey;
import dev.durable.store.JobOrder;
import dev.durable.store.JobOrder.Outcome;
import dev.durable.store.OpenJob;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Carries out operators' orders on jobs: reads the job, decides, writes the order, and starts over where the job has
 * changed meanwhile.
 */
public final class Operations {
    /**
     * How long a store waits for the lock of one job. A try with less time left would end with the call's deadline,
     * whose error says less.
     */
    private static final Duration LOCK_WAIT = Duration.ofSeconds(5);

    private static final int TRIES = 50;
    /** A state that no job can have, so that an order with it writes nothing. */
    private static final JobOrder.Seen NEVER_SEEN = new JobOrder.Seen(null, 0, 0);

    private final Dispatch dispatch;
    private final ClientCode code;

    public Operations(Dispatch dispatch, ClientCode code) {
        this.dispatch = dispatch;
        this.code = code;
    }

    /** Returns these operations for one call, all parts of which share its time. */
    Operations begun() {
        return new Operations(dispatch.begun(), code);
    }

    Dispatch dispatch() {
        return dispatch;
    }

    HistoryStore store() {
        return dispatch.store();
    }

    Instant now() {
        return store().clock().now();
    }

    UUID newId() {
        return code.random().get();
    }

    String identity() {
        return code.identity();
    }

    Optional<OpenJob> find(JobFilter one) {
        return store().jobs(one, 1).stream().findFirst();
    }

    /**
     * Reads the job, decides and sends the order, again and again until the job has not changed between the read and
     * the order.
     *
     * @param decide returns the order for a job; where there is no job, the order to send nevertheless, or null
     * @throws DurableException when that does not succeed within the time of a call
     */
    Outcome carryOut(JobFilter one, Function<@Nullable OpenJob, @Nullable JobOrder> decide) {
        Outcome outcome = tryOut(one, decide, TRIES);
        if (mayBeTriedAgain(outcome)) {
            throw new DurableException(refused(one, outcome));
        }
        return outcome;
    }

    private String refused(JobFilter one, Outcome last) {
        String which = "activity " + one.seq() + " of "
                + (one.workflowId() == null ? "run " + one.runId() : "workflow " + Bounds.shown(one.workflowId()));
        return last == Outcome.LOCKED
                ? "LOCKED: another transaction has the job of " + which + ", longer than a call waits ("
                        + dispatch.deadline().whole().toSeconds()
                        + " s). Nothing was done to it. Usually that is a transactional"
                        + " activity which runs long, or a transaction held open by hand. Try again in a moment."
                : "CHANGED: " + which + " changed under each of up to " + TRIES
                        + " tries. Nothing was done to it. Usually"
                        + " other operators change it, or the holder of its token heartbeats, all the time. Try again in a moment.";
    }

    /**
     * Returns whether an order with this id was carried out on a job that has changed since: then its row stands in the
     * audit, or the end that it brought stands in the run.
     */
    boolean wasCarriedOut(JobKey key, UUID id) {
        JobOrder.Trace trace = new JobOrder.Trace(new JobOrder.Audit(id, identity(), "resend", "{}"), null);
        InboxMessage message = new InboxMessage(id, MessageKind.ACTIVITY_OUTCOME, "resend", "{}", null, null);
        Outcome outcome =
                send(List.of(new JobOrder.End(key, trace, NEVER_SEEN, message))).getFirst();
        if (outcome == Outcome.LOCKED) {
            throw new DurableException(refused(JobFilter.of(key), outcome));
        }
        return outcome == Outcome.DUPLICATE;
    }

    /** Carries an order out with at most so many tries; returns CHANGED or LOCKED when they, or the time, are over. */
    Outcome tryOut(JobFilter one, Function<@Nullable OpenJob, @Nullable JobOrder> decide, int tries) {
        Operations call = begun();
        Outcome outcome = Outcome.CHANGED;
        for (int i = 0; i < tries && mayBeTriedAgain(outcome); i++) {
            if (i > 0) {
                Duration left = call.dispatch.deadline().left();
                if (left.isZero() || outcome == Outcome.LOCKED && left.compareTo(LOCK_WAIT) < 0) {
                    return outcome;
                }
                dispatch.breathe();
            }
            JobOrder order = decide.apply(call.find(one).orElse(null));
            outcome = order == null
                    ? Outcome.NOT_FOUND
                    : call.send(List.of(order)).getFirst();
        }
        return outcome;
    }

    /** Returns whether it is a background job rather than an activity that a workflow has called. */
    boolean isJob(OpenJob job) {
        return job.route().workflowType().equals(BackgroundJob.TYPE);
    }

    /** Sends orders; where the answer was lost it sends them again, as each is carried out once. */
    List<Outcome> send(List<JobOrder> orders) {
        WorkflowCode.mayNot("an operator's verb (client.activities(), incidents(), deadLetters())", "do it again");
        try {
            return store().order(orders);
        } catch (CommitUnknownException e) {
            return store().order(orders);
        }
    }

    static boolean isDone(Outcome outcome) {
        return switch (outcome) {
            case APPLIED, DUPLICATE -> true;
            case UNCHANGED, REFUSED, CHANGED, NOT_FOUND, LOCKED -> false;
        };
    }

    private static boolean mayBeTriedAgain(Outcome outcome) {
        return switch (outcome) {
            case CHANGED, LOCKED -> true;
            case APPLIED, UNCHANGED, REFUSED, NOT_FOUND, DUPLICATE -> false;
        };
    }

    /** Encodes a result as the activity declares it, where it is registered here; else by the class of the value. */
    Payload result(OpenJob job, @Nullable Object value) {
        return result(job.activity(), value);
    }

    Payload result(String activity, @Nullable Object value) {
        String what = "the result of " + activity;
        Optional<ActivityBinding> binding = code.registry().activity(activity);
        if (binding.isPresent()) {
            return code.payloads().encode(value, binding.get().activity().spec().returnType(), what);
        }
        return value == null ? Payload.NULL : code.payloads().encode(value, value.getClass(), what);
    }

    /** Encodes arguments as the activity declares them, where it is registered here; else each by its own class. */
    Payload arguments(String activity, @Nullable Object... arguments) {
        return code.registry()
                .activity(activity)
                .map(binding ->
                        code.payloads().encodeArguments(binding.activity().spec(), arguments))
                .orElseGet(() -> code.payloads().encodeArguments(activity, arguments));
    }

    String workflowType(Class<?> type) {
        return code.registry().workflowOf(type).name();
    }

    String details(OpenJob job, Object value) {
        return code.payloads()
                .encode(value, value.getClass(), "the heartbeat details of " + job.activity())
                .json();
    }

    /**
     * @throws dev.durable.RefusedInputException where it is too long or has control characters
     */
    String reason(String what, String reason) {
        return code.reason(what, reason);
    }

    Failure failure(OpenJob job, Throwable thrown) {
        return code.failures()
                .encode(thrown, ActivityBinding.named(code.registry().activity(job.activity())));
    }
}
