package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Trials;
import dev.durable.Workflow;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.client.StartOptions;
import dev.durable.store.ClaimedJob;
import dev.durable.store.ClaimedRun;
import dev.durable.store.Delivery;
import dev.durable.store.JobKey;
import dev.durable.store.JobOrder;
import dev.durable.store.JobUpdate;
import dev.durable.store.NewEntry;
import dev.durable.store.NewRun;
import dev.durable.store.RunKey;
import dev.durable.store.StartOutcome;
import dev.durable.store.Transition;
import dev.durable.store.contract.NewRunBuilder;
import dev.durable.store.contract.StoreContract;
import dev.durable.store.contract.StoreFixture;
import dev.durable.store.contract.Writer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Another transaction keeps the row of one item in sixty-five locked: that item waits alone, the other sixty-four
 * don't.
 */
@Tag("slow")
class SlowLaneTest extends StoreContract {
    private static final int NEIGHBOURS = 64;
    private static final int HELD = 20;

    @Override
    protected StoreFixture newFixture() {
        return new PostgresFixture();
    }

    @Test
    void a_transition_whose_run_is_held_waits_alone() {
        List<Transition> steps = claimedWriters().stream()
                .map(writer -> writer.step().event("SideEffectRecorded", "{}").build())
                .toList();
        Transition held = steps.get(HELD);
        try (Holder holder = Holder.ofRun(held.run(), "update")) {
            assertThat(store.commit(steps)).isEqualTo(allBut(Transition.Outcome.APPLIED, Transition.Outcome.LOCKED));

            Meanwhile<List<Transition.Outcome>> waiting =
                    Meanwhile.of(() -> store.patient().commit(List.of(held)));
            holder.awaitWaiter();
            holder.commit();
            assertThat(waiting.get()).containsExactly(Transition.Outcome.APPLIED);
        }
    }

    @Test
    void a_transition_whose_stream_is_held_waits_alone_and_the_others_append() {
        List<Writer> writers = claimedWriters();
        writers.forEach(
                writer -> writer.write(writer.step().appends("tokens", "1").staysAwake()));
        List<Transition> steps = writers.stream()
                .map(writer -> writer.step().appends("tokens", "2").build())
                .toList();
        Transition held = steps.get(HELD);
        try (Holder holder = Holder.of("select from durable.workflow_stream where chain_id = '"
                + held.run().runId() + "' for update")) {
            assertThat(store.commit(steps)).isEqualTo(allBut(Transition.Outcome.APPLIED, Transition.Outcome.LOCKED));

            Meanwhile<List<Transition.Outcome>> waiting =
                    Meanwhile.of(() -> store.patient().commit(List.of(held)));
            holder.awaitWaiter();
            holder.commit();
            assertThat(waiting.get()).containsExactly(Transition.Outcome.APPLIED);
        }
        assertThat(Sql.column(
                        PostgresFixture.pool(),
                        "select distinct next_offset || ' ' || bytes from durable.workflow_stream"))
                .containsExactly("2 2");
        assertThat(Sql.number(PostgresFixture.pool(), "select count(*) from durable.stream_entry"))
                .isEqualTo(2L * writers.size());
    }

    @Test
    void a_transition_whose_job_is_held_waits_alone_a_close_too() {
        Writer closing = scheduled("order-0", 1);
        Writer other = claimed("order-1");
        List<Transition> steps = List.of(
                closing.closing().build(),
                other.step().event("SideEffectRecorded", "{}").build());
        try (Holder holder = Holder.ofJob(closing.run(), 1)) {
            assertThat(store.commit(steps)).containsExactly(Transition.Outcome.LOCKED, Transition.Outcome.APPLIED);

            Meanwhile<List<Transition.Outcome>> waiting =
                    Meanwhile.of(() -> store.patient().commit(List.of(steps.getFirst())));
            holder.awaitWaiter();
            holder.commit();
            assertThat(waiting.get()).containsExactly(Transition.Outcome.APPLIED);
        }
    }

    @Test
    void stale_neighbours_are_told_from_the_one_that_waits() {
        List<Writer> writers = claimedWriters();
        List<Transition> steps = new ArrayList<>(
                writers.stream().map(writer -> writer.step().build()).toList());
        Writer stale = writers.getFirst();
        stale.write(stale.step().event("SideEffectRecorded", "{}").staysAwake());
        try (Holder holder = Holder.ofRun(steps.get(HELD).run(), "update")) {
            List<Transition.Outcome> expected = allBut(Transition.Outcome.APPLIED, Transition.Outcome.LOCKED);
            expected.set(0, Transition.Outcome.FENCE_LOST);
            assertThat(store.commit(steps)).isEqualTo(expected);
        }
    }

