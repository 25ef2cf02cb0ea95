package dev.durable.store.postgres.internal.queue;

import dev.durable.StoreRefusedException;
import dev.durable.store.JobClaim;
import dev.durable.store.JobKey;
import dev.durable.store.RunKey;
import dev.durable.store.postgres.internal.job.JobSql;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.RefusedRows;
import dev.durable.store.postgres.internal.sql.SafeText;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.TransactionSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Finds the job whose claim the database refuses, so that it holds up the others, and makes it an incident: no worker
 * of any release can claim it.
 */
record RefusedJob(Connections connections, JobClaim claim) implements RefusedRows.Kind<JobKey> {
    private static final String FINGERPRINT = "a claim of it is refused by the database";

    @Override
    public Optional<JobKey> first(Set<JobKey> without) {
        JobClaim those = JobClaims.without(claim, without);
        String sql = JobSql.first(those.without().isEmpty() ? JobSql.CLAIM : JobSql.CLAIM_WITHOUT);
        Param[] params = JobClaims.candidates(those, 1).toArray(Param[]::new);
        return connections.transaction(TransactionSettings.SHORT, tx -> {
            List<JobKey> found = new ArrayList<>();
            tx.last(new SqlScript()
                    .read(
                            sql,
                            row -> found.add(new JobKey(
                                    new RunKey(row.getObject("run_id", UUID.class), row.getString("workflow_id")),
                                    row.getInt("seq"))),
                            params));
            return found.stream().findFirst();
        });
    }

    /**
     * Finds out whether the claim of this job is refused, by a claim of it alone that is rolled back. It is not enough
     * that the job would have been the first of the claim: another worker may have had it locked, so that the claim
     * skipped it and failed on the job behind it.
     */
    private boolean isRefused(JobKey job) {
        try {
            return connections.transaction(TransactionSettings.SHORT, tx -> {
                tx.run(new SqlScript()
                        .then(
                                JobSql.CLAIM_ONE,
                                Param.of(UUID.randomUUID()),
                                Param.of(claim.session()),
                                Param.of(job.run().runId()),
                                Param.of((short) job.run().shard()),
                                Param.of(job.seq()))
                        .then("set constraints all immediate"));
                throw new NotRefused();
            });
        } catch (StoreRefusedException refused) {
            return true;
        } catch (NotRefused rolledBack) {
            return false;
        }
    }

    private static final class NotRefused extends RuntimeException {
        private static final long serialVersionUID = 1L;

        NotRefused() {
            super("the database lets it be claimed", null, false, false);
        }
    }

    @Override
    public boolean setAside(JobKey job, StoreRefusedException why) {
        if (!isRefused(job)) {
            return false;
        }
        try {
            return connections.transaction(TransactionSettings.SHORT, tx -> {
                tx.last(new SqlScript()
                        .then(
                                JobSql.SET_ASIDE,
                                Param.of(FINGERPRINT),
                                Param.of(SafeText.storable("no worker can claim it: " + why.getMessage())),
                                Param.of(job.run().runId()),
                                Param.of((short) job.run().shard()),
                                Param.of(job.seq())));
                return true;
            });
        } catch (StoreRefusedException refused) {
            return false;
        }
    }
}
