package dev.durable.store.postgres.internal.sql;

import java.util.function.Consumer;

/**
 * Nudges that travel behind the COMMIT of the transaction that they tell of, in the same round trip. For one
 * transaction and one thread.
 */
public final class NudgePassage {
    private final SqlScript.Statement statement;
    private final Runnable onArrival;
    private final Consumer<Exception> onFailure;
    private boolean arrived;

    /**
     * @param statement tells the others, in a transaction of its own
     * @param onArrival told when it got through
     * @param onFailure told when it may not have
     */
    public NudgePassage(SqlScript.Statement statement, Runnable onArrival, Consumer<Exception> onFailure) {
        this.statement = statement;
        this.onArrival = onArrival;
        this.onFailure = onFailure;
    }

    SqlScript.Statement statement() {
        return statement;
    }

    /** The transaction has committed, and this with it. */
    void arrive() {
        arrived = true;
        onArrival.run();
    }

    /** The answer was an error, though the transaction may have committed. */
    void fail(Exception e) {
        onFailure.accept(e);
    }

    /** Whether others know; where not, the nudges have to be sent. */
    public boolean hasArrived() {
        return arrived;
    }
}
