package dev.durable.store.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.history.InboxMessage;
import dev.durable.store.ClaimedJob;
import dev.durable.store.JobUpdate;
import dev.durable.store.TransactionalActivities;
import dev.durable.store.TransactionalActivities.Outcome;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Activities that settle their job in their own transaction. */
abstract class TransactionalContract extends StoreContract {

    private static final java.time.Duration HOUR = java.time.Duration.ofHours(1);

    private TransactionalActivities transactional() {
        return store.transactional().orElseThrow();
    }

    @Test
    void a_settlement_is_written_once_the_body_has_given_it() {
        Writer writer = scheduled("order-1", 1);
        ClaimedJob job = claimJob(session);

        assertThat(transactional().run(HOUR, tx -> Optional.of(completed(job)))).isEqualTo(Outcome.COMMITTED);

        assertThat(jobStates(writer.run())).isEmpty();
        assertThat(waiting(writer.run())).extracting(InboxMessage::messageId).containsExactly(job.lease());
        assertThat(update(completed(job))).as("sent again").isEqualTo(JobUpdate.Outcome.DUPLICATE);
        assertThat(update(retry(job, java.time.Duration.ZERO)))
                .as("a failure after it")
                .isEqualTo(JobUpdate.Outcome.STALE);
    }

    @Test
    void a_body_without_a_settlement_leaves_the_job_as_it_was() {
        Writer writer = scheduled("order-1", 1);
        ClaimedJob job = claimJob(session);

        assertThat(transactional().run(HOUR, tx -> Optional.empty())).isEqualTo(Outcome.ROLLED_BACK);

        assertThat(waiting(writer.run())).isEmpty();
        assertThat(update(completed(job))).isEqualTo(JobUpdate.Outcome.ACCEPTED);
    }

    @Test
    void what_a_body_throws_comes_out_and_the_job_is_as_it_was() {
        Writer writer = scheduled("order-1", 1);
        ClaimedJob job = claimJob(session);

        assertThatThrownBy(() -> transactional().run(HOUR, tx -> {
                    throw new IllegalStateException("in the body");
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("in the body");

        assertThat(waiting(writer.run())).isEmpty();
        assertThat(update(completed(job))).isEqualTo(JobUpdate.Outcome.ACCEPTED);
    }

    @Test
    void a_settlement_under_a_lost_lease_is_stale_and_nothing_is_written() {
        Writer writer = scheduled("order-1", 1);
        ClaimedJob lost = claimJob(session);
        declareDead(session);
        store.requeueOrphans(10);
        ClaimedJob second = claimJob(openSession());

        assertThat(transactional().run(HOUR, tx -> Optional.of(completed(lost))))
                .isEqualTo(Outcome.STALE);

        assertThat(waiting(writer.run())).isEmpty();
        assertThat(update(completed(second))).isEqualTo(JobUpdate.Outcome.ACCEPTED);
    }

    @Test
    void a_settlement_after_the_run_was_ended_is_stale() {
        Writer writer = scheduled("order-1", 1);
        ClaimedJob job = claimJob(session);
        terminated(writer.run());

        assertThat(transactional().run(HOUR, tx -> Optional.of(completed(job)))).isEqualTo(Outcome.STALE);
    }

    private void declareDead(java.util.UUID dead) {
        assertThat(store.markDead(dead, 0)).isTrue();
    }
}
