package dev.durable.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.StoreUnavailableException;
import dev.durable.Trials;
import dev.durable.internal.drive.Step;
import dev.durable.store.memory.VirtualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** When the questions of waiting callers are asked, and what that costs where there are many. */
class PolledAnswersTest {
    private static final int AT_ONCE = 50;

    private final VirtualClock clock = new VirtualClock();
    private final List<List<Question>> queries = new ArrayList<>();
    private Runnable meanwhile = () -> {};
    /** The number of entries of every run. */
    private int size;

    private final PolledAnswers<Question, Page> answers = new PolledAnswers<>(
            clock,
            () -> true,
            new PolledAnswers.Query<>(
                    this::ask,
                    Page::asked,
                    page -> new Question(page.asked().run(), page.size()),
                    Question::run,
                    AT_ONCE));

    private record Question(UUID run, int from) {}

    private record Page(Question asked, int size) {}

    private List<Page> ask(List<Question> questions) {
        queries.add(questions);
        int before = size;
        meanwhile.run();
        return questions.stream().map(question -> new Page(question, before)).toList();
    }

    private CompletableFuture<Page> next(UUID run, int from) {
        return answers.answer(new Question(run, from), null, page -> page.size() > from, false);
    }

    private CompletableFuture<Page> forEver() {
        return next(UUID.randomUUID(), Integer.MAX_VALUE);
    }

    /** So many callers whose answers never come. */
    private void idle(int callers) {
        assertThat(Stream.generate(this::forEver).limit(callers)).noneMatch(CompletableFuture::isDone);
    }

    private void runAll() {
        while (answers.runOnce().equals(Step.AGAIN)) {
            // Each step makes one query of questions that are due.
        }
    }

    private long asked() {
        return queries.stream().mapToLong(List::size).sum();
    }

    @Test
    void a_caller_who_waits_again_and_again_has_the_questions_of_others_asked_no_more_often() {
        int idle = 2_000;
        idle(idle);
        UUID live = UUID.randomUUID();
        for (int i = 0; i < 500; i++) {
            CompletableFuture<Page> entry = next(live, size);
            clock.advance(Duration.ofMillis(20));
            size++;
            answers.look(live);
            runAll();
            assertThat(entry).isDone();
        }

        assertThat(asked())
                .as("in ten seconds seven times until they are asked once a second, and then so")
                .isBetween(500 + 10L * idle, 500 + 16L * idle);
        assertThat(queries.stream().filter(query -> query.size() > 1)).allMatch(query -> query.size() == AT_ONCE);
    }

    @Test
    void callers_who_came_at_different_times_share_the_queries_of_those_who_are_due() {
        for (int i = 0; i < AT_ONCE; i++) {
            idle(1);
            clock.advance(Duration.ofMillis(2));
            runAll();
        }
        clock.advance(Duration.ofSeconds(1));
        runAll();
        queries.clear();

        for (int i = 0; i < 1_000; i++) {
            clock.advance(Duration.ofMillis(10));
            runAll();
        }

        assertThat(queries).hasSizeBetween(9, 40).allMatch(query -> query.size() == AT_ONCE);
    }

    @Test
    void a_nudge_that_comes_during_a_query_is_answered_by_the_next_one() {
        idle(4 * AT_ONCE);
        UUID live = UUID.randomUUID();
        CompletableFuture<Page> entry = next(live, 0);
        clock.advance(Duration.ofSeconds(1));
        meanwhile = () -> {
            if (queries.size() == 1) {
                size++;
                answers.look(live);
            }
        };

        runAll();

        assertThat(entry).isDone();
        assertThat(queries.get(1)).containsExactly(new Question(live, 0));
    }

    @Test
    void a_hint_about_a_run_costs_nothing_for_those_who_wait_for_other_runs() throws Exception {
        idle(10_000);
        Trials.once(number -> {
            long began = System.nanoTime();
            IntStream.range(0, 20_000).forEach(i -> answers.look(UUID.randomUUID()));
            assertThat(System.nanoTime() - began).isLessThan(TimeUnit.SECONDS.toNanos(4));
        });
    }

    @Test
    void a_caller_who_comes_back_late_hears_the_nudge_that_another_one_has_heard() {
        UUID run = UUID.randomUUID();
        CompletableFuture<Page> fast = next(run, 0);
        CompletableFuture<Page> slow = next(run, 0);
        size = 1;
        answers.look(run);
        answers.runOnce();
        assertThat(slow).isDone();
        assertThat(fast).isDone();

        CompletableFuture<Page> fastAgain = next(run, 1);
        size = 2;
        answers.look(run);
        answers.runOnce();
        assertThat(fastAgain).isDone();
        CompletableFuture<Page> slowAgain = next(run, 1);
        answers.runOnce();

        assertThat(slowAgain).isDone();
        queries.clear();
        CompletableFuture<Page> waits = next(run, 2);
        answers.runOnce();
        assertThat(waits).isNotDone();
        assertThat(queries).as("what is known needs no query").isEmpty();
    }

    @Test
    void a_nudge_that_comes_while_the_caller_is_told_is_heard_by_its_next_wait() {
        UUID run = UUID.randomUUID();
        CompletableFuture<Page> first = next(run, 0);
        size = 1;
        answers.look(run);
        meanwhile = () -> {
            size = 2;
            answers.look(run);
        };
        answers.runOnce();
        assertThat(first.join().size()).isEqualTo(1);
        meanwhile = () -> {};

        CompletableFuture<Page> second = next(run, 1);
        answers.runOnce();

        assertThat(second).isDone();
    }

    @Test
    void questions_whose_query_has_failed_are_asked_by_the_next_step() {
        UUID run = UUID.randomUUID();
        CompletableFuture<Page> hinted = next(run, 0);
        size = 1;
        answers.look(run);
        failOnce();
        answers.runOnce();
        assertThat(hinted).isDone();

        CompletableFuture<Page> due = forEver();
        clock.advance(Duration.ofMillis(100));
        failOnce();
        queries.clear();
        answers.runOnce();
        assertThat(asked()).isOne();

        due.cancel(false);
        assertThat(answers.runOnce()).isEqualTo(Step.UNTIL_WOKEN);
    }

    private void failOnce() {
        meanwhile = () -> {
            throw new StoreUnavailableException("away");
        };
        assertThatThrownBy(answers::runOnce).isInstanceOf(StoreUnavailableException.class);
        meanwhile = () -> {};
    }

    @Test
    void where_nudges_may_have_been_lost_all_questions_are_asked_at_once() {
        idle(AT_ONCE + 1);
        runAll();
        assertThat(asked()).isZero();

        answers.look();
        runAll();

        assertThat(asked()).isGreaterThanOrEqualTo(AT_ONCE + 1);
    }
}
