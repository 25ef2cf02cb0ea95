package dev.durable.internal.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.ActivityOptions;
import dev.durable.Durable;
import dev.durable.PayloadException;
import dev.durable.Query;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.history.ActivityCompleted;
import dev.durable.history.ActivityScheduled;
import dev.durable.history.HistoryEvent;
import dev.durable.history.LocalCall;
import dev.durable.history.Payload;
import dev.durable.internal.replay.call.Acts;
import dev.durable.internal.replay.match.RecordedTurn;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Histories hold values that an older release has written and that are refused today: they are replayed as they are. */
class RecordedValuesTest {
    private static final Map<String, Object> SMALL = Map.of("amount", 5L);
    private static final Payload WRITTEN = new Payload("[{\"amount\":5}]");

    @Activity
    interface Ledger {
        String book(Map<String, Object> entry);

        @Activity(local = true)
        String note(Map<String, Object> entry);

        String search(Pattern pattern);
    }

    @Workflow
    static class Booking {
        private final Ledger ledger;
        private final Acts acts;
        private final List<String> seen = new ArrayList<>();

        Booking(Ledger ledger, Acts acts) {
            this.ledger = ledger;
            this.acts = acts;
        }

        @Run
        Map<String, Object> run(String how) {
            try {
                seen.add(
                        switch (how) {
                            case "job" -> ledger.book(SMALL);
                            case "name" -> Durable.activity("Ledger.book", String.class, SMALL);
                            case "local" -> ledger.note(SMALL);
                            case "pattern" -> ledger.search(Pattern.compile("a", Pattern.CASE_INSENSITIVE));
                            case "refused" -> ledger.book(Map.of("amount", 5L, "other", 1));
                            default -> "returned";
                        });
            } catch (PayloadException refused) {
                seen.add("refused");
                acts.a("instead");
                return Map.of();
            }
            acts.a("behind");
            return SMALL;
        }

        @Query
        List<String> seen() {
            return seen;
        }
    }

    /** Replays a history of an older release, and returns the values that its code has seen. */
    private static String replayed(String how, HistoryEvent.Inbound outcome, HistoryEvent.Command... first) {
        try (GivenRun run = GivenRun.of(Booking.class, how)) {
            WorkflowInstance instance = run.instance(false);
            try {
                List<HistoryEvent> history =
                        new ArrayList<>(List.of(run.history().getFirst()));
                history.addAll(List.of(first));
                if (outcome != null) {
                    history.add(outcome);
                    history.add(new ActivityScheduled(
                            history.size() + 1L,
                            GivenRun.START,
                            2,
                            "Acts.a",
                            "queue",
                            new Payload("[\"behind\"]"),
                            ActivityOptions.DEFAULT));
                }
                RecordedTurn.of(history).forEach(turn -> instance.replay(turn.event(), turn.commands()));
                return instance.query("seen", Payload.NO_ARGUMENTS).json();
            } finally {
                instance.evict();
            }
        }
    }

    private static ActivityScheduled scheduled(String activity, String input) {
        return new ActivityScheduled(
                2, GivenRun.START, 1, activity, "queue", new Payload(input), ActivityOptions.DEFAULT);
    }

    private static ActivityCompleted completed(long id, LocalCall call) {
        return new ActivityCompleted(
                id, GivenRun.START, 1, 1, UUID.randomUUID(), new Payload("\"done\""), GivenRun.START, "worker", call);
    }

    @Test
    void arguments_of_a_call_that_stands_in_the_history_are_not_judged_again() {
        HistoryEvent.Inbound end = completed(3, null);

        assertThat(Stream.of("job", "name").map(how -> replayed(how, end, scheduled("Ledger.book", WRITTEN.json()))))
                .containsOnly("[\"done\"]");
        assertThat(replayed("pattern", end, scheduled("Ledger.search", "[\"a\"]")))
                .isEqualTo("[\"done\"]");
    }

    @Test
    void nor_are_those_of_a_local_activity_which_stand_with_its_outcome() {
        assertThat(replayed("local", completed(2, new LocalCall("Ledger.note", WRITTEN))))
                .isEqualTo("[\"done\"]");
    }

    @Test
    void a_refusal_that_the_code_has_answered_is_repeated() {
        try (GivenRun run = GivenRun.of(Booking.class, "job")) {
            run.expect("schedule 1 Acts.a[\"instead\"]").evicted().expectSeen("refused");
        }
        try (GivenRun run = GivenRun.of(Booking.class, "local")) {
            run.expect("schedule 1 Acts.a[\"instead\"]").evicted().expectSeen("refused");
        }
    }

    @Test
    void a_call_that_the_history_has_with_other_arguments_is_refused() {
        assertThatThrownBy(() -> replayed("refused", completed(3, null), scheduled("Ledger.book", WRITTEN.json())))
                .hasMessageContaining("Acts.a");
    }
}
