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
import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.history.Payload;
import dev.durable.history.WorkflowCancelRequested;
import dev.durable.internal.client.access.ClientCode;
import dev.durable.internal.client.access.ClientWaits;
import dev.durable.internal.client.access.Dispatch;
import dev.durable.internal.client.access.Messages;
import dev.durable.internal.replay.BackgroundJob;
import dev.durable.store.Delivery;
import dev.durable.store.OutgoingMessage;
import dev.durable.store.QueueRules;
import dev.durable.store.RunFilter;
import dev.durable.store.RunRecord;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** Starts and finds operations on many runs, and asks the runs of a page of one. */
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
            return Results.cast(code.payloads()
                    .decode(new Payload(json), OperationProgress.class, "the progress of operation " + id()));
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
            job.cancel(reason);
        }
    }

    // ── a page ───────────────────────────────────────────────────────────────────────────────────────────────────────

    long nanoTime() {
        return dispatch.store().clock().nanoTime();
    }

    List<RunRecord> runs(RunFilter filter, int limit) {
        // Not by a replica, which may not have the runs that were started last.
        return dispatch.store().runs(filter, limit);
    }

    /**
     * Does what an operation does to the runs of a page; returns how many runs were changed or asked.
     *
     * @param operation the id of the operation
     */
    long apply(OperationOrder order, String operation, List<RunRecord> page) {
        List<RunRecord> runs = page.stream()
                .filter(run -> !run.run().workflowId().equals(operation))
                .toList();
        Endings endings = new Endings(dispatch, code, order.actor());
        return switch (order.verb()) {
            case CANCEL, SIGNAL ->
                send(runs.stream()
                        .filter(run -> order.signal() == null || !isJob(run))
                        .map(run -> message(order, operation, run))
                        .toList());
            case TERMINATE ->
                runs.stream()
                        .filter(run -> endings.terminate(run.run().workflowId(), chain(run), order.reason()))
                        .count();
            case PAUSE ->
                runs.stream()
                        .filter(run -> !isJob(run) && endings.pause(run.run().workflowId(), chain(run), order.reason()))
                        .count();
            case RESUME ->
                runs.stream()
                        .filter(run -> !isJob(run) && endings.resume(run.run().workflowId(), chain(run)))
                        .count();
            case RETRY ->
                runs.stream()
                        .filter(run -> endings.retry(run.run().workflowId(), chain(run)))
                        .count();
            case MOVE -> {
                String build = Objects.requireNonNull(order.build());
                yield runs.stream()
                        .filter(run -> !isJob(run) && endings.moveTo(run.run().workflowId(), chain(run), build))
                        .count();
            }
        };
    }

    private static boolean isJob(RunRecord run) {
        return run.type().equals(BackgroundJob.TYPE);
    }

    private static UUID chain(RunRecord run) {
        return run.links().chainId();
    }

    private static Delivery message(OperationOrder order, String operation, RunRecord run) {
        UUID source = UUID.nameUUIDFromBytes(operation.getBytes(StandardCharsets.UTF_8));
        UUID chain = chain(run);
        UUID id = OutgoingMessage.messageId(
                new UUID(
                        source.getMostSignificantBits() ^ chain.getMostSignificantBits(),
                        source.getLeastSignificantBits() ^ chain.getLeastSignificantBits()),
                1);
        String workflowId = run.run().workflowId();
        if (order.signal() != null && order.input() != null) {
            return new Delivery(
                    workflowId,
                    chain,
                    new InboxMessage(id, MessageKind.SIGNAL, order.signal(), order.input(), null, null));
        }
        InboxMessage request =
                Messages.cancellation(new WorkflowCancelRequested(1, Instant.EPOCH, id, order.reason(), order.actor()));
        return new Delivery(workflowId, chain, request, order.actor());
    }

    /** Sends messages together, so that they share commits; returns how many runs have accepted theirs. */
    private long send(List<Delivery> deliveries) {
        List<CompletableFuture<Delivery.Outcome>> sent = new ArrayList<>();
        deliveries.forEach(delivery -> sent.add(dispatch.deliver(delivery)));
        long accepted = 0;
        for (int i = 0; i < sent.size(); i++) {
            accepted += accepts(deliveries.get(i), sent.get(i)) ? 1 : 0;
        }
        return accepted;
    }

    private boolean accepts(Delivery delivery, CompletableFuture<Delivery.Outcome> sent) {
        CompletableFuture<Delivery.Outcome> answer = sent;
        for (int attempt = 1; attempt <= Messages.TRIES_WHILE_CLOSING; attempt++) {
            switch (ClientWaits.forAnswer(dispatch, answer, "an operation on " + delivery.workflowId())) {
                case ACCEPTED -> {
                    return true;
                }
                case NOT_FOUND, INBOX_FULL, INBOX_TOO_LARGE -> {
                    return false;
                }
                case CLOSING, LOCKED -> {
                    dispatch.breathe();
                    answer = dispatch.deliver(delivery);
                }
            }
        }
        return false;
    }
}
