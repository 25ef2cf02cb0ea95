package dev.durable.store.contract;

import static dev.durable.store.JobUpdate.Outcome.ACCEPTED;
import static dev.durable.store.JobUpdate.Outcome.CANCEL_REQUESTED;
import static dev.durable.store.JobUpdate.Outcome.DUPLICATE;
import static dev.durable.store.JobUpdate.Outcome.STALE;
import static dev.durable.store.Transition.Outcome.APPLIED;
import static dev.durable.store.Transition.Outcome.CLOSE_REFUSED;
import static dev.durable.store.Transition.Outcome.FENCE_LOST;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import dev.durable.logs.MarkedLines;
import dev.durable.store.ClaimedJob;
import dev.durable.store.JobUpdate;
import dev.durable.store.NewEntry;
import dev.durable.store.NewRun;
import dev.durable.store.RunKey;
import dev.durable.store.StreamPage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Streams: entries of runs and attempts, their offsets, and pages of them. */
abstract class StreamContract extends StoreContract {
    private static final long BYTES = 1 << 20;

    private StreamPage page(RunKey chain, String stream, long from, int limit, long bytes) {
        List<StreamPage> pages = store.streams(List.of(new StreamPage.Question(chain, stream, from, limit)), bytes);
        assertThat(pages).hasSize(1);
        return pages.getFirst();
    }

    private StreamPage page(RunKey chain, String stream, long from) {
        return page(chain, stream, from, 1_000, BYTES);
    }

    private List<String> values(RunKey chain, String stream) {
        StreamPage page = page(chain, stream, 0);
        assertThat(page.size()).isEqualTo(page.entries().size());
        assertThat(page.entries())
                .extracting(StreamPage.Entry::offset)
                .containsExactlyElementsOf(
                        LongStream.range(0, page.size()).boxed().toList());
        return page.entries().stream().map(StreamPage.Entry::value).toList();
    }

    private static JobUpdate.Append append(ClaimedJob job, long number, String value) {
        return new JobUpdate.Append(job.key(), job.lease(), job.attempt(), number, new NewEntry("tokens", value));
    }

    private ClaimedJob running(String workflowId) {
        scheduled(workflowId, 1);
        return claimJob(session);
    }

    @Test
    void entries_of_a_step_get_the_next_offsets_of_their_streams_in_their_order() {
        Writer writer = claimed("order-1");
        Instant before = store.now();
        writer.write(writer.step()
                .appends("tokens", "{\"b\":1, \"a\":\"" + MarkedLines.MARKER + "\"}")
                .appends("log", "1")
                .appends("tokens", "\"two\"")
                .staysAwake());
        writer.write(writer.step().appends("tokens", "null").staysAwake());

        StreamPage page = page(writer.run(), "tokens", 0);
        assertThat(page.entries())
                .extracting(StreamPage.Entry::offset, StreamPage.Entry::value, StreamPage.Entry::writer)
                .containsExactly(
                        tuple(0L, "{\"b\":1, \"a\":\"" + MarkedLines.MARKER + "\"}", null),
                        tuple(1L, "\"two\"", null),
                        tuple(2L, "null", null));
        assertThat(page.entries()).allSatisfy(entry -> assertThat(entry.at()).isBetween(before, store.now()));
        assertThat(page.size()).isEqualTo(3);
        assertThat(page.openRun()).isEqualTo(writer.run().runId());
        assertThat(page.isLast()).isFalse();
        assertThat(values(writer.run(), "log")).containsExactly("1");
    }

    @Test
    void a_step_that_is_not_applied_appends_nothing() {
        Writer writer = claimed("order-1");
        StepBuilder late = writer.step().appends("tokens", "1");
        writer.write(writer.step().event("SideEffectRecorded", "{}").staysAwake());
        assertThat(writer.write(late)).isEqualTo(FENCE_LOST);
        signalled(writer.run(), "waits");
        assertThat(writer.write(writer.closing().appends("tokens", "2"))).isEqualTo(CLOSE_REFUSED);

        assertThat(values(writer.run(), "tokens")).isEmpty();
    }

    @Test
    void of_a_batch_with_a_step_that_is_not_applied_the_others_append() {
        Writer stale = claimed("order-1");
        Writer closing = claimed("order-2");
        Writer good = claimed("order-3");
        var late = stale.step().appends("tokens", "1").build();
        stale.write(stale.step().event("SideEffectRecorded", "{}").staysAwake());

        assertThat(store.commit(List.of(
                        late,
                        closing.closing().appends("tokens", "2").build(),
                        good.step().appends("tokens", "3").appends("log", "4").build())))
                .containsExactly(FENCE_LOST, APPLIED, APPLIED);

        assertThat(values(stale.run(), "tokens")).isEmpty();
        assertThat(values(closing.run(), "tokens")).containsExactly("2");
        assertThat(values(good.run(), "tokens")).containsExactly("3");
        assertThat(values(good.run(), "log")).containsExactly("4");
    }

