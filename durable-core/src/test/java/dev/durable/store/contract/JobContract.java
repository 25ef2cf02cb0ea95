package dev.durable.store.contract;

import static dev.durable.store.JobUpdate.Outcome.ACCEPTED;
import static dev.durable.store.JobUpdate.Outcome.CANCEL_REQUESTED;
import static dev.durable.store.JobUpdate.Outcome.DUPLICATE;
import static dev.durable.store.JobUpdate.Outcome.STALE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.client.ActivityState;
import dev.durable.client.WorkflowDescription.PendingActivity;
import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.internal.text.Portion;
import dev.durable.store.ClaimedJob;
import dev.durable.store.JobClaim;
import dev.durable.store.JobFilter;
import dev.durable.store.JobKey;
import dev.durable.store.JobUpdate;
import dev.durable.store.NewJob;
import dev.durable.store.OpenJob;
import dev.durable.store.RunKey;
import dev.durable.store.Transition;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Activity jobs: claimed under a lease, settled by its holder alone. */
abstract class JobContract extends StoreContract {

    // ── claims ──────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_claimed_job_is_what_was_scheduled() {
        Writer writer = claimed("order-1");
        NewJob born = Outcomes.job(1, store.now());
        writer.write(writer.step().schedules(born));

        ClaimedJob job = claimJob(session);

