package dev.durable.client;

import dev.durable.DurableException;
import dev.durable.declare.ActivityBinding;
import dev.durable.history.Failure;
import dev.durable.history.Payload;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.HistoryStore;
import dev.durable.store.JobFilter;
import dev.durable.store.JobOrder;
import dev.durable.store.JobOrder.Outcome;
import dev.durable.store.OpenJob;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Gives orders: read, decide, order, and again where the job has moved on meanwhile. */
final class Operations {
    private static final int TRIES = 50;

    private final Dispatch dispatch;
    private final ClientCode code;

    Operations(Dispatch dispatch, ClientCode code) {
        this.dispatch = dispatch;
        this.code = code;
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
     * Decides by what is there now, until the order meets the job as it was seen.
     *
     * @param decide the order for a job; for none, the order to send nevertheless, or null
     */
    Outcome carryOut(JobFilter one, Function<@Nullable OpenJob, @Nullable JobOrder> decide) {
        for (int i = 0; i < TRIES; i++) {
            JobOrder order = decide.apply(find(one).orElse(null));
            Outcome outcome = order == null ? Outcome.NOT_FOUND : send(order);
            if (outcome != Outcome.CHANGED && outcome != Outcome.LOCKED) {
                return outcome;
            }
            dispatch.breathe();
        }
        throw new DurableException("the activity was locked, or changed under each of " + TRIES
                + " tries: nothing was done to it. Try again in a moment.");
    }

    /** The same order again where the answer was lost: it is carried out once. */
    private Outcome send(JobOrder order) {
        try {
            return store().order(List.of(order)).getFirst();
        } catch (CommitUnknownException e) {
            return store().order(List.of(order)).getFirst();
        }
    }

    /** As the activity declares it, where it is registered here; else as the value is. */
    Payload result(OpenJob job, @Nullable Object value) {
        return result(job.activity(), value);
    }

    Payload result(String activity, @Nullable Object value) {
        String what = "the result of " + activity;
        Optional<ActivityBinding> binding = code.registry().activity(activity);
        if (value == null) {
            return Payload.NULL;
        }
        return code.payloads()
                .encode(
                        value,
                        binding.isPresent() ? binding.get().activity().spec().returnType() : value.getClass(),
                        what);
    }

    String details(OpenJob job, Object value) {
        return code.payloads()
                .encode(value, value.getClass(), "the heartbeat details of " + job.activity())
                .json();
    }

    Failure failure(OpenJob job, Throwable thrown) {
        return code.failures()
                .encode(
                        thrown,
                        code.registry()
                                .activity(job.activity())
                                .map(binding -> binding.activity().spec().named())
                                .orElse(List.of()));
    }
}
