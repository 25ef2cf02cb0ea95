package dev.durable.client;

import dev.durable.BatchHandle;
import dev.durable.BatchProgress;
import dev.durable.DurableClient;
import dev.durable.WaitTimedOutException;
import dev.durable.WorkflowQuery;
import dev.durable.WorkflowStatus;
import dev.durable.store.RunFilter;
import dev.durable.store.RunRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A batch is what its jobs' ids have in common. */
final class JobBatch implements BatchHandle {
    private static final int PAGE = 500;
    private static final String SEPARATOR = "/";

    private final String id;
    private final DurableClient client;
    private final Dispatch dispatch;
    private final RunFilter filter;

    JobBatch(String id, DurableClient client, Dispatch dispatch) {
        this.id = id;
        this.client = client;
        this.dispatch = dispatch;
        this.filter = RunFilter.ALL.workflowIdPrefix(id + SEPARATOR).newestFirst(false);
    }

    /** The id of its job with this number. */
    static String jobId(String batch, int number) {
        return batch + SEPARATOR + number;
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public BatchProgress progress() {
        Map<WorkflowStatus, Long> counts = dispatch.store().tally(filter);
        long total = counts.values().stream().mapToLong(Long::longValue).sum();
        long completed = counts.getOrDefault(WorkflowStatus.COMPLETED, 0L);
        long open = counts.getOrDefault(WorkflowStatus.RUNNING, 0L);
        return new BatchProgress(total, completed, total - completed - open, open);
    }

    @Override
    public BatchProgress await() {
        return awaitUntil(null);
    }

    @Override
    public BatchProgress await(Duration timeout) {
        return awaitUntil(dispatch.store().clock().now().plus(timeout));
    }

    private BatchProgress awaitUntil(@Nullable Instant deadline) {
        RunFilter stillOpen = filter.statuses(Set.of(WorkflowStatus.RUNNING));
        List<RunRecord> open = dispatch.store().runs(stillOpen, PAGE);
        while (!open.isEmpty()) {
            open.forEach(job -> awaitEnd(job, deadline));
            open = dispatch.store().runs(stillOpen, PAGE);
        }
        return progress();
    }

    private void awaitEnd(RunRecord job, @Nullable Instant deadline) {
        var end = dispatch.result(job.run().runId());
        if (deadline == null) {
            Waiting.forEver(dispatch, end);
            return;
        }
        Duration left = Duration.between(dispatch.store().clock().now(), deadline);
        if (left.isNegative()) {
            end.cancel(false);
            throw new WaitTimedOutException("the end of batch " + id + " did not come in time: " + progress());
        }
        Waiting.atMost(dispatch, end, left, "the end of batch " + id);
    }

    @Override
    public WorkflowQuery jobs() {
        return client.workflows().where(jobs -> jobs.workflowIdPrefix(id + SEPARATOR));
    }
}
