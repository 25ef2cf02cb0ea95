package dev.durable.store.postgres.internal.nudge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.store.Nudges.JobBuried;
import dev.durable.store.Nudges.JobsReady;
import dev.durable.store.Nudges.Nudge;
import dev.durable.store.Nudges.RunClosed;
import dev.durable.store.Nudges.RunsDue;
import dev.durable.store.Nudges.StreamWritten;
import dev.durable.store.Nudges.UpdateAnswered;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class NudgeMessageTest {
    private static final String SENDER = UUID.randomUUID().toString();

    @Test
    void what_is_sent_is_what_is_heard_whatever_the_queues_are_called() {
        List<Nudge> nudges = List.of(
                new RunsDue("default"),
                new JobsReady("line\nbreak"),
                new RunsDue("späte Öfen \uD83D\uDE00 %20+&"),
                new JobsReady(""),
                new UpdateAnswered(UUID.randomUUID()),
                new StreamWritten(UUID.randomUUID()),
                new JobBuried(),
                new RunClosed(UUID.randomUUID()));

        List<String> payloads = NudgeMessage.encode(SENDER, nudges);

        assertThat(payloads).hasSize(1);
        assertThat(NudgeMessage.decode(payloads.getFirst())).isEqualTo(new NudgeMessage(SENDER, false, nudges));
    }

    @Test
    void many_nudges_go_in_several_payloads_that_the_server_takes() {
        List<RunClosed> nudges = IntStream.range(0, 1_000)
                .mapToObj(i -> new RunClosed(UUID.randomUUID()))
                .toList();

        List<String> payloads = NudgeMessage.encode(SENDER, nudges);

        assertThat(payloads)
                .hasSizeBetween(5, 6)
                .allSatisfy(payload ->
                        assertThat(payload.getBytes(StandardCharsets.UTF_8)).hasSizeLessThan(8_000));
        assertThat(payloads.stream().flatMap(payload -> NudgeMessage.decode(payload).nudges().stream()))
                .containsExactlyElementsOf(nudges);
    }

    @Test
    void a_queue_with_a_name_that_fits_nowhere_keeps_no_other_from_being_nudged() {
        assertThat(NudgeMessage.encode(SENDER, List.of(new RunsDue("x".repeat(9_000)), new RunsDue("b"))))
                .containsExactly(SENDER + "\nr b");
    }

    @Test
    void nothing_to_tell_says_that_the_sender_is_there() {
        assertThat(NudgeMessage.encode(SENDER, List.of())).containsExactly(SENDER);
        assertThat(NudgeMessage.decode(SENDER)).isEqualTo(new NudgeMessage(SENDER, false, List.of()));
        assertThat(NudgeMessage.decode(NudgeMessage.ask(SENDER))).isEqualTo(new NudgeMessage(SENDER, true, List.of()));
    }

    @Test
    void a_line_that_can_not_be_read_is_passed_over_and_the_others_are_heard() {
        assertThat(NudgeMessage.decode(SENDER + "\nc xyz\nr %zz\nj %\nc \n\nq\nr a\u001b[2J\nc 1-1-1-1\nr b")
                        .nudges())
                .contains(new RunsDue("b"));
        assertThat(NudgeMessage.decode(SENDER + "\nr a".repeat(1_990) + "\nr b".repeat(100))
                        .nudges())
                .hasSize(1_999);
    }

    @Test
    void what_a_newer_version_says_is_passed_over() {
        assertThat(NudgeMessage.decode(SENDER + "\nz new\nr a\n!\n").nudges()).containsExactly(new RunsDue("a"));
        assertThat(NudgeMessage.decode("").nudges()).isEmpty();
    }
}