    @Test
    void a_step_that_is_sent_again_after_it_was_written_appends_once() {
        Writer writer = claimed("order-1");
        var step = writer.step().appends("tokens", "1").build();
        assertThat(store.commit(List.of(step))).containsExactly(APPLIED);
        assertThat(store.commit(List.of(step))).containsExactly(FENCE_LOST);

        assertThat(values(writer.run(), "tokens")).containsExactly("1");
    }

    @Test
    void pages_begin_at_any_offset_and_end_at_their_limit_or_with_the_entry_that_reaches_their_size() {
        Writer writer = claimed("order-1");
        StepBuilder step = writer.step();
        IntStream.range(0, 10).forEach(i -> step.appends("tokens", "\"ä-" + i + "\""));
        writer.write(step);

        assertThat(page(writer.run(), "tokens", 3, 4, BYTES).entries())
                .extracting(StreamPage.Entry::offset)
                .containsExactly(3L, 4L, 5L, 6L);
        assertThat(page(writer.run(), "tokens", 3, 1_000, 6).entries())
                .as("six bytes each, as the umlaut has two")
                .extracting(StreamPage.Entry::offset)
                .containsExactly(3L);
        assertThat(page(writer.run(), "tokens", 3, 1_000, 7).entries()).hasSize(2);
        assertThat(page(writer.run(), "tokens", 9, 1_000, 1).entries()).hasSize(1);
        StreamPage beyond = page(writer.run(), "tokens", 12);
        assertThat(beyond.entries()).isEmpty();
        assertThat(beyond.size()).isEqualTo(10);
    }

    @Test
    void one_query_answers_the_readers_of_many_streams() {
        Writer one = claimed("order-1");
        Writer two = claimed("order-2");
        one.write(one.step().appends("tokens", "1").appends("log", "2"));
        two.write(two.closing().appends("tokens", "3"));
        List<StreamPage.Question> questions = List.of(
                new StreamPage.Question(one.run(), "tokens", 0, 10),
                new StreamPage.Question(one.run(), "tokens", 1, 10),
                new StreamPage.Question(one.run(), "log", 0, 10),
                new StreamPage.Question(one.run(), "never", 0, 10),
                new StreamPage.Question(two.run(), "tokens", 0, 10),
                new StreamPage.Question(new RunKey(UUID.randomUUID(), "order-3"), "tokens", 0, 10));

        List<StreamPage> pages = store.streams(questions, BYTES);

        assertThat(pages).extracting(StreamPage::asked).containsExactlyInAnyOrderElementsOf(questions);
        List<StreamPage> sorted = questions.stream()
                .map(question -> pages.stream()
                        .filter(page -> page.asked().equals(question))
                        .findFirst()
                        .orElseThrow())
                .toList();
        assertThat(sorted).extracting(StreamPage::size).containsExactly(1L, 1L, 1L, 0L, 1L, 0L);
        assertThat(sorted).extracting(page -> page.entries().size()).containsExactly(1, 0, 1, 0, 1, 0);
        assertThat(sorted)
                .extracting(StreamPage::openRun)
                .containsExactly(
                        one.run().runId(),
                        one.run().runId(),
                        one.run().runId(),
                        one.run().runId(),
                        null,
                        null);
        assertThat(sorted).extracting(StreamPage::isLast).containsExactly(false, false, false, false, true, true);
        assertThat(store.streams(List.of(), BYTES)).isEmpty();
    }

    @Test
    void a_stream_goes_on_with_its_offsets_in_the_run_that_continues_another_and_in_the_next_attempt() {
        Writer first = claimed("order-1");
        NewRun second = newRun("order-1").build();
        first.write(first.step().appends("tokens", "1").continuesAs(second));
        Writer continued = claimed(second.run());
        assertThat(values(first.run(), "tokens")).containsExactly("1");
        assertThat(page(first.run(), "tokens", 1).openRun())
                .isEqualTo(second.run().runId());

        continued.write(
                continued.step().ofChain(first.run()).appends("tokens", "2").schedules(1));
        assertThat(update(append(claimJob(session), 0, "3"))).isEqualTo(ACCEPTED);
        assertThat(values(first.run(), "tokens")).containsExactly("1", "2", "3");

        NewRun third = newRun("order-1").started("{\"attempt\":{\"number\":2}}").build();
        continued.write(
                continued.step().ofChain(first.run()).appends("tokens", "4").retriedAs(third));
        assertThat(page(first.run(), "tokens", 4).openRun())
                .isEqualTo(third.run().runId());
        terminated(third.run());
        assertThat(values(first.run(), "tokens")).containsExactly("1", "2", "3", "4");
        assertThat(page(first.run(), "tokens", 4).isLast()).isTrue();
    }

    @Test
    void another_chain_of_the_same_workflow_id_has_streams_of_its_own() {
        Writer first = claimed("order-1");
        first.write(first.closing().appends("tokens", "1"));
        Writer second = claimed("order-1");

        assertThat(values(second.run(), "tokens")).isEmpty();
        assertThat(page(first.run(), "tokens", 0).isLast()).isTrue();
        second.write(second.step().appends("tokens", "2"));
        assertThat(values(first.run(), "tokens")).containsExactly("1");
        assertThat(values(second.run(), "tokens")).containsExactly("2");
    }

