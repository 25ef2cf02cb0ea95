package dev.durable.store;

/** The caller's own open transaction: what is written through it exists exactly if that transaction commits. */
public interface Joined {
    /** Starts a run inside the transaction. Its first turn runs after the commit, on a worker. */
    StartOutcome start(NewRun run);
}
