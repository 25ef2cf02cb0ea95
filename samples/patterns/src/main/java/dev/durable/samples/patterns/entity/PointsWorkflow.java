package dev.durable.samples.patterns.entity;

import dev.durable.Durable;
import dev.durable.Query;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Update;
import dev.durable.Workflow;
import java.time.Duration;

// docs: pattern-entity
/** The points of a customer, from the first purchase to the end of the account. The workflow id names the customer. */
@Workflow
public class PointsWorkflow {
    private static final Duration YEAR = Duration.ofDays(365);

    private int points;
    private boolean closed;

    @Run
    public int run(int pointsBefore) {
        points += pointsBefore;
        Durable.await(YEAR, () -> closed || Durable.info().shouldContinueAsNew());
        if (closed) {
            return points;
        }
        throw Durable.continueAsNew(PointsWorkflow.class, w -> w.run(points)); // a new history, the same account
    }

    @Update
    public int add(int more) {
        return points += more;
    }

    @Update
    public int redeem(int less) throws NotEnoughPoints { // one message at a time, so none redeems what another has
        if (points < less) {
            throw new NotEnoughPoints(points);
        }
        return points -= less;
    }

    @Signal
    public void close() {
        closed = true;
    }

    @Query
    public int points() {
        return points;
    }
}
// docs: end
