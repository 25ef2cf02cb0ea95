package dev.durable.store;

import java.util.Optional;

/** Writes starts and messages inside a transaction that the caller has open; they exist exactly if it commits. */
public interface Joined {
    /**
     * Starts a run inside the transaction. Its first turn runs after the commit, on a worker. A message for a run that
     * is open is sent after the commit, as by {@link #deliver}, and reported as ACCEPTED; if that run has closed by
     * then, the relay starts the new run, with the message.
     */
    StartOutcome start(NewRun run);

    /**
     * Sends a message after the commit, in the order of the calls: only the outbox is written, so that no other
     * transaction waits for this one, and {@link HistoryStore#relay} delivers. Its id is replaced by one derived from
     * its place in the outbox. A message whose target does not exist by then is dropped.
     */
    void deliver(Delivery delivery);

    /**
     * Returns the state of a callback as the transaction sees it, without another connection; empty if its run is not
     * there.
     *
     * @param readTo as in {@link HistoryStore#callback}
     */
    Optional<CallbackState> callback(CallbackToken token, long readTo);
}
