package dev.durable.store.postgres.internal.sql;

import java.util.function.Consumer;

/**
 * Sends nudges behind the COMMIT of the transaction that they are about, in one round trip with it. For one transaction
 * and one thread.
 */
public final class NudgePassage {
    private final SqlScript.Statement statement;
    private final Runnable onArrival;
    private final Consumer<Exception> onFailure;
    private boolean arrived;

    /**
     *
     * @param statement sends the nudges to other processes, in a transaction of its own
     * @param onArrival called when it got through
     * @param onFailure called when it may not have got through
     */
    public NudgePassage(SqlScript.Statement statement, Runnable onArrival, Consumer<Exception> onFailure) {
        this.statement = statement;
        this.onArrival = onArrival;
        this.onFailure = onFailure;
    }

    SqlScript.Statement statement() {
        return statement;
    }

    /** Called when the transaction has committed, and this statement with it. */
    void arrive() {
        arrived = true;
        onArrival.run();
    }

    /** Called when the answer was an error, though the transaction may have committed. */
    void fail(Exception e) {
        onFailure.accept(e);
    }

    /** Returns whether other processes got the nudges; if not, the nudges have to be sent. */
    public boolean hasArrived() {
        return arrived;
    }
}
