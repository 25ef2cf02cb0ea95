package dev.durable.store.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.history.InboxMessage;
import dev.durable.history.StoredEvent;
import dev.durable.store.ClaimedJob;
import dev.durable.store.Delivery;
import dev.durable.store.JobUpdate;
import dev.durable.store.NewRun;
import dev.durable.store.RunKey;
import dev.durable.store.Transition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Many threads that say different things to the same runs. */
abstract class TrafficContract extends StoreContract {

    @Test
    void a_thousand_outcomes_come_into_one_run_while_it_goes_on() throws Exception {
        int jobs = 1_000;
        Writer writer = scheduled("order-1", jobs);
        AtomicInteger settled = new AtomicInteger();

        Race.run(thread -> {
            if (thread == 0) {
                Race.until(() -> writer.nextEventId() > 2L * jobs + 1, () -> consumeAll(writer));
            } else {
                UUID worker = openSession();
                Race.until(() -> settled.get() >= jobs, () -> {
                    List<JobUpdate> batch = new ArrayList<>();
                    claimJobs(worker, 11).forEach(job -> batch.add(completed(job)));
                    assertThat(store.update(batch)).allMatch(JobUpdate.Outcome.ACCEPTED::equals);
                    settled.addAndGet(batch.size());
                });
            }
            return null;
        });

        assertThat(waiting(writer.run())).isEmpty();
        assertThat(eventTypes(writer.run()))
                .filteredOn("ActivityCompleted"::equals)
                .hasSize(jobs);
        assertThat(writer.write(writer.closing())).isEqualTo(Transition.Outcome.APPLIED);
    }

    @Test
    void no_acknowledged_message_is_lost_to_a_close() throws Exception {
        for (int round = 0; round < 40; round++) {
            Writer writer = claimed("order-" + round);
            Queue<UUID> accepted = new ConcurrentLinkedQueue<>();

            Race.run(4, thread -> {
                if (thread == 0) {
                    closeOverMessages(writer);
                } else {
                    sendUntilClosed(writer.run(), accepted);
                }
                return null;
            });

            assertThat(history(writer.run()).stream()
                            .map(StoredEvent::messageId)
                            .filter(Objects::nonNull))
                    .containsExactlyInAnyOrderElementsOf(accepted);
        }
    }

    @Test
    void no_accepted_outcome_is_lost_to_a_close() throws Exception {
        for (int round = 0; round < 20; round++) {
            Writer writer = scheduled("order-" + round, 20);
            List<ClaimedJob> jobs = claimJobs(session);
            Queue<UUID> accepted = new ConcurrentLinkedQueue<>();

            Race.run(2, thread -> {
                if (thread == 0) {
                    closeOverMessages(writer);
                } else {
                    jobs.stream()
                            .filter(job -> update(completed(job)) == JobUpdate.Outcome.ACCEPTED)
                            .forEach(job -> accepted.add(job.lease()));
                }
                return null;
            });

            assertThat(history(writer.run()).stream()
                            .map(StoredEvent::messageId)
                            .filter(Objects::nonNull))
                    .containsExactlyInAnyOrderElementsOf(accepted);
        }
    }

    @Test
    void a_seized_run_ends_once_whoever_writes() throws Exception {
        for (int round = 0; round < 20; round++) {
            Writer writer = scheduled("order-" + round, 2);
            List<ClaimedJob> jobs = claimJobs(session);

            List<Object> outcomes = Race.run(5, thread -> switch (thread) {
                case 0, 1 -> store.seize(Seizures.terminate(writer.run()));
                case 2 -> writer.zombie().write(writer.step().settles(jobs.getFirst()));
                case 3 -> update(completed(jobs.getLast()));
                default -> deliver(writer.run(), signal("approve"));
            });

            assertThat(outcomes).filteredOn(Optional.of(writer.run())::equals).hasSize(1);
            assertThat(eventTypes(writer.run())).endsWith("WorkflowTerminated");
        }
    }

    @Test
    void sweepers_workers_and_zombies_give_each_job_one_outcome() throws Exception {
        int jobs = 120;
        Writer writer = scheduled("order-1", jobs);
        Queue<ClaimedJob> lost = new ConcurrentLinkedQueue<>();

        Race.run(thread -> {
            Random random = new Random(thread);
            for (int life = 0; life < 4; life++) {
                UUID worker = openSession();
                for (ClaimedJob job : claimJobs(worker, 9)) {
                    if (random.nextBoolean()) {
                        update(completed(job));
                    } else {
                        lost.add(job);
                    }
                }
                store.markDead(worker, 0);
                store.requeueOrphans(1_000);
                Optional.ofNullable(lost.poll()).ifPresent(zombie -> update(completed(zombie)));
            }
            return null;
        });

        List<UUID> outcomes =
                waiting(writer.run()).stream().map(InboxMessage::messageId).toList();
        assertThat(outcomes).hasSizeGreaterThan(1).doesNotHaveDuplicates();
        assertThat(outcomes.size() + jobStates(writer.run()).size()).isEqualTo(jobs);
    }

