package dev.durable.store;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Batches of background jobs: which runs were started {@linkplain NewRun#place at a place} of which batch. Part of a {@link
 * HistoryStore}.
 */
public interface BatchStore {

    /** How far the batch is; all zero where nothing was ever started in it. */
    BatchTally batch(String batch);

    /**
     * Its jobs in the order of their numbers, at most a {@linkplain Portion portion}.
     *
     * @param after those with higher numbers; -1 for the first page
     */
    List<BatchMember> members(String batch, int after, int limit);

    /**
     * Which of these places have this run.
     *
     * @param runs the run that may stand at each place
     */
    Set<BatchPlace> held(Map<BatchPlace, RunKey> runs);
}
