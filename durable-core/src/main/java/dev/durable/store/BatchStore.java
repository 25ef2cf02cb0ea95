package dev.durable.store;

import dev.durable.internal.text.Portion;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The part of the store's SPI for batches of background jobs: the runs that were started {@linkplain NewRun#place at a
 * place} of a batch. Part of a {@link HistoryStore}.
 */
public interface BatchStore {

    /** The counts of a batch; all zero if no run was ever started in it. */
    Tally batch(String batch);

    /**
     * The jobs of a batch in the order of their numbers, at most a {@linkplain Portion portion}.
     *
     * @param after only jobs with higher numbers; -1 for the first page
     */
    List<Member> members(String batch, int after, int limit);

    /**
     * Returns those of these places at which this very run stands.
     *
     * @param runs the run that may stand at each place
     */
    Set<BatchPlace> held(Map<BatchPlace, RunKey> runs);

    /**
     * A job of a batch: its number in the batch and its run.
     *
     * @param number the number of its item, from 0
     * @param run its run; if it was completed by being discarded, its failure says why
     */
    record Member(int number, RunRecord run) {}

    /**
     * The counts of a batch's jobs by how far they have come.
     *
     * @param completed ended with a result
     * @param discarded ended without a result: discarded, because the options say so of exhausted jobs or because an
     *     operator did so
     * @param failed failed, timed out, cancelled or terminated
     * @param open not ended, including dead letters and incidents
     * @param deadLetters open jobs that are dead letters
     * @param incidents open jobs that are incidents
     */
    record Tally(long completed, long discarded, long failed, long open, long deadLetters, long incidents) {}
}
