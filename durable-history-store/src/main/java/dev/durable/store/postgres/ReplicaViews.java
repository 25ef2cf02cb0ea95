package dev.durable.store.postgres;

import dev.durable.WorkflowStatus;
import dev.durable.store.BuriedGroup;
import dev.durable.store.JobFilter;
import dev.durable.store.Nudges;
import dev.durable.store.OpenJob;
import dev.durable.store.RunDetails;
import dev.durable.store.RunFilter;
import dev.durable.store.RunRecord;
import dev.durable.store.StoredEvent;
import dev.durable.store.Views;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * Views that a replica answers. It is some behind: what is asked for by name and is not there yet is asked of the primary, so
 * that a run can be looked at as soon as it is started.
 */
final class ReplicaViews implements Views {
    private final Views primary;
    private final RunReads runReads;
    private final Listings listings;
    private final OpenJobs openJobs;
    private final Buried buried;
    private final Descriptions descriptions;

    /** @param replica connections that only read */
    ReplicaViews(Connections replica, Nudges nudges, Views primary) {
        this.primary = primary;
        this.runReads = new RunReads(replica);
        this.listings = new Listings(replica);
        this.openJobs = new OpenJobs(replica);
        this.buried = new Buried(replica, nudges);
        this.descriptions = new Descriptions(replica);
    }

    @Override
    public List<StoredEvent> history(UUID runId, long fromEventId, int limit) {
        List<StoredEvent> page = runReads.history(runId, fromEventId, limit);
        return page.isEmpty() && fromEventId == 1 ? primary.history(runId, fromEventId, limit) : page;
    }

    @Override
    public Optional<RunRecord> run(UUID runId) {
        return listings.run(runId).or(() -> primary.run(runId));
    }

    @Override
    public Optional<RunRecord> latestRun(String workflowId) {
        return listings.latest(workflowId).or(() -> primary.latestRun(workflowId));
    }

    @Override
    public List<RunRecord> runs(RunFilter filter, int limit) {
        return listings.page(filter, limit);
    }

    @Override
    public long count(RunFilter filter, long limit) {
        return listings.count(filter, limit);
    }

    @Override
    public List<BuriedGroup> buried(JobFilter filter, int limit) {
        return buried.groups(filter, limit);
    }

    @Override
    public List<OpenJob> jobs(JobFilter filter, int limit) {
        return openJobs.page(filter, limit);
    }

    @Override
    public long count(JobFilter filter, long limit) {
        return openJobs.count(filter, limit);
    }

    @Override
    public Map<WorkflowStatus, Long> tally(RunFilter filter) {
        return listings.tally(filter);
    }

    @Override
    public Optional<RunDetails> details(UUID runId) {
        return descriptions.of(runId).or(() -> primary.details(runId));
    }
}