        assertThat(job.key().run()).isEqualTo(writer.run());
        assertThat(job.key().seq()).isEqualTo(1);
        assertThat(job.activity()).isEqualTo(born.route().activity());
        assertThat(job.route().taskQueue()).isEqualTo(born.route().taskQueue());
        assertThat(job.route().workflowType()).isEqualTo(TYPE);
        assertThat(job.attempt()).isEqualTo(1);
        assertThat(job.crashes()).isZero();
        assertThat(job.content().input()).isEqualTo(born.content().input());
        assertThat(job.content().options()).isEqualTo(born.content().options());
        assertThat(job.content().headers()).isEqualTo(born.content().headers());
        assertThat(job.deadlines().scheduledAt()).isEqualTo(born.deadlines().scheduledAt());
        assertThat(job.deadlines().toClose()).isEqualTo(born.deadlines().toClose());
        assertThat(job.heartbeatDetails()).isNull();
        assertThat(job.notes()).isNull();
    }

    @Test
    void each_claimed_job_has_a_lease_of_its_own() {
        scheduled("order-1", 3);

        List<ClaimedJob> jobs = claimJobs(session);

        assertThat(jobs).hasSize(3).extracting(ClaimedJob::lease).doesNotHaveDuplicates();
        assertThat(store.held(session))
                .extracting(held -> held.lease())
                .containsExactlyInAnyOrderElementsOf(
                        jobs.stream().map(ClaimedJob::lease).toList());
    }

    @Test
    void a_job_is_claimed_by_one() {
        scheduled("order-1", 1);

        claimJob(session);

        assertThat(claimJobs(openSession())).isEmpty();
    }

    @Test
    void no_more_jobs_than_free_slots_are_claimed() {
        scheduled("order-1", 5);

        assertThat(claimJobs(session, 3)).hasSize(3);
        assertThat(claimJobs(session, 3)).hasSize(2);
    }

    @Test
    void a_claim_brings_a_portion_of_large_jobs() {
        int size = Portion.BYTES / 3;
        Random random = new Random(1);
        String text = random.ints(size, 'a', 'z' + 1)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
        Writer writer = claimed("order-1");
        for (int seq = 1; seq <= 8; seq++) {
            writer.write(writer.step().schedules(Outcomes.job(seq, store.now(), "[\"" + text + "\"]")));
        }

        List<Integer> seen = new ArrayList<>();
        while (seen.size() < 8) {
            List<ClaimedJob> jobs = claimJobs(session, 8);
            assertThat(jobs).hasSizeBetween(1, 4);
            jobs.forEach(job -> seen.add(job.key().seq()));
        }

        assertThat(seen).containsExactly(1, 2, 3, 4, 5, 6, 7, 8);
        assertThat(claimJobs(session, 8)).isEmpty();
    }

    @Test
    void unknown_activities_and_other_queues_are_left_for_others() {
        Writer writer = claimed("order-1");
        Instant now = store.now();
        writer.write(writer.step()
                .schedules(Outcomes.job(1, now, "Shipping.label", QUEUE, 0, null))
                .schedules(Outcomes.job(2, now, ACTIVITY, "slow", 0, null))
                .schedules(3));

        assertThat(claimJobs(session)).extracting(job -> job.key().seq()).containsExactly(3);
        assertThat(store.claimJobs(new JobClaim(session, "slow", Set.of(ACTIVITY), 10)))
                .hasSize(1);
        assertThat(store.claimJobs(new JobClaim(session, QUEUE, Set.of("Shipping.label", ACTIVITY), 10)))
                .hasSize(1);
    }

    @Test
    void jobs_that_a_claim_does_not_want_are_left_for_others() {
        Writer writer = scheduled("order-1", 4);
        ClaimedJob failed = claimJob(session);
        update(retry(failed, Duration.ofMinutes(1)));
        JobKey elsewhere = new JobKey(claimed("order-2").run(), 2);
        advance(Duration.ofMinutes(2));
        int delayed = failed.key().seq();
        int ready = delayed % 4 + 1;
        Set<JobKey> unwanted = Set.of(failed.key(), new JobKey(writer.run(), ready), elsewhere);
        JobClaim claim = new JobClaim(session, QUEUE, Set.of(ACTIVITY), 10, unwanted);

        assertThat(store.claimJobs(claim))
                .extracting(job -> job.key().seq())
                .containsExactlyInAnyOrder(ready % 4 + 1, (ready + 1) % 4 + 1);
        assertThat(store.claimJobs(claim)).isEmpty();
        assertThat(claimJobs(openSession()))
                .extracting(job -> job.key().seq())
                .containsExactlyInAnyOrder(delayed, ready);
    }

    @Test
    void jobs_go_first_in_first_out() {
        Writer writer = claimed("order-1");
        for (int seq = 1; seq <= 3; seq++) {
            writer.write(writer.step().schedules(seq));
            advance(Duration.ofMillis(10));
        }

        assertThat(IntStream.range(0, 3).mapToObj(i -> claimJob(session).key().seq()))
                .containsExactly(1, 2, 3);
    }

    @Test
    void a_job_born_with_a_delay_is_claimed_when_it_is_over() {
        Duration hour = Duration.ofHours(1);
        RunKey run = started(newRun("order-1").schedules(Outcomes.delayed(1, store.now(), hour)));
        started(newRun("order-2").schedules(Outcomes.job(1, store.now())));

        assertThat(jobStates(run)).containsEntry(1, "delayed");
        assertThat(store.jobs(JobFilter.ALL.states(Set.of(ActivityState.DELAYED)), 10))
                .singleElement()
                .satisfies(job -> {
                    assertThat(job.key().run()).isEqualTo(run);
                    assertThat(job.status().begun()).isFalse();
                    assertThat(job.times().visibleAt()).isNotNull();
                });
        assertThat(store.depth(QUEUE, 10)).isEqualTo(2);
        assertThat(claimJobs(session))
                .extracting(job -> job.key().run().workflowId())
                .containsExactly("order-2");
        advance(hour.minusSeconds(1));
        assertThat(claimJobs(session)).isEmpty();
        advance(Duration.ofSeconds(2));
        assertThat(claimJob(session).key().run()).isEqualTo(run);
    }

    @Test
    void a_resent_start_with_a_delayed_job_is_one_job() {
        NewRunBuilder run = newRun("order-1").schedules(Outcomes.delayed(1, store.now(), Duration.ofHours(1)));
        start(run);
        start(run);

        assertThat(store.count(JobFilter.ALL)).isOne();
    }

    @Test
    void higher_priority_goes_first() {
        Writer writer = claimed("order-1");
        Instant now = store.now();
        writer.write(writer.step()
                .schedules(1)
                .schedules(Outcomes.job(2, now, ACTIVITY, QUEUE, 5, null))
                .schedules(Outcomes.job(3, now, ACTIVITY, QUEUE, -5, null)));

        assertThat(IntStream.range(0, 3).mapToObj(i -> claimJob(session).key().seq()))
                .containsExactly(2, 1, 3);
    }

    @Test
    void what_waits_long_enough_passes_a_higher_priority() {
        Writer writer = claimed("order-1");
        writer.write(writer.step().schedules(1));
        advance(Duration.ofDays(1));
        writer.write(writer.step().schedules(Outcomes.job(2, store.now(), ACTIVITY, QUEUE, 1, null)));

        assertThat(claimJob(session).key().seq()).isEqualTo(1);
    }

    // ── settling ────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void an_outcome_goes_into_the_inbox_and_wakes_the_run() {
        Writer writer = scheduled("order-1", 1);
        ClaimedJob job = claimJob(session);
        InboxMessage outcome = new InboxMessage(
                job.lease(),
                MessageKind.ACTIVITY_OUTCOME,
                "ActivityCompleted",
                "{\"seq\":1,\"result\":1E2}",
                "[{\"type\":\"ActivityAttemptFailed\"}]",
                null);

        assertThat(update(new JobUpdate.Settle(job.key(), job.lease(), outcome)))
                .isEqualTo(ACCEPTED);

        InboxMessage waiting = waiting(writer.run()).getFirst();
        assertThat(waiting.messageId()).isEqualTo(job.lease());
        assertThat(waiting.kind()).isEqualTo(MessageKind.ACTIVITY_OUTCOME);
        assertThat(waiting.name()).isEqualTo("ActivityCompleted");
        assertThat(waiting.payload()).isEqualTo("{\"seq\":1,\"result\":1E2}");
        assertThat(waiting.notes()).isEqualTo("[{\"type\":\"ActivityAttemptFailed\"}]");
        assertThat(waiting.at()).isNotNull();
        assertThat(jobStates(writer.run())).isEmpty();
        assertThat(store.held(session)).isEmpty();
        assertThat(claimedIds(session)).containsExactly("order-1");
    }

    @Test
    void an_outcome_resent_while_it_waits_is_a_duplicate() {
        Writer writer = scheduled("order-1", 1);
        ClaimedJob job = claimJob(session);
        update(completed(job));

        assertThat(update(completed(job))).isEqualTo(DUPLICATE);
        assertThat(waiting(writer.run())).hasSize(1);
    }

    @Test
    void an_outcome_resent_after_it_was_consumed_is_a_duplicate() {
        Writer writer = scheduled("order-1", 1);
        ClaimedJob job = claimJob(session);
        update(completed(job));
        writer.write(writer.step().consumes(waiting(writer.run()).getFirst()));

        assertThat(update(completed(job))).isEqualTo(DUPLICATE);
        assertThat(waiting(writer.run())).isEmpty();
    }

    @Test
    void an_outcome_resent_after_its_run_closed_is_a_duplicate() {
        Writer writer = scheduled("order-1", 1);
        ClaimedJob job = claimJob(session);
        update(completed(job));
        writer.write(writer.closing().consumes(waiting(writer.run()).getFirst()));

        assertThat(update(completed(job))).isEqualTo(DUPLICATE);
    }

    @Test
    void one_outcome_twice_in_a_batch_waits_once() {
        Writer writer = scheduled("order-1", 1);
        ClaimedJob job = claimJob(session);

        assertThat(store.update(List.of(completed(job), completed(job))))
                .containsExactlyInAnyOrder(ACCEPTED, DUPLICATE);
        assertThat(waiting(writer.run())).hasSize(1);
    }

    @Test
    void whatever_a_holder_of_an_old_lease_says_is_stale_and_nothing_is_written() {
        Writer writer = scheduled("order-1", 1);
        ClaimedJob old = claimJob(session);
        update(new JobUpdate.Release(old.key(), old.lease(), Duration.ZERO, null, true, null));
        ClaimedJob current = claimJob(openSession());
        PendingActivity before = details(writer.run()).jobs().getFirst();

        assertThat(store.update(List.of(
                        new JobUpdate.Heartbeat(old.key(), old.lease(), "\"zombie\""),
                        new JobUpdate.Annotate(old.key(), old.lease(), "[\"zombie\"]", null),
                        retry(old, Duration.ofDays(1)),
                        new JobUpdate.Release(old.key(), old.lease(), Duration.ofDays(1), "\"zombie\"", true, null),
                        completed(old))))
                .containsOnly(STALE);

        assertThat(details(writer.run()).jobs().getFirst()).isEqualTo(before);
        assertThat(waiting(writer.run())).isEmpty();
        assertThat(update(completed(current))).isEqualTo(ACCEPTED);
    }

    @Test
    void a_lease_that_never_was_is_stale() {
        Writer writer = scheduled("order-1", 1);
        ClaimedJob job = claimJob(session);
        UUID invented = UUID.randomUUID();

        assertThat(update(Outcomes.completed(job.key(), invented))).isEqualTo(STALE);
        assertThat(update(new JobUpdate.Heartbeat(new JobKey(writer.run(), 99), job.lease(), "1")))
                .isEqualTo(STALE);
        assertThat(jobStates(writer.run())).containsExactly(Map.entry(1, "running"));
    }

    @Test
    void one_stale_update_in_a_batch_touches_no_neighbour() {
        Writer writer = scheduled("order-1", 4);
        List<ClaimedJob> jobs = claimJobs(session);

        assertThat(store.update(List.of(
                        completed(jobs.get(0)),
                        Outcomes.completed(jobs.get(1).key(), UUID.randomUUID()),
                        retry(jobs.get(2), Duration.ofHours(1)),
                        new JobUpdate.Heartbeat(jobs.get(3).key(), jobs.get(3).lease(), "1"))))
                .containsExactly(ACCEPTED, STALE, ACCEPTED, ACCEPTED);
        assertThat(waiting(writer.run())).hasSize(1);
        assertThat(jobStates(writer.run()).values()).containsExactlyInAnyOrder("running", "delayed", "running");
    }

    @Test
    void an_outcome_under_another_message_id_than_its_lease_is_refused_as_a_mistake() {
        Writer writer = scheduled("order-1", 1);
        ClaimedJob job = claimJob(session);

        assertThatThrownBy(() -> new JobUpdate.Settle(job.key(), job.lease(), signal("approve")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(job.lease().toString());
        assertThat(waiting(writer.run())).isEmpty();
    }

    // ── retry, release, heartbeat ───────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_failed_attempt_waits_for_its_delay_and_keeps_its_notes() {
        Writer writer = scheduled("order-1", 1);
        ClaimedJob first = claimJob(session);
        Instant before = store.now();

        assertThat(update(new JobUpdate.Retry(
                        first.key(), first.lease(), Duration.ofSeconds(30), 2, "[{\"n\": 1}]", "declined", null, null)))
                .isEqualTo(ACCEPTED);

        PendingActivity pending = details(writer.run()).jobs().getFirst();
        assertThat(pending.state()).isEqualTo("delayed");
        assertThat(pending.attempt()).isEqualTo(2);
        assertThat(pending.dueAt())
                .isBetween(before.plusSeconds(30), store.now().plusSeconds(30));
        assertThat(pending.session()).isNull();
        assertThat(pending.lastFailure()).isEqualTo("declined");
        assertThat(claimJobs(session)).isEmpty();
        advance(Duration.ofSeconds(20));
        assertThat(claimJobs(session)).isEmpty();
        advance(Duration.ofSeconds(11));
        ClaimedJob second = claimJob(openSession());
        assertThat(second.attempt()).isEqualTo(2);
        assertThat(second.notes()).isEqualTo("[{\"n\": 1}]");
        assertThat(second.lease()).isNotEqualTo(first.lease());
        assertThat(second.crashes()).isZero();
    }

    @Test
    void a_failed_attempt_may_change_the_options_of_those_that_follow() {
        scheduled("order-1", 1);
        ClaimedJob first = claimJob(session);

        update(new JobUpdate.Retry(
                first.key(),
                first.lease(),
                Duration.ZERO,
                2,
                "[]",
                "busy",
                null,
                new JobUpdate.NewOptions(
                        "{\"startToClose\": \"PT7S\"}", first.content().options())));
        ClaimedJob second = claimJob(session);
        assertThat(second.content().options()).isEqualTo("{\"startToClose\": \"PT7S\"}");

        update(new JobUpdate.Retry(second.key(), second.lease(), Duration.ZERO, 3, "[]", "busy", null, null));
        assertThat(claimJob(session).content().options()).as("or leave them").isEqualTo("{\"startToClose\": \"PT7S\"}");
    }

    @Test
    void a_retry_without_delay_is_ready_at_once() {
        scheduled("order-1", 1);
        ClaimedJob first = claimJob(session);
        update(retry(first, Duration.ZERO));

        assertThat(claimJob(session).attempt()).isEqualTo(2);
    }

    @Test
    void a_retry_resent_is_stale() {
        scheduled("order-1", 1);
        ClaimedJob first = claimJob(session);
        update(retry(first, Duration.ZERO));

        assertThat(update(retry(first, Duration.ZERO))).isEqualTo(STALE);
        assertThat(claimJob(session).attempt()).isEqualTo(2);
    }

    @Test
    void a_job_given_back_uses_no_attempt() {
        Writer writer = scheduled("order-1", 1);
        ClaimedJob first = claimJob(session);

        assertThat(update(new JobUpdate.Release(first.key(), first.lease(), Duration.ZERO, null, true, null)))
                .isEqualTo(ACCEPTED);

        assertThat(jobStates(writer.run())).containsExactly(Map.entry(1, "ready"));
        ClaimedJob again = claimJob(openSession());
        assertThat(again.attempt()).isEqualTo(1);
        assertThat(again.crashes()).isZero();
    }

    @Test
    void a_job_given_back_with_a_reason_shows_it_and_uses_no_attempt() {
        Writer writer = scheduled("order-1", 1);
        ClaimedJob first = claimJob(session);
        JobUpdate.Release.Why why = new JobUpdate.Release.Why("[{\"outage\":1}]", "the database was away");

        assertThat(update(new JobUpdate.Release(
                        first.key(), first.lease(), Duration.ofSeconds(1), "{\"row\":7}", true, why)))
                .isEqualTo(ACCEPTED);

        assertThat(store.details(writer.run().runId()).orElseThrow().jobs())
                .singleElement()
                .satisfies(pending -> {
                    assertThat(pending.lastFailure()).isEqualTo("the database was away");
                    assertThat(pending.attempt()).isEqualTo(1);
                });
        advance(Duration.ofSeconds(1));
        ClaimedJob again = claimJob(session);
        assertThat(again.attempt()).isEqualTo(1);
        assertThat(again.notes()).isEqualTo("[{\"outage\":1}]");
        assertThat(again.heartbeatDetails()).isEqualTo("{\"row\":7}");
    }

    @Test
    void a_job_given_back_for_later_waits() {
        scheduled("order-1", 1);
        ClaimedJob first = claimJob(session);
        update(new JobUpdate.Release(first.key(), first.lease(), Duration.ofMinutes(5), "{\"row\":7}", true, null));

        assertThat(claimJobs(session)).isEmpty();
        advance(Duration.ofMinutes(5));
        ClaimedJob again = claimJob(session);
        assertThat(again.attempt()).isEqualTo(1);
        assertThat(again.heartbeatDetails()).isEqualTo("{\"row\":7}");
    }

    @Test
    void a_job_that_its_worker_can_not_read_is_ready_at_once_with_the_reason_and_uses_no_attempt() {
        Writer writer = scheduled("order-1", 1);
        ClaimedJob first = claimJob(session);
        JobUpdate unread = new JobUpdate.Unread(first.key(), first.lease(), Duration.ZERO, "[{\"not\":1}]", "unfit");

        assertThat(update(unread)).isEqualTo(ACCEPTED);
        assertThat(update(unread)).isEqualTo(STALE);

        assertThat(details(writer.run()).jobs()).singleElement().satisfies(job -> {
            assertThat(job.state()).isEqualTo("ready");
            assertThat(job.lastFailure()).isEqualTo("unfit");
        });
        ClaimedJob again = claimJob(openSession());
        assertThat(again.attempt()).isEqualTo(1);
        assertThat(again.crashes()).isZero();
        assertThat(again.notes()).isEqualTo("[{\"not\":1}]");

        update(new JobUpdate.Unread(again.key(), again.lease(), Duration.ofSeconds(10), null, "unfit, too"));
        assertThat(claimJobs(session)).isEmpty();
        advance(Duration.ofSeconds(10));
        assertThat(claimJob(session).notes()).as("kept").isEqualTo("[{\"not\":1}]");
        assertThat(details(writer.run()).jobs().getFirst().lastFailure()).isEqualTo("unfit, too");
    }

    @Test
    void a_job_that_is_to_be_cancelled_ends_where_its_worker_can_not_read_it() {
        Writer writer = scheduled("order-1", 1);
        ClaimedJob job = claimJob(session);
        writer.write(writer.step().cancels(1));

        assertThat(update(new JobUpdate.Unread(job.key(), job.lease(), Duration.ZERO, "[{\"not\":1}]", "unfit")))
                .isEqualTo(CANCEL_REQUESTED);

        InboxMessage outcome = waiting(writer.run()).getFirst();
        assertThat(outcome.name()).isEqualTo("ActivityCancelled");
        assertThat(outcome.notes()).isEqualTo("[{\"not\":1}]");
    }

    @Test
    void the_last_heartbeat_details_reach_the_next_attempt() {
        Writer writer = scheduled("order-1", 1);
        ClaimedJob first = claimJob(session);
        assertThat(heartbeat(first, "{\"row\": 1}")).isEqualTo(ACCEPTED);
        assertThat(heartbeat(first, "{\"row\": 2}")).isEqualTo(ACCEPTED);
        assertThat(heartbeatDetails(writer.run(), 1)).contains("{\"row\": 2}");

        update(retry(first, Duration.ZERO));

        assertThat(claimJob(session).heartbeatDetails()).isEqualTo("{\"row\": 2}");
    }

    @Test
    void a_page_of_jobs_with_large_details_is_a_portion_and_the_next_goes_on_after_its_last_job() {
        scheduled("order-1", 8);
        String details = text(Portion.BYTES / 3);
        claimJobs(session).forEach(job -> assertThat(heartbeat(job, details)).isEqualTo(ACCEPTED));

        List<Integer> seen = new ArrayList<>();
        JobFilter large = JobFilter.ALL.activity("Payments.charge");
        List<OpenJob> page = store.jobs(large, 100);
        while (!page.isEmpty()) {
            assertThat(page).hasSizeBetween(1, 4);
            page.forEach(job -> seen.add(job.key().seq()));
            page = store.jobs(large.after(page.getLast().key()), 100);
        }

        assertThat(seen).containsExactly(1, 2, 3, 4, 5, 6, 7, 8);
        assertThat(store.count(large, 100)).isEqualTo(8);
    }

    @Test
    void details_that_come_with_a_retry_are_the_last_ones() {
        scheduled("order-1", 1);
        ClaimedJob first = claimJob(session);
        heartbeat(first, "1");
        update(new JobUpdate.Retry(first.key(), first.lease(), Duration.ZERO, 2, "[]", null, "2", null));
        ClaimedJob second = claimJob(session);
        assertThat(second.heartbeatDetails()).isEqualTo("2");

        update(retry(second, Duration.ZERO));
        assertThat(claimJob(session).heartbeatDetails())
                .as("kept where none come")
                .isEqualTo("2");
    }

    @Test
    void details_of_a_stale_token_never_reach_the_next_attempt() {
        scheduled("order-1", 1);
        ClaimedJob first = claimJob(session);
        heartbeat(first, "1");
        update(new JobUpdate.Release(first.key(), first.lease(), Duration.ZERO, null, true, null));
        ClaimedJob second = claimJob(session);

        assertThat(heartbeat(first, "\"zombie\"")).isEqualTo(STALE);

        update(new JobUpdate.Release(second.key(), second.lease(), Duration.ZERO, null, true, null));
        assertThat(claimJob(session).heartbeatDetails()).isEqualTo("1");
    }

    @Test
    void a_changed_timeout_is_noted_with_the_running_attempt() {
        scheduled("order-1", 1);
        ClaimedJob first = claimJob(session);

        assertThat(update(new JobUpdate.Annotate(first.key(), first.lease(), "[{\"timeout\":1}]", null)))
                .isEqualTo(ACCEPTED);

        update(new JobUpdate.Release(first.key(), first.lease(), Duration.ZERO, null, true, null));
        assertThat(claimJob(session).notes()).isEqualTo("[{\"timeout\":1}]");
    }

    @Test
    void a_running_attempt_says_what_holds_if_its_worker_is_lost() {
        RunKey run = scheduled("order-1", 1).run();
        ClaimedJob job = claimJob(session);
        JobUpdate.NewOptions once =
                new JobUpdate.NewOptions("{\"atMostOnce\":true}", job.content().options());

        assertThat(update(new JobUpdate.Annotate(job.key(), job.lease(), "[]", once)))
                .isEqualTo(ACCEPTED);
        store.markDead(session, 0);
        store.requeueOrphans(10);

        assertThat(claimJobs(openSession())).as("it may have begun").isEmpty();
        assertThat(waiting(run).getFirst().payload()).contains("OutcomeUnknownException");
    }

    @Test
    void what_a_running_attempt_says_of_its_options_does_not_undo_what_an_order_said() {
        scheduled("order-1", 1);
        ClaimedJob job = claimJob(session);

        update(new JobUpdate.Annotate(
                job.key(), job.lease(), null, new JobUpdate.NewOptions("{\"limit\":2}", "{\"limit\":1}")));

        update(new JobUpdate.Release(job.key(), job.lease(), Duration.ZERO, null, true, null));
        ClaimedJob next = claimJob(session);
        assertThat(next.content().options()).isEqualTo(job.content().options());
        assertThat(next.notes()).isEqualTo(job.notes());
    }

    @Test
    void a_job_that_is_to_be_cancelled_ends_where_its_attempt_would_be_tried_again() {
        Writer writer = scheduled("order-1", 1);
        ClaimedJob job = claimJob(session);
        heartbeat(job, "{\"row\":7}");
        writer.write(writer.step().cancels(1));

        assertThat(update(retry(job, Duration.ZERO))).isEqualTo(CANCEL_REQUESTED);

        assertThat(claimJobs(session)).isEmpty();
        InboxMessage outcome = waiting(writer.run()).getFirst();
        assertThat(outcome.name()).isEqualTo("ActivityCancelled");
        assertThat(outcome.payload()).contains("\"attempt\":1").contains("\"lastHeartbeatDetails\":{\"row\":7}");
        assertThat(outcome.notes()).contains("ActivityAttemptFailed");
    }

    @Test
    void a_job_that_is_to_be_cancelled_ends_where_it_is_given_back() {
        Writer writer = scheduled("order-1", 1);
        ClaimedJob job = claimJob(session);
        writer.write(writer.step().cancels(1));

        assertThat(update(new JobUpdate.Release(job.key(), job.lease(), Duration.ofHours(1), null, true, null)))
                .isEqualTo(CANCEL_REQUESTED);

        assertThat(waitingNames(writer.run())).containsExactly("ActivityCancelled");
        assertThat(writer.write(writer.step().consumes(waiting(writer.run()).getFirst())))
                .isEqualTo(Transition.Outcome.APPLIED);
    }

    @Test
    void a_running_job_is_described_with_who_runs_it() {
        Writer writer = scheduled("order-1", 1);
        claimJob(session);

        PendingActivity pending = details(writer.run()).jobs().getFirst();
        assertThat(pending.activity()).isEqualTo(ACTIVITY);
        assertThat(pending.state()).isEqualTo("running");
        assertThat(pending.session()).isEqualTo(session);
        assertThat(pending.attempt()).isEqualTo(1);
    }

    private JobUpdate.Outcome heartbeat(ClaimedJob job, String details) {
        return update(new JobUpdate.Heartbeat(job.key(), job.lease(), details));
    }
}