    @Test
    void batches_in_different_orders_do_not_block_each_other_for_ever() throws Exception {
        List<Writer> writers = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            writers.add(scheduled("order-" + i, 3));
        }
        List<ClaimedJob> jobs = claimJobs(session, 1_000);

        Race.run(thread -> {
            for (int round = 0; round < 12; round++) {
                Random random = new Random(thread * 1_000L + round);
                switch (thread % 4) {
                    case 0 -> store.deliver(deliveries(writers, random));
                    case 1 -> commit(writers, jobs, random);
                    case 2 -> store.update(updates(jobs, random));
                    default -> store.start(starts(writers, random));
                }
            }
            return null;
        });

        assertThat(fixture.deadlocks()).isZero();
    }

    private static List<Delivery> deliveries(List<Writer> writers, Random random) {
        List<Delivery> batch = new ArrayList<>();
        writers.forEach(writer -> batch.add(new Delivery(writer.run().workflowId(), null, signal("s"))));
        return Race.shuffle(batch, random);
    }

    /** Steps under fences that rivals may replace any moment, some of them closes. Fences are read before messages. */
    private void commit(List<Writer> writers, List<ClaimedJob> jobs, Random random) {
        List<Writer> order = Race.shuffle(new ArrayList<>(writers), random);
        List<StepBuilder> steps = order.stream()
                .map(writer -> random.nextInt(8) == 0 ? writer.closing() : writer.step())
                .toList();
        Map<UUID, List<InboxMessage>> waiting =
                store.messages(order.stream().map(Writer::run).toList(), 100);
        List<Transition> batch = new ArrayList<>();
        for (int i = 0; i < order.size(); i++) {
            RunKey run = order.get(i).run();
            StepBuilder step = steps.get(i);
            waiting.getOrDefault(run.runId(), List.of()).forEach(step::consumes);
            jobs.stream()
                    .filter(job -> job.key().run().equals(run) && random.nextInt(8) == 0)
                    .forEach(step::settles);
            batch.add(step.build());
        }
        List<Transition.Outcome> outcomes = store.commit(batch);
        for (int i = 0; i < batch.size(); i++) {
            order.get(i).wrote(batch.get(i), outcomes.get(i));
        }
    }

    private static List<JobUpdate> updates(List<ClaimedJob> jobs, Random random) {
        List<JobUpdate> batch = new ArrayList<>();
        for (ClaimedJob job : jobs) {
            batch.add(
                    random.nextInt(10) == 0
                            ? completed(job)
                            : new JobUpdate.Heartbeat(job.key(), job.lease(), "" + random.nextInt()));
        }
        return Race.shuffle(batch, random);
    }

    /** Some of these ids are open all the time, some are closed meanwhile, some are new. */
    private List<NewRun> starts(List<Writer> writers, Random random) {
        List<NewRun> batch = new ArrayList<>();
        for (int i = 0; i < writers.size(); i++) {
            batch.add(newRun("order-" + (writers.size() / 2 + i)).build());
        }
        return Race.shuffle(batch, random);
    }

    private void closeOverMessages(Writer writer) {
        Race.until(() -> !store.closed(List.of(writer.run().runId())).isEmpty(), () -> {
            StepBuilder close = writer.closing().byForce();
            waiting(writer.run()).forEach(close::consumes);
            writer.write(close);
        });
    }

    private void sendUntilClosed(RunKey run, Queue<UUID> accepted) {
        List<Delivery.Outcome> last = new ArrayList<>(List.of(Delivery.Outcome.ACCEPTED));
        Race.until(() -> last.getFirst() == Delivery.Outcome.NOT_FOUND, () -> {
            InboxMessage message = signal("s");
            last.set(0, deliver(run, message));
            if (last.getFirst() == Delivery.Outcome.ACCEPTED) {
                accepted.add(message.messageId());
            }
        });
    }

    private void consumeAll(Writer writer) {
        StepBuilder step = writer.step();
        waiting(writer.run()).forEach(step::consumes);
        assertThat(writer.write(step)).isIn(Transition.Outcome.APPLIED, Transition.Outcome.APPLIED_MORE);
    }
}
