package dev.durable.store;

import dev.durable.client.AuditEntry;
import dev.durable.client.WaitingReason;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.StoredEvent;
import dev.durable.internal.text.Portion;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * The reads of a store that only show something and decide nothing: histories, runs and jobs, one at a time or by
 * filter. Code that only shows values takes {@link HistoryStore#views}.
 */
public interface Views {

    /** Events from that id on, at most {@code limit}, in order. */
    List<StoredEvent> history(UUID runId, long fromEventId, int limit);

    Optional<RunRecord> run(UUID runId);

    /** The open run of this workflow id, else the one that closed last. */
    Optional<RunRecord> latestRun(String workflowId);

    /** A page of a listing, at most a {@linkplain Portion portion} of it: the next one begins after its last run. */
    List<RunRecord> runs(RunFilter filter, int limit);

    /** The number of runs in a listing, counted up to that many. */
    long count(RunFilter filter, long limit);

    /** The number of runs in a listing. */
    default long count(RunFilter filter) {
        return count(filter, Long.MAX_VALUE);
    }

    /** Dead letters and incidents in groups that failed alike, the latest first. */
    List<FailedJobGroup> buried(JobFilter filter, int limit);

    /**
     * A page of open jobs, in the order of {@link JobKey#LOCK_ORDER}, at most a {@linkplain Portion portion}. Their
     * arguments and notes, which may be large, are there only if the filter {@linkplain JobFilter#isOne names one job}.
     */
    List<OpenJob> jobs(JobFilter filter, int limit);

    /** The number of open jobs of all pages, counted up to that many. */
    long count(JobFilter filter, long limit);

    /** The number of open jobs of all pages. */
    default long count(JobFilter filter) {
        return count(filter, Long.MAX_VALUE);
    }

    /** The number of runs of a listing in each state; states without any are not there. */
    Map<WorkflowStatus, Long> tally(RunFilter filter);

    /** A page of the audit, the latest first. */
    List<AuditEntry> audit(AuditFilter filter, int limit);

    /** All that a description shows of a run. */
    Optional<RunDetails> details(UUID runId);

    /** Why these runs can't go on for now; those that can, or are not open, are not there. */
    Map<UUID, String> stalledBy(Collection<UUID> runIds);

    /** What a run waits for, in the order in which it is shown; nothing where the run is not open. */
    List<WaitingReason> waitingReasons(UUID runId);
}