    @Test
    void a_message_to_a_held_run_waits_alone() {
        List<Delivery> deliveries = startedRuns().stream()
                .map(run -> new Delivery(run.workflowId(), null, signal("approve")))
                .toList();
        Delivery held = deliveries.get(HELD);
        try (Holder holder = Holder.of(
                "select 1 from durable.run_state where workflow_id = '" + held.workflowId() + "' for update")) {
            assertThat(store.deliver(deliveries)).isEqualTo(allBut(Delivery.Outcome.ACCEPTED, Delivery.Outcome.LOCKED));

            Meanwhile<List<Delivery.Outcome>> waiting =
                    Meanwhile.of(() -> store.patient().deliver(List.of(held)));
            holder.awaitWaiter();
            holder.commit();
            assertThat(waiting.get()).containsExactly(Delivery.Outcome.ACCEPTED);
        }
    }

    @Test
    void messages_to_one_held_run_keep_their_order() {
        RunKey run = started("order-1");
        List<Delivery> deliveries = IntStream.range(0, 9)
                .mapToObj(i -> new Delivery(run.workflowId(), null, signal("nr-" + i)))
                .toList();
        try (Holder holder = Holder.ofRun(run, "update")) {
            assertThat(store.deliver(deliveries)).containsOnly(Delivery.Outcome.LOCKED);
        }
        deliveries.forEach(delivery -> store.patient().deliver(List.of(delivery)));
        assertThat(waitingNames(run))
                .isEqualTo(IntStream.range(0, 9).mapToObj(i -> "nr-" + i).toList());
    }

    @Test
    void an_outcome_of_a_held_job_waits_alone() {
        scheduled("order-1", NEIGHBOURS + 1);
        List<ClaimedJob> jobs = claimJobs(session);
        List<JobUpdate> outcomes =
                jobs.stream().map(job -> (JobUpdate) completed(job)).toList();
        JobUpdate held = outcomes.get(HELD);
        try (Holder holder = Holder.ofJob(held.key().run(), held.key().seq())) {
            assertThat(store.update(outcomes)).isEqualTo(allBut(JobUpdate.Outcome.ACCEPTED, JobUpdate.Outcome.LOCKED));

            Meanwhile<List<JobUpdate.Outcome>> waiting =
                    Meanwhile.of(() -> store.patient().update(List.of(held)));
            holder.awaitWaiter();
            holder.commit();
            assertThat(waiting.get()).containsExactly(JobUpdate.Outcome.ACCEPTED);
        }
    }

    @Test
    void entries_of_one_batch_are_each_judged_by_themselves_while_the_stream_of_one_is_held() {
        ids().forEach(id -> scheduled(id, 1));
        List<ClaimedJob> jobs = claimJobs(session);
        assertThat(store.update(jobs.stream().map(job -> append(job, 0)).toList()))
                .containsOnly(JobUpdate.Outcome.ACCEPTED);
        ClaimedJob full = jobs.get(1);
        ClaimedJob gone = jobs.get(2);
        Sql.execute(
                PostgresFixture.pool(),
                "update durable.workflow_stream set next_offset = 1000000 where chain_id = '"
                        + full.key().run().runId() + "'");
        terminated(gone.key().run());
        List<JobUpdate> next =
                new ArrayList<>(jobs.stream().map(job -> append(job, 1)).toList());
        next.set(0, append(jobs.getFirst(), 0));
        List<JobUpdate.Outcome> expected = allBut(JobUpdate.Outcome.ACCEPTED, JobUpdate.Outcome.LOCKED);
        expected.set(0, JobUpdate.Outcome.DUPLICATE);
        expected.set(1, JobUpdate.Outcome.FULL);
        expected.set(2, JobUpdate.Outcome.STALE);
        JobUpdate held = next.get(HELD);

        try (Holder holder = Holder.of("select from durable.workflow_stream where chain_id = '"
                + held.key().run().runId() + "' for update")) {
            assertThat(store.update(next)).isEqualTo(expected);
        }
        assertThat(store.update(List.of(held))).containsExactly(JobUpdate.Outcome.ACCEPTED);
        Sql.execute(
                PostgresFixture.pool(),
                "update durable.workflow_stream set next_offset = 1 where next_offset = 1000000");
        assertThat(Sql.number(PostgresFixture.pool(), "select count(*) from durable.stream_entry"))
                .isEqualTo(2L * jobs.size() - 3);
    }

    private static JobUpdate append(ClaimedJob job, long number) {
        return new JobUpdate.Append(job.key(), job.lease(), job.attempt(), number, new NewEntry("tokens", "1"));
    }

    /**
     * Orders of operators come by hundreds: while one waits for a lock, the jobs of the others must not stay locked.
     */
    @Test
    void an_order_for_a_held_job_waits_alone_and_keeps_nobody_waiting() throws Exception {
        Trials.once(this::anOrderForAHeldJobKeepsNobodyWaiting);
    }

