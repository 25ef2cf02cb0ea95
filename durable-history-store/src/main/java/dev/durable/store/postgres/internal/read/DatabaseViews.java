package dev.durable.store.postgres.internal.read;

import dev.durable.client.AuditEntry;
import dev.durable.client.WaitingReason;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.StoredEvent;
import dev.durable.store.AuditFilter;
import dev.durable.store.FailedJobGroup;
import dev.durable.store.JobFilter;
import dev.durable.store.Nudges;
import dev.durable.store.OpenJob;
import dev.durable.store.RunDetails;
import dev.durable.store.RunFilter;
import dev.durable.store.RunRecord;
import dev.durable.store.Views;
import dev.durable.store.postgres.internal.job.FailedJobs;
import dev.durable.store.postgres.internal.run.RunReads;
import dev.durable.store.postgres.internal.sql.Connections;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Answers listings, descriptions and histories from one database. */
public class DatabaseViews implements Views {
    /** The reads of histories and inboxes, which the engine uses, too. */
    protected final RunReads runReads;

    protected final Listings listings;
    protected final FailedJobs failedJobs;
    protected final OpenJobs openJobs;
    private final Descriptions descriptions;
    private final AuditRows audit;

    protected DatabaseViews(Connections connections, Nudges nudges) {
        runReads = new RunReads(connections);
        listings = new Listings(connections);
        openJobs = new OpenJobs(connections);
        failedJobs = new FailedJobs(connections, nudges);
        descriptions = new Descriptions(connections);
        audit = new AuditRows(connections);
    }

    @Override
    public List<StoredEvent> history(UUID runId, long fromEventId, int limit) {
        return runReads.history(runId, fromEventId, limit);
    }

    @Override
    public Optional<RunRecord> run(UUID runId) {
        return listings.run(runId);
    }

    @Override
    public Optional<RunRecord> latestRun(String workflowId) {
        return listings.latest(workflowId);
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
    public List<FailedJobGroup> buried(JobFilter filter, int limit) {
        return failedJobs.groups(filter, limit);
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
    public List<AuditEntry> audit(AuditFilter filter, int limit) {
        return audit.page(filter, limit);
    }

    @Override
    public Optional<RunDetails> details(UUID runId) {
        return descriptions.of(runId);
    }

    @Override
    public Map<UUID, String> stalledBy(Collection<UUID> runIds) {
        return descriptions.stalledBy(runIds);
    }

    @Override
    public List<WaitingReason> waitingReasons(UUID runId) {
        return descriptions.waitingReasons(runId);
    }
}
