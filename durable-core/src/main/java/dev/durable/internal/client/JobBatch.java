package dev.durable.internal.client;

import dev.durable.TypeRef;
import dev.durable.VoidCall;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.BatchHandle;
import dev.durable.client.BatchProgress;
import dev.durable.client.BatchResult;
import dev.durable.client.WorkflowQuery;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.Payload;
import dev.durable.internal.client.access.ClientCode;
import dev.durable.internal.client.access.ClientWaits;
import dev.durable.internal.client.access.Dispatch;
import dev.durable.internal.client.access.Listing;
import dev.durable.internal.client.access.Messages;
import dev.durable.internal.client.access.WorkflowCode;
import dev.durable.internal.declare.ActivityMethod;
import dev.durable.store.BatchPlace;
import dev.durable.store.BatchStore;
import dev.durable.store.RunFilter;
import dev.durable.store.RunKey;
import dev.durable.store.RunRecord;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Implements {@link BatchHandle}: the batch's id with access to the store, which records the jobs of each batch. */
final class JobBatch implements BatchHandle {
    private static final int PAGE = 1_000;
    private static final String SEPARATOR = "/";

    private final String id;
    private final boolean empty;
    private final long added;
    private final JobClient jobs;
    private final Dispatch dispatch;
    private final ClientCode code;

    /**
     * @param empty whether it was enqueued without any item
     * @param added how many jobs the call that returned this handle has added
     */
    JobBatch(String id, boolean empty, long added, JobClient jobs, Dispatch dispatch, ClientCode code) {
        this.id = id;
        this.empty = empty;
        this.added = added;
        this.jobs = jobs;
        this.dispatch = dispatch;
        this.code = code;
    }

