package dev.durable.store.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.store.ClaimedJob;
import dev.durable.store.ClaimedRun;
import dev.durable.store.Delivery;
import dev.durable.store.JobUpdate;
import dev.durable.store.NewRun;
import dev.durable.store.RunKey;
import dev.durable.store.StartOutcome;
import dev.durable.store.Transition;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The same things said by many threads at once. */
abstract class RaceContract extends StoreContract {

    @Test
    void racing_claimers_claim_each_run_once() throws Exception {
        int runs = 200;
        store.start(IntStream.range(0, runs)
                .mapToObj(i -> newRun("order-" + i).build())
                .toList());
        IntStream.range(0, runs).filter(i -> i % 3 == 0).forEach(i -> deliver("order-" + i, signal("approve")));
        Queue<ClaimedRun> claimed = new ConcurrentLinkedQueue<>();
        AtomicInteger count = new AtomicInteger();

        Race.run(thread -> {
            UUID claimer = openSession();
            Race.until(() -> count.get() >= runs, () -> {
                List<ClaimedRun> got = claimRuns(claimer, 7);
                claimed.addAll(got);
                count.addAndGet(got.size());
            });
            return null;
        });

        assertThat(claimRuns(openSession())).isEmpty();
        assertThat(claimed).extracting(ClaimedRun::run).hasSize(runs).doesNotHaveDuplicates();
    }

    @Test
    void racing_claimers_claim_each_job_once() throws Exception {
        int jobs = 200;
        scheduled("order-1", jobs);
        Queue<ClaimedJob> claimed = new ConcurrentLinkedQueue<>();
        AtomicInteger count = new AtomicInteger();

        Race.run(thread -> {
            UUID claimer = openSession();
            Race.until(() -> count.get() >= jobs, () -> {
                List<ClaimedJob> got = claimJobs(claimer, 7);
                claimed.addAll(got);
                count.addAndGet(got.size());
            });
            return null;
        });

        assertThat(claimed).extracting(ClaimedJob::key).hasSize(jobs).doesNotHaveDuplicates();
        assertThat(claimed).extracting(ClaimedJob::lease).doesNotHaveDuplicates();
        assertThat(claimJobs(openSession())).isEmpty();
    }

    @Test
    void racing_starts_of_one_workflow_id_open_exactly_one_run() throws Exception {
        List<String> ids = IntStream.range(0, 30).mapToObj(i -> "order-" + i).toList();

        List<List<StartOutcome>> outcomes = Race.run(thread -> {
            List<NewRun> batch = new ArrayList<>();
            Race.shuffled(ids, thread).forEach(id -> batch.add(newRun(id).build()));
            return store.start(batch);
        });

        List<StartOutcome> all = outcomes.stream().flatMap(List::stream).toList();
        assertThat(all).filteredOn(new StartOutcome.Started(false)::equals).hasSize(ids.size());
        assertThat(all).filteredOn(StartOutcome.AlreadyOpen.class::isInstance).hasSize((Race.THREADS - 1) * ids.size());
        assertThat(claimRuns(session)).hasSize(ids.size());
    }

    @Test
    void one_start_sent_by_many_happens_once() throws Exception {
        List<NewRun> starts = IntStream.range(0, 30)
                .mapToObj(i -> newRun("order-" + i).build())
                .toList();

        List<List<StartOutcome>> outcomes = Race.run(thread -> store.start(Race.shuffled(starts, thread)));

        List<StartOutcome> all = outcomes.stream().flatMap(List::stream).toList();
        assertThat(all).filteredOn(new StartOutcome.Started(false)::equals).hasSize(starts.size());
        assertThat(all).filteredOn(new StartOutcome.Started(true)::equals).hasSize((Race.THREADS - 1) * starts.size());
    }

    @Test
    void of_racing_writers_under_one_fence_one_writes() throws Exception {
        for (int round = 0; round < 20; round++) {
            Writer writer = claimed("order-" + round);

            List<Transition.Outcome> outcomes = Race.run(thread -> {
                Writer rival = writer.zombie();
                return rival.write(rival.step().schedules(thread));
            });

            assertThat(outcomes).filteredOn(Transition.Outcome.APPLIED::equals).hasSize(1);
            assertThat(outcomes)
                    .filteredOn(Transition.Outcome.FENCE_LOST::equals)
                    .hasSize(Race.THREADS - 1);
            assertThat(history(writer.run())).hasSize(2);
        }
    }

    @Test
    void one_outcome_settled_by_many_threads_waits_once() throws Exception {
        Writer writer = scheduled("order-1", 20);
        List<JobUpdate> settlements = new ArrayList<>();
        claimJobs(session).forEach(job -> settlements.add(completed(job)));

        List<List<JobUpdate.Outcome>> outcomes = Race.run(thread -> store.update(Race.shuffled(settlements, thread)));

        List<JobUpdate.Outcome> all = outcomes.stream().flatMap(List::stream).toList();
        assertThat(all).filteredOn(JobUpdate.Outcome.ACCEPTED::equals).hasSize(20);
        assertThat(all).filteredOn(JobUpdate.Outcome.DUPLICATE::equals).hasSize(20 * (Race.THREADS - 1));
        assertThat(waiting(writer.run())).hasSize(20);
    }

    @Test
    void an_outcome_settled_here_and_there_counts_once() throws Exception {
        for (int round = 0; round < 30; round++) {
            Writer writer = scheduled("order-" + round, 1);
            ClaimedJob job = claimJob(session);

            List<Object> outcomes = Race.run(
                    2, thread -> thread == 0 ? writer.write(writer.step().settles(job)) : update(completed(job)));

            boolean local = outcomes.get(0) == Transition.Outcome.APPLIED;
            assertThat(outcomes.get(0)).isIn(Transition.Outcome.APPLIED, Transition.Outcome.STALE);
            assertThat(outcomes.get(1)).isEqualTo(local ? JobUpdate.Outcome.DUPLICATE : JobUpdate.Outcome.ACCEPTED);
            assertThat(history(writer.run())).hasSize(local ? 3 : 2);
            assertThat(waiting(writer.run())).hasSize(local ? 0 : 1);
        }
    }

    @Test
    void a_message_sent_by_many_threads_waits_once() throws Exception {
        RunKey run = started("order-1");
        List<Delivery> deliveries = IntStream.range(0, 20)
                .mapToObj(i -> new Delivery("order-1", i % 2 == 0 ? run.runId() : null, signal("s" + i)))
                .toList();

        Race.run(thread ->
                assertThat(store.deliver(Race.shuffled(deliveries, thread))).containsOnly(Delivery.Outcome.ACCEPTED));

        assertThat(waitingNames(run))
                .containsExactlyInAnyOrderElementsOf(
                        deliveries.stream().map(d -> d.message().name()).toList());
    }
}
