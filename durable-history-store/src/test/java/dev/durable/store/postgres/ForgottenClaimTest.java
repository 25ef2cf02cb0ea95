package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.store.ClaimedRun;
import dev.durable.store.RunClaim;
import dev.durable.store.RunKey;
import dev.durable.store.Transition;
import dev.durable.store.contract.StoreContract;
import dev.durable.store.contract.StoreFixture;
import dev.durable.store.contract.Writer;
import dev.durable.store.postgres.internal.sql.SchemaName;
import dev.durable.store.postgres.internal.sql.TransactionSettings;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Claims of runs are committed without waiting for the disk: a server that breaks down may forget one, and a client may
 * lose the answer.
 */
class ForgottenClaimTest extends StoreContract {

    @Override
    protected StoreFixture newFixture() {
        return new PostgresFixture();
    }

    @Test
    void who_held_a_claim_that_was_forgotten_writes_nothing_and_the_run_is_claimed_again() {
        started("order-1");
        Writer holder = forgotten(claimRuns(session).getFirst());

        assertThat(holder.write(holder.step().schedules(1))).isEqualTo(Transition.Outcome.FENCE_LOST);
        assertThat(claimedIds(openSession())).containsExactly("order-1");
    }

    @Test
    void a_cached_instance_goes_on_where_the_claim_of_another_was_forgotten() {
        Writer cached = claimed("order-1");
        cached.write(cached.step().schedules(1));
        signalled(cached.run(), "approve");
        advance(OWNED);
        Writer other = forgotten(claimRuns(openSession()).getFirst());

        assertThat(cached.write(cached.step().consumes(waiting(cached.run()).getFirst())))
                .isEqualTo(Transition.Outcome.APPLIED);
        assertThat(other.write(other.step().schedules(2))).isEqualTo(Transition.Outcome.FENCE_LOST);
    }

    /** The connection of the claim is lost, and its backend has not noticed yet. */
    @Test
    void a_claim_that_still_runs_on_the_server_holds_up_nobody_and_what_it_takes_is_had_when_it_is_through() {
        RunKey run = started("order-1");
        UUID lost = UUID.randomUUID();
        Holder running = Holder.of("update durable.run_state set fence = '" + lost + "', owned_until = durable.clock()"
                + " + interval '15 s', last_session = '" + session + "' where run_id = '" + run.runId() + "'");

        assertThat(naming(lost)).as("while it has the row").isEmpty();
        running.commit();

        assertThat(naming(lost))
                .extracting(claimed -> claimed.run().workflowId())
                .containsExactly("order-1");
        assertThat(naming(lost)).as("it stands under another fence now").isEmpty();
    }

    private List<ClaimedRun> naming(UUID lost) {
        return store.claimRuns(
                        new RunClaim(session, Set.of(QUEUE), Set.of(TYPE), 10, OWNED, UUID.randomUUID(), Set.of(lost)))
                .runs();
    }

    @Test
    void nothing_else_that_waits_for_a_commit_is_committed_like_that() {
        SchemaName schema = new SchemaName(SchemaName.DEFAULT);

        for (TransactionSettings locks : TransactionSettings.values()) {
            assertThat(locks.setup(schema).contains("synchronous_commit"))
                    .as(locks.name())
                    .isEqualTo(locks == TransactionSettings.CLAIM);
        }
    }

    /** Sets the row to its state before the claim, as it is after a server broke down before the claim was on disk. */
    private Writer forgotten(ClaimedRun claim) {
        UUID runId = claim.run().runId();
        Sql.execute(
                PostgresFixture.pool(),
                "update durable.run_state set fence = '" + claim.previousFence()
                        + "', owned_until = null, last_session = null" + " where run_id = '" + runId + "'");
        return writer(claim);
    }
}
