package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.Durable;
import dev.durable.NonDeterminismException;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.history.ActivityScheduled;
import dev.durable.history.History;
import dev.durable.history.HistoryEvent;
import dev.durable.history.HistoryJson;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Histories of calls by name that a version made which looked neither at the options of the type nor at the arguments. */
class OldCallsByNameTest {
    private static final Path GOLDEN =
            Path.of("src/test/resources/histories/calls-by-name-before-they-were-checked.json");

    @Activity(name = "Pay", startToClose = "7s")
    interface Pay {
        @Activity(atMostOnce = true)
        String charge(String code);

        int total(int cents);
    }

    /** The code that made it: what was too much was dropped, what was missing became null, "7" was read as a number. */
    @Workflow
    static class AsItWas {
        @Run
        String run() {
            return Durable.activity("Pay.charge", String.class, "right")
                    + Durable.activity("Pay.charge", String.class, "first", "dropped", "dropped too")
                    + Durable.activity("Pay.charge", String.class)
                    + Durable.activity("Pay.total", Integer.class, "7");
        }
    }

    @Workflow(name = "AsItWas")
    static class WithOptions {
        @Run
        String run() {
            return Durable.activity("Pay.charge", o -> o.startToClose(Duration.ofSeconds(3)), String.class, "right");
        }
    }

    @Test
    void replay_whether_the_type_is_known_or_not() {
        assertThat(Replayer.of(AsItWas.class).replay(GOLDEN)).isOne();
        assertThat(Replayer.of(AsItWas.class, Pay.class).replay(GOLDEN)).isOne();
    }

    @Test
    void an_option_that_the_call_itself_sets_and_the_history_has_otherwise_is_a_difference() {
        History whole = HistoryJson.read(GOLDEN);
        List<HistoryEvent> firstTurn = whole.subList(0, 2);
        assertThat(firstTurn.getLast()).isInstanceOf(ActivityScheduled.class);
        assertThatThrownBy(() -> Replayer.of(WithOptions.class).replay(new History(firstTurn)))
                .isExactlyInstanceOf(NonDeterminismException.class)
                .hasMessageContaining("PT3S");
    }
}
