package dev.durable.store.postgres.internal.job;

import dev.durable.store.JobOrder;
import dev.durable.store.OrderRules;
import dev.durable.store.RunKey;
import java.sql.ResultSet;
import java.sql.SQLException;

/** A job that an order refers to, as the transaction found it under lock. */
record OrderedJob(LockedJob job, JobOrder.Seen seen, boolean paused, boolean waitsForTime) {

    static OrderedJob read(ResultSet row, RunKey run) throws SQLException {
        LockedJob job = LockedJob.read(row, run);
        return new OrderedJob(
                job,
                new JobOrder.Seen(job.lease(), job.attempt(), row.getInt("revision")),
                row.getBoolean("paused"),
                row.getObject("visible_at") != null);
    }

    OrderRules.Found found() {
        return new OrderRules.Found(
                seen, job.isLeased(), job.state().isBuried(), paused, waitsForTime, job.cancelRequested());
    }
}
