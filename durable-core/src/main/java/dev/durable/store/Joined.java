package dev.durable.store;

/** Writes starts and messages inside a transaction that the caller has open; they exist exactly if it commits. */
public interface Joined {
    /**
     * Starts a run inside the transaction. Its first turn runs after the commit, on a worker. A message for a run that is
     * open is sent after the commit, as by {@link #deliver}, and told as ACCEPTED; if that run has closed by then, the
     * start is made then, and its message goes with it.
     */
    StartOutcome start(NewRun run);

    /**
     * Sends a message after the commit, in the order of the calls: only the outbox is written, so that nobody waits for
     * this transaction, and {@link HistoryStore#relay} delivers. Its id is replaced by one derived from its place in the
     * outbox. A message whose target is not there by then is dropped.
     */
    void deliver(Delivery delivery);
}
