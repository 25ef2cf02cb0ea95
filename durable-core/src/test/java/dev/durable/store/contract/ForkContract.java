package dev.durable.store.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.client.WorkflowStatus;
import dev.durable.history.InboxMessage;
import dev.durable.history.StoredEvent;
import dev.durable.store.CancelledIdleJob;
import dev.durable.store.JobKey;
import dev.durable.store.NewRun;
import dev.durable.store.RunKey;
import dev.durable.store.StartOutcome;
import dev.durable.store.Transition;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Forks: starts with a copy of another run's first events. */
abstract class ForkContract extends StoreContract {
    private static final Optional<StartOutcome> STARTED = Optional.of(new StartOutcome.Started(false));

    /** A run whose history is WorkflowStarted, ActivityScheduled, SideEffectRecorded. */
    private Writer origin() {
        Writer origin = scheduled("order-1", 1);
        write(origin, origin.step().event("SideEffectRecorded", "{\"value\":7}"));
        return origin;
    }

    private List<StoredEvent> first(Writer origin, int events) {
        return history(origin.run()).subList(0, events);
    }

    @Test
    void a_fork_has_the_first_events_of_another_run_and_goes_on_behind_them() {
        Writer origin = origin();
        NewRunBuilder fork = newRun("order-2").forks(origin.run(), 2).memo("customer", "7");

        assertThat(store.fork(fork.schedulesAgain(Outcomes.job(1, store.now())).build()))
                .isEqualTo(STARTED);

        assertThat(history(fork.key()).subList(0, 2)).isEqualTo(first(origin, 2));
        assertThat(eventTypes(fork.key())).containsExactly("WorkflowStarted", "ActivityScheduled", "WorkflowForked");
        assertThat(jobStates(fork.key())).isEqualTo(Map.of(1, "ready"));
        assertThat(store.run(fork.key().runId()).orElseThrow().memo()).isEqualTo(Map.of("customer", "7"));
        Writer goesOn = claimed(fork.key());
        assertThat(goesOn.nextEventId()).isEqualTo(4);
        assertThat(goesOn.write(goesOn.step().event("SideEffectRecorded", "{}")))
                .isEqualTo(Transition.Outcome.APPLIED);
    }

    @Test
    void the_run_that_is_forked_goes_on_as_if_nothing_had_been() {
        Writer origin = origin();
        List<StoredEvent> before = history(origin.run());

        store.fork(newRun("order-2")
                .forks(origin.run(), 2)
                .schedulesAgain(Outcomes.job(1, store.now()))
                .build());

        assertThat(history(origin.run())).isEqualTo(before);
        assertThat(jobStates(origin.run())).isEqualTo(Map.of(1, "ready"));
        assertThat(origin.write(origin.step().event("SideEffectRecorded", "{}")))
                .isEqualTo(Transition.Outcome.APPLIED);
    }

    @Test
    void a_closed_run_can_be_forked() {
        Writer origin = origin();
        terminated(origin.run());
        NewRunBuilder fork = newRun("order-2").forks(origin.run(), 1);

        assertThat(store.fork(fork.build())).isEqualTo(STARTED);

        assertThat(eventTypes(fork.key())).containsExactly("WorkflowStarted", "WorkflowForked");
        assertThat(store.run(origin.run().runId()).orElseThrow().status()).isEqualTo(WorkflowStatus.TERMINATED);
    }

    @Test
    void outcomes_that_go_with_a_fork_wait_for_it() {
        Writer origin = origin();
        NewRunBuilder fork = newRun("order-2");
        InboxMessage cancelled = CancelledIdleJob.outcome(new JobKey(fork.key(), 1), 0, null, null);

        assertThat(store.fork(fork.forks(origin.run(), 2, cancelled).build())).isEqualTo(STARTED);

        assertThat(waitingNames(fork.key())).containsExactly("ActivityCancelled");
    }

    @Test
    void a_fork_that_is_sent_again_is_the_same_run() {
        Writer origin = origin();
        NewRunBuilder fork = newRun("order-2").forks(origin.run(), 2);
        NewRun sent = fork.schedulesAgain(Outcomes.job(1, store.now())).build();
        store.fork(sent);

        assertThat(store.fork(sent)).isEqualTo(Optional.of(new StartOutcome.Started(true)));
        assertThat(history(fork.key())).hasSize(3);

        terminated(fork.key());
        assertThat(store.fork(sent)).isEqualTo(Optional.of(new StartOutcome.Started(true)));
        assertThat(claimRuns(session)).extracting(claim -> claim.run()).doesNotContain(fork.key());
    }

    @Test
    void a_fork_of_events_that_are_not_there_writes_nothing() {
        Writer origin = origin();
        NewRunBuilder beyond = newRun("order-2").forks(origin.run(), 4);
        NewRunBuilder ofNothing = newRun("order-3").forks(newRun("gone").key(), 1);

        assertThat(store.fork(beyond.build())).isEmpty();
        assertThat(store.fork(ofNothing.build())).isEmpty();

        assertThat(store.unknown(List.of(beyond.key().runId(), ofNothing.key().runId())))
                .containsExactlyInAnyOrder(beyond.key().runId(), ofNothing.key().runId());
        assertThat(store.history(beyond.key().runId(), 1, 10)).isEmpty();
    }

    @Test
    void a_fork_meets_the_open_run_of_its_workflow_id() {
        Writer origin = origin();
        RunKey open = started("order-2");
        NewRunBuilder fork = newRun("order-2").forks(origin.run(), 1);

        assertThat(store.fork(fork.build()))
                .get()
                .satisfies(outcome ->
                        assertThat(((StartOutcome.AlreadyOpen) outcome).runId()).isEqualTo(open.runId()));
        assertThat(store.history(fork.key().runId(), 1, 10)).isEmpty();
    }

    @Test
    void a_fork_can_be_forked() {
        Writer origin = origin();
        NewRunBuilder first = newRun("order-2").forks(origin.run(), 1);
        store.fork(first.build());
        NewRunBuilder second = newRun("order-3").forks(first.key(), 2);

        assertThat(store.fork(second.build())).isEqualTo(STARTED);

        assertThat(eventTypes(second.key())).containsExactly("WorkflowStarted", "WorkflowForked", "WorkflowForked");
    }

    @Test
    void of_racing_forks_under_one_workflow_id_one_is_started() throws Exception {
        Writer origin = origin();

        List<Optional<StartOutcome>> outcomes = Race.run(thread -> store.fork(newRun("order-2")
                .forks(origin.run(), 1 + thread % 2)
                .schedulesAgainIf(thread % 2 == 1, Outcomes.job(1, store.now()))
                .build()));

        assertThat(outcomes).filteredOn(STARTED::equals).hasSize(1);
        assertThat(outcomes)
                .filteredOn(outcome -> outcome.orElseThrow() instanceof StartOutcome.AlreadyOpen)
                .hasSize(Race.THREADS - 1);
    }
}
