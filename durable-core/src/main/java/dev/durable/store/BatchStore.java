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
    Tally batch(String batch);

    /**
     * Its jobs in the order of their numbers, at most a {@linkplain Portion portion}.
     *
     * @param after those with higher numbers; -1 for the first page
     */
    List<Member> members(String batch, int after, int limit);

    /**
     * Which of these places have this run.
     *
     * @param runs the run that may stand at each place
     */
    Set<BatchPlace> held(Map<BatchPlace, RunKey> runs);

    /**
     * A job of a batch: its number in the batch and its run.
     *
     * @param number the number of its item, from 0
     * @param run its run; of a completed one that was discarded the failure says why
     */
    record Member(int number, RunRecord run) {}

    /**
     * The counts of a batch's jobs by how far they have come.
     *
     * @param completed ended with a result
     * @param discarded ended without, because what happens to exhausted ones is to be discarded, or an operator said so
     * @param failed failed, timed out, cancelled or terminated
     * @param open not ended; dead letters and incidents are among them
     * @param deadLetters open ones that are dead letters
     * @param incidents open ones that are incidents
     */
    record Tally(long completed, long discarded, long failed, long open, long deadLetters, long incidents) {}
}