    @Test
    void an_entry_of_an_attempt_is_written_while_its_lease_is_held_and_names_the_attempt() {
        ClaimedJob job = running("order-1");
        RunKey run = job.key().run();
        assertThat(store.update(List.of(append(job, 0, "1"), append(job, 1, "2"))))
                .containsExactly(ACCEPTED, ACCEPTED);
        assertThat(update(retry(job, Duration.ZERO))).isEqualTo(ACCEPTED);
        ClaimedJob again = claimJob(session);
        assertThat(update(append(job, 2, "\"zombie\""))).isEqualTo(STALE);
        assertThat(store.appendedBefore(again.key(), again.lease(), "tokens")).isEqualTo(2);
        assertThat(store.appendedBefore(again.key(), again.lease(), "other")).isZero();
        assertThat(update(append(again, 0, "3"))).isEqualTo(ACCEPTED);

        assertThat(values(run, "tokens")).containsExactly("1", "2", "3");
        assertThat(page(run, "tokens", 1).entries())
                .extracting(StreamPage.Entry::writer)
                .containsExactly(new StreamPage.Writer(run.runId(), 1, 1), new StreamPage.Writer(run.runId(), 1, 2));
        assertThat(store.appendedBefore(again.key(), again.lease(), "tokens"))
                .as("its own are not counted")
                .isEqualTo(2);
        assertThat(jobStates(run)).containsEntry(1, "running");
    }

    @Test
    void an_entry_that_is_sent_again_under_its_lease_is_known() {
        ClaimedJob job = running("order-1");
        JobUpdate.Append first = append(job, 0, "1");

        assertThat(store.update(List.of(first, first))).containsExactly(ACCEPTED, DUPLICATE);
        assertThat(update(first)).isEqualTo(DUPLICATE);
        assertThat(update(append(job, 1, "2"))).isEqualTo(ACCEPTED);
        assertThat(update(first)).isEqualTo(DUPLICATE);
        assertThat(update(new JobUpdate.Append(job.key(), job.lease(), 1, 0, new NewEntry("log", "1"))))
                .as("numbers are those of a stream")
                .isEqualTo(ACCEPTED);

        assertThat(values(job.key().run(), "tokens")).containsExactly("1", "2");
    }

    @Test
    void an_attempt_that_is_to_be_cancelled_hears_so_with_its_entry() {
        Writer writer = scheduled("order-1", 1);
        ClaimedJob job = claimJob(session);
        writer.write(writer.step().cancels(1));

        assertThat(update(append(job, 0, "1"))).isEqualTo(CANCEL_REQUESTED);
        assertThat(values(writer.run(), "tokens")).containsExactly("1");
    }

    @Test
    void an_entry_after_the_end_of_its_job_or_run_is_stale() {
        ClaimedJob ended = running("order-1");
        update(completed(ended));
        assertThat(update(append(ended, 0, "1"))).isEqualTo(STALE);
        ClaimedJob left = running("order-2");
        terminated(left.key().run());
        assertThat(update(append(left, 0, "1"))).isEqualTo(STALE);

        assertThat(values(ended.key().run(), "tokens")).isEmpty();
        assertThat(values(left.key().run(), "tokens")).isEmpty();
    }

    @Test
    void an_entry_and_the_outcome_of_its_job_in_one_batch_are_written_in_their_order() {
        ClaimedJob job = running("order-1");

        assertThat(store.update(List.of(append(job, 0, "1"), completed(job), append(job, 1, "2"))))
                .containsExactly(ACCEPTED, ACCEPTED, STALE);
        assertThat(values(job.key().run(), "tokens")).containsExactly("1");
    }

    @Test
    void writers_that_race_for_a_stream_leave_no_gap_and_readers_see_no_hole() {
        Writer writer = scheduled("order-1", 4);
        RunKey run = writer.run();
        List<ClaimedJob> jobs = claimJobs(session);
        int each = 25;
        List<CompletableFuture<Void>> rivals = new ArrayList<>();
        for (ClaimedJob job : jobs) {
            rivals.add(CompletableFuture.runAsync(() -> IntStream.range(0, each).forEach(i -> {
                while (update(append(job, i, "\"" + job.key().seq() + "\"")) != ACCEPTED) {
                    Thread.onSpinWait();
                }
            })));
        }
        rivals.add(CompletableFuture.runAsync(() -> IntStream.range(0, each).forEach(i -> {
            while (writer.write(writer.step().appends("tokens", "\"run\"").staysAwake()) != APPLIED) {
                Thread.onSpinWait();
            }
        })));
        CompletableFuture<Void> all = CompletableFuture.allOf(rivals.toArray(CompletableFuture[]::new));
        while (!all.isDone()) {
            values(run, "tokens");
        }
        all.join();

        assertThat(values(run, "tokens")).hasSize(5 * each);
    }
}
