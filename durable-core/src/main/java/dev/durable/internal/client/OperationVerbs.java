package dev.durable.internal.client;

import dev.durable.WorkflowNotFoundException;
import dev.durable.client.ActivityHandle;
import dev.durable.client.Operation;
import dev.durable.client.OperationProgress;
import dev.durable.client.Operations;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowDescription;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.ActivityCancelled;
import dev.durable.history.Payload;
import dev.durable.internal.client.access.ClientCode;
import dev.durable.internal.client.access.Dispatch;
import dev.durable.internal.json.JsonObjectWriter;
import dev.durable.store.JobOrder;
import dev.durable.store.QueueRules;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Starts and finds operations on many runs. */
final class OperationVerbs implements Operations {
    private static final String ACTIVITY = QueueRules.OPERATION;
    private static final String DEFAULT_QUEUE = "default";

    private final Dispatch dispatch;
    private final ClientCode code;
    private final JobClient jobs;

    OperationVerbs(Dispatch dispatch, ClientCode code, JobClient jobs) {
        this.dispatch = dispatch;
        this.code = code;
        this.jobs = jobs;
    }

    // ── starting and finding ─────────────────────────────────────────────────────────────────────────────────────────

    /** Starts an operation. */
    Operation start(OperationOrder order) {
        String id = "operation-" + order.verb().shown() + "-" + code.random().get();
        StartOptions options = StartOptions.id(id)
                .by(order.actor())
                .memo("action", order.verb().shown())
                .memo("actor", order.actor())
                .memo("reason", order.reason());
        Payload arguments = code.payloads().encodeArguments(ACTIVITY, new Object[] {order});
        jobs.enqueueOnce(options, new JobCall(ACTIVITY, arguments, BatchFollower.options(queue()), null, jobs.now()));
        return one(id);
    }

    /** Returns a task queue that a living worker serves, {@code default} if possible. */
    private String queue() {
        Set<String> served = new TreeSet<>();
        dispatch.store().sessions().stream()
                .filter(worker -> !worker.dead())
                .forEach(worker -> served.addAll(
                        worker.served() == null
                                ? Set.of(DEFAULT_QUEUE)
                                : worker.served().queues()));
        return served.isEmpty() || served.contains(DEFAULT_QUEUE)
                ? DEFAULT_QUEUE
                : served.iterator().next();
    }

    @Override
    public List<Operation> newest(int limit) {
        return jobs.listing().where(job -> job.activity(ACTIVITY)).newestFirst().page(limit).stream()
                .map(row -> (Operation) new Started(row.job()))
                .toList();
    }

    @Override
    public Operation one(String id) {
        ActivityHandle job = jobs.job(id);
        if (!job.activity().equals(ACTIVITY)) {
            throw new WorkflowNotFoundException(
                    id + " is a background job of " + job.activity() + " and no operation. Use client.job(id).");
        }
        return new Started(job);
    }

    @Override
    public Operation resume(String id) {
        one(id);
        jobs.enqueueAgain(id);
        return one(id);
    }

    /** An operation that was started: its job. */
    private final class Started implements Operation {
        private final ActivityHandle job;

        Started(ActivityHandle job) {
            this.job = job;
        }

        @Override
        public String id() {
            return job.id();
        }

        @Override
        public OperationProgress progress() {
            WorkflowDescription now = job.describe();
            if (now.summary().status() == WorkflowStatus.COMPLETED) {
                return await();
            }
            Stream<String> pending =
                    now.activities().stream().flatMap(activity -> Stream.ofNullable(activity.heartbeatDetails()));
            String last = Stream.concat(pending, now.summary().status().closed() ? lastOfEnded() : Stream.empty())
                    .findFirst()
                    .orElse(null);
            Map<String, String> memo = now.summary().memo();
            return last == null
                    ? new OperationProgress(
                            memo.getOrDefault("action", ""),
                            memo.getOrDefault("actor", ""),
                            memo.getOrDefault("reason", ""),
                            0,
                            0,
                            null)
                    : read(last);
        }

        private Stream<String> lastOfEnded() {
            return job.history()
                    .events(ActivityCancelled.class)
                    .flatMap(end -> Stream.ofNullable(end.lastHeartbeatDetails()))
                    .map(Payload::json);
        }

        private OperationProgress read(String json) {
            OperationState state = Results.cast(code.payloads()
                    .decode(new Payload(json), OperationState.class, "the progress of operation " + id()));
            return state.progress();
        }

        @Override
        public OperationProgress await() {
            return Results.cast(job.resultAs(OperationProgress.class));
        }

        @Override
        public OperationProgress await(Duration timeout) {
            return Results.cast(job.resultAs(OperationProgress.class, timeout));
        }

        @Override
        public void stop(String reason) {
            OperationProgress now = progress();
            job.cancel(reason);
            String details = JsonObjectWriter.object(out ->
                    out.string("reason", reason).number("done", now.done()).number("passed", now.passed()));
            dispatch.begun()
                    .store()
                    .audit(
                            new JobOrder.Audit(code.random().get(), code.identity(), OperationOrder.STOP, details),
                            id());
        }
    }
}
