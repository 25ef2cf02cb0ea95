package dev.durable.internal.attempt;

import static dev.durable.internal.dispatch.ActivityBench.context;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.ActivityStream;
import dev.durable.CancelledException;
import dev.durable.PayloadException;
import dev.durable.RefusedInputException;
import dev.durable.StaleAttemptException;
import dev.durable.StreamFullException;
import dev.durable.TypeRef;
import dev.durable.history.ActivityCompleted;
import dev.durable.history.ActivityFailed;
import dev.durable.internal.dispatch.ActivityBench;
import dev.durable.internal.text.Bounds;
import dev.durable.store.JobKey;
import dev.durable.store.JobUpdate;
import dev.durable.store.NewEntry;
import dev.durable.store.StreamPage;
import dev.durable.store.contract.FaultyStore;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Appends of the body of an activity: durable, once, and only under its lease. */
class AttemptStreamsTest {
    private final ActivityBench bench = new ActivityBench();

    private List<StreamPage.Entry> entries(JobKey key) {
        return bench.memory
                .streams(List.of(new StreamPage.Question(key.run(), "tokens", 0, 1_000)), 1 << 20)
                .getFirst()
                .entries();
    }

    private List<String> values(JobKey key) {
        return entries(key).stream().map(StreamPage.Entry::value).toList();
    }

    private JobKey running() {
        return bench.leases.attempts().getFirst().key();
    }

    @Test
    void an_entry_is_durable_before_append_returns() {
        bench.ran(argument -> {
            ActivityStream<List<String>> stream = context().stream("tokens", new TypeRef<List<String>>() {});
            for (int i = 0; i < 3; i++) {
                stream.append(List.of("t" + i));
                assertThat(values(running())).hasSize(i + 1).last().isEqualTo("[\"t" + i + "\"]");
            }
            assertThat(stream.name()).isEqualTo("tokens");
            return null;
        });
    }

    @Test
    void an_entry_whose_commit_was_not_answered_is_there_once() {
        JobKey key = bench.ran(argument -> {
            ActivityStream<String> stream = context().stream("tokens", String.class);
            bench.faulty.next("update", FaultyStore.Fault.DONE_BUT_UNKNOWN);
            stream.append("a");
            bench.faulty.next("update", FaultyStore.Fault.NOT_DONE_AND_UNKNOWN);
            stream.append("b");
            bench.away("update", 3);
            stream.append("c");
            return null;
        });

        assertThat(values(key)).containsExactly("\"a\"", "\"b\"", "\"c\"");
        assertThat(bench.outcome(key)).isInstanceOf(ActivityCompleted.class);
    }

    @Test
    void another_attempt_is_told_how_many_entries_are_there_and_goes_on_behind_them() {
        JobKey key = bench.ran(argument -> {
            ActivityStream<String> stream = context().stream("tokens", String.class);
            assertThat(stream.appendedBefore()).isZero();
            stream.append("a");
            stream.append("b");
            throw new IllegalStateException("broken");
        });
        bench.body = argument -> {
            ActivityStream<String> stream = context().stream("tokens", String.class);
            stream.append("c" + stream.appendedBefore());
            assertThat(stream.appendedBefore()).isEqualTo(2);
            assertThat(context().stream("log", String.class).appendedBefore()).isZero();
            return null;
        };
        bench.pass(Duration.ofSeconds(10));
        bench.work();

        assertThat(values(key)).containsExactly("\"a\"", "\"b\"", "\"c2\"");
        assertThat(entries(key)).extracting(entry -> entry.writer().attempt()).containsExactly(1, 1, 2);
    }

    @Test
    void an_attempt_whose_lease_is_lost_appends_nothing_and_learns_of_it() {
        JobKey key = bench.ran(argument -> {
            ActivityStream<String> stream = context().stream("tokens", String.class);
            stream.append("a");
            bench.memory.closeSession(bench.session.id());
            assertThatThrownBy(() -> stream.append("b")).isInstanceOf(StaleAttemptException.class);
            assertThatThrownBy(() -> stream.append("c")).isInstanceOf(StaleAttemptException.class);
            return null;
        });

        assertThat(values(key)).containsExactly("\"a\"");
    }