    /** Returns the id of the job at this place. */
    static String jobId(BatchPlace place) {
        return place.batch() + SEPARATOR + place.number();
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public long added() {
        return added;
    }

    @Override
    public BatchProgress progress() {
        return progressIn(dispatch.store());
    }

    private BatchProgress progressIn(BatchStore store) {
        BatchProgress progress = progress(store.batch(id));
        if (progress.total() == 0 && !empty) {
            throw notThere(id);
        }
        return progress;
    }

    /**
     * Returns the exception for a batch without jobs. In the store an unused id and a batch without items look alike;
     * only the handle that {@code enqueueAll} returned knows which it is.
     */
    static WorkflowNotFoundException notThere(String id) {
        return new WorkflowNotFoundException("there is no job of batch " + id
                + ", so nothing is known of how far it is. Usual causes: a misspelt id; a transaction that enqueued it and is"
                + " still open, or was rolled back; or no items: of such a batch only the handle that enqueueAll gave knows."
                + " Take the id of that handle, batch.id(), and ask after the commit.");
    }

    static BatchProgress progress(BatchStore.Tally tally) {
        long failed = tally.failed() + tally.discarded();
        return new BatchProgress(
                tally.completed() + failed + tally.open(),
                tally.completed(),
                failed,
                tally.open(),
                tally.discarded(),
                tally.deadLetters(),
                tally.incidents());
    }

    @Override
    public BatchProgress await() {
        return awaitRest(null);
    }

    @Override
    public BatchProgress await(Duration timeout) {
        return awaitRest(timeout);
    }

    private BatchProgress awaitRest(@Nullable Duration timeout) {
        WorkflowCode.mayNot("batch.await()", "wait for batch " + id + " again, with all other runs of the process");
        long began = dispatch.store().clock().nanoTime();
        Dispatch call = timeout == null ? dispatch.begun() : dispatch.begun(timeout);
        BatchProgress now = progressIn(call.store());
        if (now.isAtRest()) {
            return now;
        }
        CompletableFuture<?> rest = dispatch.until(store -> progressIn(store).isAtRest());
        if (timeout == null) {
            ClientWaits.forEver(dispatch, rest);
        } else {
            Duration left = timeout.minusNanos(dispatch.store().clock().nanoTime() - began);
            ClientWaits.atMost(
                    dispatch, rest, left, timeout, "the end of batch " + id + " (jobs are under way: " + now + ")");
        }
        return progress();
    }

    @Override
    public long cancel(String reason) {
        dispatch.store().refuseIfForeign();
        Messages messages = new Messages(dispatch, code);
        long asked = 0;
        List<BatchStore.Member> page = members(-1);
        while (!page.isEmpty()) {
            asked += messages.cancelAll(
                    page.stream()
                            .map(BatchStore.Member::run)
                            .filter(job -> !job.status().closed())
                            .map(RunRecord::run)
                            .toList(),
                    reason);
            page = members(page.getLast().number());
        }
        return asked;
    }

    /** Returns the places in batches of those of the runs that are jobs of a batch. */
    static Map<RunKey, BatchPlace> placesOf(BatchStore store, Collection<RunKey> jobs) {
        Map<BatchPlace, RunKey> possible = new HashMap<>();
        for (RunKey job : jobs) {
            String workflowId = job.workflowId();
            int slash = workflowId.lastIndexOf(SEPARATOR);
            if (slash > 0 && workflowId.substring(slash + 1).matches("[0-9]{1,9}")) {
                possible.put(
                        new BatchPlace(
                                workflowId.substring(0, slash), Integer.parseInt(workflowId.substring(slash + 1))),
                        job);
            }
        }
        Set<BatchPlace> held = possible.isEmpty() ? Set.of() : store.held(possible);
        return held.stream().collect(Collectors.toMap(possible::get, place -> place));
    }

    private List<BatchStore.Member> members(int after) {
        return dispatch.store().members(id, after, PAGE);
    }

    @Override
    public <T> Stream<BatchResult<T>> results(Class<T> type) {
        return results((Type) type);
    }

    @Override
    public <T> Stream<BatchResult<T>> results(TypeRef<T> type) {
        return results(type.type());
    }

    private <T> Stream<BatchResult<T>> results(Type type) {
        return Stream.iterate(
                        members(-1),
                        page -> !page.isEmpty(),
                        page -> members(page.getLast().number()))
                .flatMap(List::stream)
                .map(member -> result(member, type));
    }

    private <T> BatchResult<T> result(BatchStore.Member member, Type type) {
        RunRecord run = member.run();
        boolean discarded = run.status() == WorkflowStatus.COMPLETED && run.failure() != null;
        String jobId = run.run().workflowId();
        @Nullable T value = discarded || run.result() == null ? null : value(jobId, run.result(), type);
        return new BatchResult<>(member.number(), jobId, run.status(), discarded, value, failure(run.failure()));
    }

    private <T> @Nullable T value(String jobId, String result, Type type) {
        Supplier<String> wayOut =
                () -> "Usually another type was asked for than the activity's method returns: ask for" + " that one.";
        return Results.cast(code.payloads().decodeFor(new Payload(result), type, "the result of job " + jobId, wayOut));
    }

    private @Nullable String failure(@Nullable String json) {
        return json == null ? null : code.failures().fromJson(json).typeAndMessage();
    }

    @Override
    public <A> String onCompletion(Class<A> type, VoidCall<A> call) {
        // No other connection sees the jobs that the caller's transaction has enqueued: the watching job finds them
        // later.
        if (!empty && dispatch.transaction().isEmpty()) {
            progress();
        }
        return jobs.whenAtRest(id, empty, type, call);
    }

    static String idOfFollowing(String batch, ActivityMethod activity) {
        return batch + SEPARATOR + activity.name();
    }

    static String idOfWatching(String following) {
        return following + SEPARATOR + "watch";
    }

    @Override
    public WorkflowQuery jobs() {
        return new Listing(
                jobs.client(),
                jobs::job,
                dispatch.store().views(),
                code.registry(),
                RunFilter.ALL.batch(id).newestFirst(false),
                jobs::verbs);
    }
}