    private void anOrderForAHeldJobKeepsNobodyWaiting(int number) {
        RunKey run = scheduled("order-" + number, NEIGHBOURS + 1).run();
        List<JobOrder> orders = IntStream.rangeClosed(1, NEIGHBOURS + 1)
                .mapToObj(seq -> (JobOrder) new JobOrder.Pause(
                        new JobKey(run, seq),
                        new JobOrder.Trace(new JobOrder.Audit(UUID.randomUUID(), "ann", "pause", "{}"), null)))
                .toList();
        try (Holder holder = Holder.ofJob(run, orders.get(HELD).key().seq())) {
            long begun = System.nanoTime();
            assertThat(store.order(orders)).isEqualTo(allBut(JobOrder.Outcome.APPLIED, JobOrder.Outcome.LOCKED));
            assertThat(Duration.ofNanos(System.nanoTime() - begun))
                    .as("shorter than one order alone would wait")
                    .isLessThan(Duration.ofSeconds(5));
        }
    }

    @Test
    void a_start_of_an_id_that_a_users_open_transaction_starts_waits_for_what_becomes_of_it() {
        List<NewRun> starts = ids().stream().map(id -> newRun(id).build()).toList();
        NewRunBuilder theirs = newRun("order-" + HELD);
        try (Holder user = Holder.open()) {
            assertThat(user.start(theirs.build())).isEqualTo(new StartOutcome.Started(false));
            assertThat(store.start(starts))
                    .isEqualTo(allBut(new StartOutcome.Started(false), new StartOutcome.Locked()));

            Meanwhile<List<StartOutcome>> waiting =
                    Meanwhile.of(() -> store.patient().start(List.of(starts.get(HELD))));
            user.awaitWaiter();
            user.commit();
            assertThat(waiting.get())
                    .containsExactly(new StartOutcome.AlreadyOpen(theirs.key().runId(), TYPE, null));
        }
    }

    @Test
    void it_starts_when_the_users_transaction_is_rolled_back() {
        NewRunBuilder ours = newRun("order-1");
        Holder user = Holder.open();
        user.start(newRun("order-1").build());
        Meanwhile<List<StartOutcome>> waiting =
                Meanwhile.of(() -> store.patient().start(List.of(ours.build())));
        user.awaitWaiter();
        user.close();
        assertThat(waiting.get()).containsExactly(new StartOutcome.Started(false));
    }

    @Test
    void an_expired_run_that_is_held_keeps_no_other_from_being_listed() {
        RunKey held = started(newRun("order-1").deadline(store.now().plusSeconds(1)));
        RunKey free = started(newRun("order-2").deadline(store.now().plusSeconds(2)));
        advance(Duration.ofSeconds(3));
        try (Holder holder = Holder.ofRun(held, "update")) {
            assertThat(store.expiredRuns(1)).containsExactly(free);
        }
        assertThat(store.expiredRuns(10)).containsExactlyInAnyOrder(held, free);
    }

    @Test
    void in_an_engine_sixty_four_signals_are_acknowledged_while_one_waits_and_then_that_one() {
        try (DurableEngine engine = DurableEngine.builder(store)
                .register(Waiting.class)
                .clientOnly()
                .start()) {
            DurableClient client = engine.client();
            ids().forEach(id -> client.start(Waiting.class, StartOptions.id(id), Waiting::run));
            Holder holder =
                    Holder.of("select 1 from durable.run_state where workflow_id = 'order-" + HELD + "' for update");
            List<Meanwhile<String>> signals = ids().stream()
                    .map(id -> Meanwhile.of(() -> {
                        client.handle(id).signal("approve", "ann");
                        return id;
                    }))
                    .toList();

            assertThat(Sql.await(
                            Duration.ofSeconds(20),
                            () -> signals.stream().filter(Meanwhile::isDone).count() == NEIGHBOURS))
                    .isTrue();
            holder.awaitWaiter();
            assertThat(signals.get(HELD).isDone()).isFalse();
            // The normal lane is free for other items meanwhile.
            client.handle("order-0").signal("approve", "bob");

            holder.commit();
            assertThat(signals.get(HELD).get()).isEqualTo("order-" + HELD);
        }
        assertThat(Sql.number(PostgresFixture.pool(), "select count(*) from durable.inbox"))
                .isEqualTo(NEIGHBOURS + 2);
    }

    private List<Writer> claimedWriters() {
        startedRuns();
        return claimRuns(session).stream()
                .sorted(java.util.Comparator.comparing((ClaimedRun claim) ->
                        Integer.valueOf(claim.run().workflowId().substring(6))))
                .map(this::writer)
                .toList();
    }

    private List<RunKey> startedRuns() {
        return ids().stream().map(this::started).toList();
    }

    private static List<String> ids() {
        return IntStream.rangeClosed(0, NEIGHBOURS).mapToObj(i -> "order-" + i).toList();
    }

    private static <T> List<T> allBut(T outcome, T heldOnes) {
        List<T> all = new ArrayList<>(Collections.nCopies(NEIGHBOURS + 1, outcome));
        all.set(HELD, heldOnes);
        return all;
    }

    /** A workflow that does nothing in these tests, as no worker runs it. */
    @Workflow
    public static class Waiting {
        /** Never called. */
        @Run
        public String run() {
            return "";
        }

        /** Never called. */
        @Signal
        public void approve(String by) {}
    }
}
