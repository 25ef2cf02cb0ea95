package dev.durable.store.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.ReusePolicy;
import dev.durable.client.WorkflowStatus;
import dev.durable.internal.text.Portion;
import dev.durable.store.BatchPlace;
import dev.durable.store.BatchStore;
import dev.durable.store.ClaimedJob;
import dev.durable.store.JobStart;
import dev.durable.store.JobUpdate;
import dev.durable.store.NewRun;
import dev.durable.store.RunFilter;
import dev.durable.store.RunKey;
import dev.durable.store.RunRecord;
import dev.durable.store.StartOutcome;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Batches of background jobs: a membership, and an order. */
abstract class BatchContract extends StoreContract {
    private static final String STARTED = "{\"workflowId\":\"x\",\"input\":[\"" + ACTIVITY + "\",[],{}]}";

    private NewRunBuilder member(String batch, int number) {
        return newRun(batch + "/" + number)
                .type(JobStart.TYPE)
                .started(STARTED)
                .at(batch, number)
                .reuse(ReusePolicy.REJECT_DUPLICATE);
    }

    private NewRun job(String batch, int number, Instant at) {
        return member(batch, number).schedules(Outcomes.job(1, at)).build();
    }

    @Test
    void the_jobs_of_a_batch_are_claimed_in_the_order_of_their_times_however_they_are_written() {
        Instant first = store.now().truncatedTo(ChronoUnit.MICROS);
        List<NewRun> jobs = new ArrayList<>(IntStream.range(0, 60)
                .mapToObj(i -> job("b", i, first.plus(i, ChronoUnit.MICROS)))
                .toList());
        // One whose commit was lost comes behind the others; a group is written in the order of its locks.
        List<NewRun> late = List.copyOf(jobs.subList(10, 20));
        jobs.removeAll(late);
        store.start(jobs);
        store.start(late);

        List<Integer> claimed = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            ClaimedJob job = claimJob(session);
            claimed.add(Integer.parseInt(job.key().run().workflowId().substring(2)));
        }
        if (!inMemory()) {
            assertThat(claimed).isSorted();
        }
        assertThat(claimed).hasSize(60).doesNotHaveDuplicates();
    }

    /** There what is written first is claimed first: nothing is written out of turn. */
    private boolean inMemory() {
        return store.getClass().getPackageName().endsWith("memory");
    }

    @Test
    void members_come_by_their_numbers_page_by_page() {
        List<Integer> numbers = new ArrayList<>(IntStream.range(0, 25).boxed().toList());
        Collections.shuffle(numbers, new Random(7));
        numbers.forEach(number -> started(member("b", number)));
        started(member("b/sub", 0));
        started(newRun("b/99").type(JobStart.TYPE).started(STARTED));

        List<Integer> seen = new ArrayList<>();
        List<BatchStore.Member> page = store.members("b", -1, 10);
        while (!page.isEmpty()) {
            assertThat(page).hasSizeLessThanOrEqualTo(10);
            page.forEach(member -> {
                assertThat(member.run().run().workflowId()).isEqualTo("b/" + member.number());
                seen.add(member.number());
            });
            page = store.members("b", page.getLast().number(), 10);
        }

        assertThat(seen)
                .containsExactlyElementsOf(IntStream.range(0, 25).boxed().toList());
        assertThat(store.members("nobody's", -1, 10)).isEmpty();
        assertThat(store.runs(RunFilter.ALL.batch("b"), 100)).hasSize(25);
        assertThat(store.count(RunFilter.ALL.batch("b/sub"))).isOne();
    }

    @Test
    void a_page_of_large_members_is_a_portion_and_the_next_goes_on_after_the_last_number() {
        String large = text(Portion.BYTES / 3);
        IntStream.range(0, 8).forEach(number -> started(member("b", number).memo("large", large)));

        List<Integer> seen = new ArrayList<>();
        List<BatchStore.Member> page = store.members("b", -1, 100);
        while (!page.isEmpty()) {
            assertThat(page).hasSizeBetween(1, 4);
            page.forEach(member -> seen.add(member.number()));
            page = store.members("b", page.getLast().number(), 100);
        }

        assertThat(seen).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
    }

    @Test
    void a_place_is_held_by_the_last_run_that_was_started_there() {
        RunKey first = started(member("b", 0));
        terminated(first);
        advance(Duration.ofSeconds(1));
        RunKey again = started(member("b", 0).reuse(ReusePolicy.ALLOW_DUPLICATE));
        RunKey other = started(member("b", 1));
        BatchPlace zero = new BatchPlace("b", 0);
        BatchPlace one = new BatchPlace("b", 1);

        assertThat(store.held(Map.of(zero, again, one, other, new BatchPlace("b", 2), other)))
                .containsExactlyInAnyOrder(zero, one);
        assertThat(store.held(Map.of(zero, first))).isEmpty();
        assertThat(store.held(Map.of())).isEmpty();
    }

    @Test
    void a_tally_tells_what_has_ended_how_and_what_waits_for_an_operator() {
        Instant now = store.now();
        store.start(IntStream.range(0, 6).mapToObj(i -> job("b", i, now)).toList());
        List<ClaimedJob> jobs = claimJobs(session);
        assertThat(jobs).hasSize(6);
        bury(jobs.get(0), false);
        bury(jobs.get(1), true);
        terminated(jobs.get(2).key().run());

        assertThat(store.batch("b")).isEqualTo(new BatchStore.Tally(0, 0, 1, 5, 1, 1));
        assertThat(store.batch("a")).isEqualTo(new BatchStore.Tally(0, 0, 0, 0, 0, 0));
    }

    private void bury(ClaimedJob job, boolean incident) {
        assertThat(update(new JobUpdate.Bury(job.key(), job.lease(), incident, 2, "alike", "[]", "no", null, null)))
                .isEqualTo(JobUpdate.Outcome.ACCEPTED);
    }

    @Test
    void who_is_in_the_way_is_told_with_its_activity_and_whether_it_is_of_the_batch() {
        RunKey there = started(member("b", 0));
        RunKey other = started(newRun("b/1").type(JobStart.TYPE).started(STARTED));
        RunKey workflow = started("b/2");

        List<StartOutcome> outcomes = store.start(
                IntStream.range(0, 4).mapToObj(i -> member("b", i).build()).toList());

        assertThat(outcomes)
                .containsExactly(
                        new StartOutcome.AlreadyOpen(there.runId(), JobStart.TYPE, null, ACTIVITY, true),
                        new StartOutcome.AlreadyOpen(other.runId(), JobStart.TYPE, null, ACTIVITY, false),
                        new StartOutcome.AlreadyOpen(workflow.runId(), TYPE, null),
                        new StartOutcome.Started(false));
    }

    @Test
    void who_was_there_before_is_told_with_whether_it_was_of_the_batch() {
        RunKey there = started(member("b", 0));
        RunKey other = started(newRun("b/1").type(JobStart.TYPE).started(STARTED));
        terminated(there);
        terminated(other);

        assertThat(store.start(List.of(member("b", 0).build(), member("b", 1).build())))
                .containsExactly(
                        new StartOutcome.Refused(there.runId(), WorkflowStatus.TERMINATED, true),
                        new StartOutcome.Refused(other.runId(), WorkflowStatus.TERMINATED, false));
    }

    @Test
    void a_job_that_is_started_again_at_its_place_is_the_one_from_then_on() {
        terminated(started(member("b", 0)));
        advance(Duration.ofSeconds(1));
        RunKey again = started(member("b", 0).reuse(ReusePolicy.ALLOW_DUPLICATE));

        assertThat(store.members("b", -1, 10))
                .extracting(BatchStore.Member::run)
                .extracting(RunRecord::run)
                .containsExactly(again);
        assertThat(store.runs(RunFilter.ALL.batch("b"), 10))
                .extracting(RunRecord::run)
                .containsExactly(again);
        assertThat(store.batch("b")).isEqualTo(new BatchStore.Tally(0, 0, 0, 1, 0, 0));
    }

    @Test
    void a_start_that_is_sent_again_is_in_the_batch_once() {
        NewRun run = member("b", 0).build();
        store.start(List.of(run));

        assertThat(store.start(List.of(run))).containsExactly(new StartOutcome.Started(true));
        assertThat(store.members("b", -1, 10)).hasSize(1);
    }
}
