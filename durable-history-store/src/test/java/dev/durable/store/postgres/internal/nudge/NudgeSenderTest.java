package dev.durable.store.postgres.internal.nudge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.store.Nudges.Nudge;
import dev.durable.store.Nudges.RunClosed;
import dev.durable.store.Nudges.RunsDue;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Tests the sender step by step: its thread is never started. */
class NudgeSenderTest {
    private final AtomicLong nanos = new AtomicLong();
    private final ListenerPresence audience = new ListenerPresence(nanos::get);
    private final List<List<String>> statements = new ArrayList<>();
    private final List<Runnable> threads = new ArrayList<>();
    private boolean away;
    private final NudgeSender sender = new NudgeSender("me", audience, this::send, threads::add, nanos::get);

    @Test
    void what_comes_while_one_is_sent_goes_together_and_once() {
        sender.add(List.of(new RunsDue("a")));
        sender.add(List.of(new RunsDue("b"), new RunsDue("a")));
        sender.add(List.of(new RunsDue("a")));

        assertThat(sender.runOnce()).isTrue();
        assertThat(sender.runOnce()).isFalse();

        assertThat(statements).containsExactly(List.of("me\nr a\nr b"));
        assertThat(threads).as("one thread for all").hasSize(1);
    }

    @Test
    void a_sender_that_has_rested_starts_its_thread_again() {
        sender.add(List.of(new RunsDue("a")));
        while (sender.runOnce()) {}
        sender.add(List.of(new RunsDue("a")));

        assertThat(threads).hasSize(2);
        assertThat(sender.runOnce()).isTrue();
        assertThat(statements).hasSize(2);
    }

    @Test
    void who_has_just_begun_to_listen_can_not_know_yet_whether_it_is_alone() {
        audience.listening(true);
        sender.add(List.of(new RunsDue("a")));

        assertThat(sender.runOnce()).isTrue();
        assertThat(statements).containsExactly(List.of("me\nr a"));
    }

    @Test
    void a_process_that_hears_and_is_alone_sends_nothing() {
        audience.listening(true);
        nanos.addAndGet(ListenerPresence.ANSWERS.toNanos());
        sender.add(List.of(new RunsDue("a")));
        assertThat(threads).isEmpty();

        audience.heard();
        sender.add(List.of(new RunsDue("b")));
        assertThat(sender.runOnce()).isTrue();
        assertThat(statements).containsExactly(List.of("me\nr b"));
    }

    @Test
    void who_has_not_been_heard_for_half_a_minute_is_not_there_any_more() {
        audience.listening(true);
        audience.heard();
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(29));
        assertThat(audience.isElsewhere()).isTrue();

        nanos.addAndGet(TimeUnit.SECONDS.toNanos(2));
        assertThat(audience.isElsewhere()).isFalse();
    }

    @Test
    void while_the_database_is_away_nudges_are_forgotten_and_do_not_pile_up() {
        away = true;
        sender.add(List.of(new RunsDue("a")));
        assertThat(sender.runOnce()).isTrue();
        away = false;
        for (int i = 0; i < 100; i++) {
            sender.add(List.of(new RunsDue("later-" + i)));
            sender.runOnce();
        }

        assertThat(sender.runOnce()).isFalse();
        assertThat(statements).as("within the back-off nothing is tried").isEmpty();
    }

    @Test
    void what_is_pending_is_bounded() {
        List<Nudge> many = new ArrayList<>();
        for (int i = 0; i < NudgeSender.MAX_PENDING; i++) {
            many.add(new RunClosed(UUID.randomUUID()));
        }
        sender.add(many);
        sender.add(List.of(new RunClosed(UUID.randomUUID())));
        sender.runOnce();

        assertThat(statements.getFirst().stream()
                        .mapToInt(
                                payload -> NudgeMessage.decode(payload).nudges().size())
                        .sum())
                .isEqualTo(NudgeSender.MAX_PENDING);
    }

    // ── at once ──────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void what_may_go_at_once_is_the_callers_to_send_but_not_twice_in_a_row() {
        assertThat(sender.takeAtOnce(List.of(new RunsDue("a")))).contains("me\nr a");
        assertThat(sender.takeAtOnce(List.of(new RunsDue("b"))))
                .as("too soon: others send, too")
                .isEmpty();

        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(3));

        assertThat(sender.takeAtOnce(List.of(new RunsDue("b")))).contains("me\nr b");
        assertThat(statements).isEmpty();
        assertThat(threads).isEmpty();
    }

    @Test
    void while_others_are_sent_nothing_goes_at_once() {
        sender.add(List.of(new RunsDue("a")));

        assertThat(sender.takeAtOnce(List.of(new RunsDue("b")))).isEmpty();

        while (sender.runOnce()) {}
        assertThat(sender.takeAtOnce(List.of(new RunsDue("b")))).isPresent();
    }

    @Test
    void who_is_alone_takes_nothing_along() {
        audience.listening(true);
        nanos.addAndGet(ListenerPresence.ANSWERS.toNanos());

        assertThat(sender.takeAtOnce(List.of(new RunsDue("a")))).isEmpty();
    }

    @Test
    void what_does_not_fit_into_one_message_does_not_go_at_once() {
        List<Nudge> many = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            many.add(new RunClosed(UUID.randomUUID()));
        }

        assertThat(sender.takeAtOnce(many)).isEmpty();
    }

    @Test
    void when_it_fails_there_nothing_goes_for_longer_and_longer_until_one_arrives() {
        sender.failed(new SQLException("payload string too long"));
        assertThat(sender.takeAtOnce(List.of(new RunsDue("a")))).isEmpty();
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(250));
        assertThat(sender.takeAtOnce(List.of(new RunsDue("a")))).isPresent();

        sender.failed(new SQLException("payload string too long"));
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(250));
        assertThat(sender.takeAtOnce(List.of(new RunsDue("a")))).isEmpty();
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(250));
        assertThat(sender.takeAtOnce(List.of(new RunsDue("a")))).isPresent();

        sender.succeeded();
        sender.failed(new SQLException("payload string too long"));
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(250));
        assertThat(sender.takeAtOnce(List.of(new RunsDue("a")))).isPresent();
    }

    @Test
    void several_that_fail_together_count_as_one() {
        sender.failed(new SQLException("gone"));
        sender.failed(new SQLException("gone"));
        sender.failed(new SQLException("gone"));

        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(250));
        assertThat(sender.takeAtOnce(List.of(new RunsDue("a")))).isPresent();
    }

    private void send(List<String> payloads) throws SQLException {
        if (away) {
            throw new SQLException("connection refused", "08001");
        }
        statements.add(payloads);
    }
}
