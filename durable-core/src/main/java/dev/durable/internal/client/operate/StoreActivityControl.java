package dev.durable.internal.client.operate;

import dev.durable.ActivityOptionsBuilder;
import dev.durable.RefusedInputException;
import dev.durable.StaleAttemptException;
import dev.durable.client.ActivityControl;
import dev.durable.client.ActivitySummary;
import dev.durable.history.OptionsJson;
import dev.durable.internal.text.Bounds;
import dev.durable.store.JobFilter;
import dev.durable.store.JobOrder;
import dev.durable.store.JobOrder.Outcome;
import dev.durable.store.OpenJob;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Implements {@link ActivityControl} for one activity, by workflow id and number. */
public final class StoreActivityControl implements ActivityControl {
    private final Operations operations;
    private final JobFilter which;
    private final OperatorOrders orders;

    public StoreActivityControl(Operations operations, JobFilter which, String actor) {
        this.operations = operations;
        this.which = which;
        this.orders = new OperatorOrders(operations, actor);
    }

    @Override
    public ActivityControl by(String actor) {
        return new StoreActivityControl(operations, which, Bounds.actor(actor));
    }

    @Override
    public ActivitySummary describe() {
        return operations.find(which).map(ActivityListing::summary).orElseThrow(this::gone);
    }

    @Override
    public boolean retry() {
        return order(orders::retry);
    }

    @Override
    public boolean runNow() {
        return order(orders::runNow);
    }

    @Override
    public boolean reschedule(Instant at) {
        Function<OpenJob, @Nullable JobOrder> order = orders.reschedule(at);
        return order(job -> {
            JobOrder given = order.apply(job);
            if (given == null) {
                throw new RefusedInputException("reschedule(" + at + "): " + job.activity() + " of "
                        + job.key().run().shown() + " expires at "
                        + OptionsJson.decode(job.options()).expiresAt()
                        + ", before it would begin: it would never run. Name an earlier time, or let it expire.");
            }
            return given;
        });
    }

    @Override
    public boolean pause() {
        return order(orders::pause);
    }

    @Override
    public boolean resume() {
        return order(orders::resume);
    }

    @Override
    public void updateTimeout(Duration timeout) {
        order(orders.updateTimeout(timeout));
    }

    @Override
    public void updateOptions(Consumer<ActivityOptionsBuilder> change) {
        order(job -> orders.options(job, change));
    }

    @Override
    public void complete(@Nullable Object value) {
        order(orders.complete(value));
    }

    @Override
    public void fail(Throwable failure) {
        order(orders.fail(failure));
    }

    @Override
    public boolean cancel(String reason) {
        return order(job -> {
            if (!operations.isJob(job)) {
                throw new RefusedInputException("cancel: " + job.activity() + " was called by workflow "
                        + job.key().run().shown()
                        + ", whose code cancels it. Cancel the workflow, or end the activity with"
                        + " complete(…) or fail(…).");
            }
            return orders.cancel(job, reason);
        });
    }

    private boolean order(Function<OpenJob, JobOrder> decide) {
        Outcome outcome = operations.carryOut(which, job -> job == null ? null : decide.apply(job));
        if (outcome == Outcome.NOT_FOUND) {
            throw gone();
        }
        return Operations.isDone(outcome);
    }

    private StaleAttemptException gone() {
        return new StaleAttemptException("STALE: activity " + which.seq() + " of workflow "
                + Bounds.shown(String.valueOf(which.workflowId()))
                + " is not open: it ended, or its run did, or it is local. Nothing was written.");
    }
}
