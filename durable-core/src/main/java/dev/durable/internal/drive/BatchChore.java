package dev.durable.internal.drive;

import java.time.Duration;

/**
 * A chore that takes its work in batches: after a full one it goes on at once, else it sleeps as its pace says. Work
 * that an absent database kept it from doing is found in the database the next time.
 */
public final class BatchChore implements Chore {
    private final PollPace pace;
    private final int batch;
    private final Work work;
    private final ChoreTally tally = new ChoreTally();

    /** The work of a chore. */
    @FunctionalInterface
    public interface Work {
        /** Does at most so much of the work, in as many transactions as it needs; returns how much. */
        int upTo(int most);
    }

    public BatchChore(PollPace pace, int batch, Work work) {
        this.pace = pace;
        this.batch = batch;
        this.work = work;
    }

    @Override
    public Duration interval() {
        return pace.longest();
    }

    @Override
    public ChoreTally tally() {
        return tally;
    }

    @Override
    public Duration runOnce() {
        int done = work.upTo(batch);
        tally.did(done);
        return done >= batch ? AGAIN : done > 0 ? pace.afterFind() : pace.afterNothing();
    }
}
