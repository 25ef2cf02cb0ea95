package dev.durable.store.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.StoreUnavailableException;
import dev.durable.store.ClaimedJob;
import dev.durable.store.ClaimedRun;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.Delivery;
import dev.durable.store.HistoryStore;
import dev.durable.store.JobClaim;
import dev.durable.store.JobUpdate;
import dev.durable.store.NewRun;
import dev.durable.store.ReadBack;
import dev.durable.store.RunClaim;
import dev.durable.store.RunKey;
import dev.durable.store.Seizure;
import dev.durable.store.StartOutcome;
import dev.durable.store.Transition;
import dev.durable.store.contract.FaultyStore.Fault;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever answer was lost: sent again, it has happened once. */
abstract class FaultContract extends StoreContract {
    private FaultyStore faulty;
    private HistoryStore unsteady;

    @BeforeEach
    void breakIt() {
        faulty = FaultyStore.over(store);
        unsteady = faulty.store();
    }

    @AfterEach
    void everyFaultWasSeen() {
        assertThat(faulty.allSeen()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    void a_start_happens_once(Fault fault) {
        NewRun run = newRun("order-1").with(signal("hello")).build();
        faulty.next("start", fault);

        assertThatThrownBy(() -> unsteady.start(List.of(run))).isInstanceOf(expected(fault));

        assertThat(unsteady.start(List.of(run)))
                .containsExactly(new StartOutcome.Started(fault == Fault.DONE_BUT_UNKNOWN));
        assertThat(waiting(run.run())).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    void a_signal_with_start_arrives_once_in_the_open_run(Fault fault) {
        RunKey run = started("order-1");
        List<NewRun> sent = List.of(newRun("order-1").tells(signal("hello")).build());
        faulty.next("start", fault);

        assertThatThrownBy(() -> unsteady.start(sent)).isInstanceOf(expected(fault));

        assertThat(unsteady.start(sent))
                .containsExactly(new StartOutcome.AlreadyOpen(run.runId(), TYPE, Delivery.Outcome.ACCEPTED));
        assertThat(waiting(run)).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    void a_message_arrives_once(Fault fault) {
        RunKey run = started("order-1");
        List<Delivery> sent = List.of(new Delivery("order-1", null, signal("approve")));
        faulty.next("deliver", fault);

        assertThatThrownBy(() -> unsteady.deliver(sent)).isInstanceOf(expected(fault));

        assertThat(unsteady.deliver(sent)).containsExactly(Delivery.Outcome.ACCEPTED);
        assertThat(waiting(run)).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    void an_outcome_arrives_once(Fault fault) {
        Writer writer = scheduled("order-1", 1);
        ClaimedJob job = claimJob(session);
        faulty.next("update", fault);

        assertThatThrownBy(() -> unsteady.update(List.of(completed(job)))).isInstanceOf(expected(fault));

        assertThat(unsteady.update(List.of(completed(job))))
                .containsExactly(
                        fault == Fault.DONE_BUT_UNKNOWN ? JobUpdate.Outcome.DUPLICATE : JobUpdate.Outcome.ACCEPTED);
        assertThat(waiting(writer.run())).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"DONE_BUT_UNKNOWN", "NOT_DONE_AND_UNKNOWN"})
    void a_step_is_read_back_and_sent_again_only_where_it_did_not_happen(Fault fault) {
        Writer writer = claimed("order-1");
        Transition step = writer.step().schedules(1).build();
        faulty.next("commit", fault);

        assertThatThrownBy(() -> unsteady.commit(List.of(step))).isInstanceOf(CommitUnknownException.class);

        ReadBack.Outcome happened = unsteady.readBack(
                        List.of(new ReadBack(step.run(), step.fences().next(), step.nextEventId())))
                .getFirst();
        if (fault == Fault.DONE_BUT_UNKNOWN) {
            assertThat(happened).isEqualTo(ReadBack.Outcome.HAPPENED);
        } else {
            assertThat(happened).isEqualTo(ReadBack.Outcome.NOT_HAPPENED);
            assertThat(unsteady.commit(List.of(step))).containsExactly(Transition.Outcome.APPLIED);
        }
        assertThat(history(writer.run())).hasSize(2);
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    void a_run_is_terminated_once(Fault fault) {
        RunKey run = started("order-1");
        Seizure terminate = Seizures.terminate(run);
        faulty.next("seize", fault);

        assertThatThrownBy(() -> unsteady.seize(terminate)).isInstanceOf(expected(fault));

        assertThat(unsteady.seize(terminate)).contains(run);
        assertThat(history(run)).hasSize(2);
    }

    @Test
    void what_a_claim_took_whose_answer_was_lost_is_had_at_once_by_who_names_its_fence_and_by_others_in_time() {
        started("order-1");
        RunClaim claim = new RunClaim(session, Set.of(QUEUE), Set.of(TYPE), 10, OWNED);
        faulty.next("claimRuns", Fault.DONE_BUT_UNKNOWN, Fault.DONE_BUT_UNKNOWN);
        assertThatThrownBy(() -> unsteady.claimRuns(claim)).isInstanceOf(CommitUnknownException.class);
        assertThat(claimRuns(session)).as("by who does not name it").isEmpty();

        RunClaim again = naming(Set.of(claim.fence()));
        assertThatThrownBy(() -> unsteady.claimRuns(again)).isInstanceOf(CommitUnknownException.class);
        assertThat(store.claimRuns(naming(Set.of(claim.fence()))).runs())
                .as("it stands under the fence of the claim after that")
                .isEmpty();
        ClaimedRun got = store.claimRuns(naming(Set.of(claim.fence(), again.fence())))
                .runs()
                .getFirst();

        assertThat(got.run().workflowId()).isEqualTo("order-1");
        assertThat(got.previousFence()).isEqualTo(again.fence());
        assertThat(claimRuns(session)).isEmpty();
        advance(OWNED.plusSeconds(1));
        assertThat(claimedIds(session)).containsExactly("order-1");
    }

    private RunClaim naming(Set<UUID> lost) {
        return new RunClaim(session, Set.of(QUEUE), Set.of(TYPE), 10, OWNED, UUID.randomUUID(), lost);
    }

    @Test
    void a_lost_answer_to_a_claim_of_jobs_is_seen_in_the_sessions_own_claims() {
        scheduled("order-1", 1);
        faulty.next("claimJobs", Fault.DONE_BUT_UNKNOWN);
        assertThatThrownBy(() -> unsteady.claimJobs(new JobClaim(session, QUEUE, Set.of(ACTIVITY), 10)))
                .isInstanceOf(CommitUnknownException.class);

        var lost = unsteady.held(session).getFirst();
        update(new JobUpdate.Release(lost.key(), lost.lease(), Duration.ZERO, null, true, null));
        assertThat(claimJobs(session)).hasSize(1);
    }

    private static Class<? extends RuntimeException> expected(Fault fault) {
        return fault == Fault.UNAVAILABLE ? StoreUnavailableException.class : CommitUnknownException.class;
    }
}