    @Test
    void an_entry_is_a_sign_of_life() {
        bench.options = bench.with(Duration.ofHours(1), Duration.ofSeconds(10), bench.options.retry());
        JobKey key = bench.ran(argument -> {
            ActivityStream<Integer> stream = context().stream("tokens", Integer.class);
            for (int i = 0; i < 5; i++) {
                bench.pass(Duration.ofSeconds(9));
                stream.append(i);
            }
            return null;
        });

        assertThat(bench.outcome(key)).isInstanceOf(ActivityCompleted.class);
    }

    @Test
    void a_body_that_waits_for_a_slow_store_is_not_silent() {
        bench.options = bench.with(Duration.ofHours(1), Duration.ofSeconds(10), bench.options.retry());
        JobKey key = bench.ran(argument -> {
            bench.away("update", 40);
            context().stream("tokens", String.class).append("a");
            return null;
        });

        assertThat(bench.outcome(key)).isInstanceOf(ActivityCompleted.class);
        assertThat(entries(key)).extracting(entry -> entry.writer().attempt()).containsExactly(1);
    }

    @Test
    void a_value_that_can_not_be_stored_and_a_name_that_is_none_are_refused_where_they_are_given() {
        JobKey key = bench.ran(argument -> {
            ActivityStream<String> stream = context().stream("tokens", String.class);
            assertThatThrownBy(() -> stream.append("x".repeat(20_000)))
                    .isInstanceOf(PayloadException.class)
                    .hasMessageContaining("an entry of stream tokens of Work.run");
            assertThatThrownBy(() -> context().stream("", String.class)).isInstanceOf(RefusedInputException.class);
            stream.append("y");
            return null;
        });

        assertThat(values(key)).containsExactly("\"y\"");
    }

    @Test
    void a_full_stream_fails_the_activity_without_another_attempt() {
        String large = "\"" + "x".repeat((int) (Bounds.STREAM_BYTES / 8)) + "\"";
        JobKey key = bench.ran(argument -> {
            for (int i = 0; i < 8; i++) {
                bench.memory.update(
                        List.of(new JobUpdate.Append(running(), lease(), 1, i, new NewEntry("tokens", large))));
            }
            throw new IllegalStateException("broken");
        });
        bench.body = argument -> {
            context().stream("log", String.class).append("another stream takes more");
            context().stream("tokens", String.class).append("y");
            return null;
        };
        bench.pass(Duration.ofSeconds(10));
        bench.work();

        assertThat(bench.outcome(key)).isInstanceOfSatisfying(ActivityFailed.class, failed -> {
            assertThat(failed.failure().type()).isEqualTo(StreamFullException.class.getName());
            assertThat(failed.failure().message())
                    .startsWith("stream tokens takes no more entries of activities: it has 1000000"
                            + " entries or 256 MiB. Usual cause:");
        });
    }

    private UUID lease() {
        return bench.leases.attempts().getFirst().lease();
    }

    @Test
    void a_cancelled_activity_hears_of_it_with_its_entry() {
        JobKey key = bench.ran(argument -> {
            bench.leases.attempts().getFirst().cancel();
            ActivityStream<String> stream = context().stream("tokens", String.class);
            assertThatThrownBy(() -> stream.append("last")).isInstanceOf(CancelledException.class);
            return null;
        });

        assertThat(values(key)).containsExactly("\"last\"");
    }

    @Test
    void a_thread_that_is_interrupted_while_it_waits_loses_no_entry_and_repeats_none() {
        JobKey key = bench.ran(argument -> {
            ActivityStream<String> stream = context().stream("tokens", String.class);
            bench.whileWaiting = () -> {
                bench.whileWaiting = () -> {};
                throw new IllegalStateException("the wait is cut short");
            };
            assertThatThrownBy(() -> stream.append("a")).hasMessage("the wait is cut short");
            stream.append("b");
            return null;
        });

        assertThat(values(key)).containsExactly("\"a\"", "\"b\"");
    }
}
