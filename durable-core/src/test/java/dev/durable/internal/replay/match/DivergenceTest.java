package dev.durable.internal.replay.match;

import static dev.durable.Durable.async;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.history.ActivityScheduled;
import dev.durable.history.HistoryEvent;
import dev.durable.history.Payload;
import dev.durable.history.TimerStarted;
import dev.durable.history.WorkflowCompleted;
import dev.durable.history.WorkflowTerminated;
import dev.durable.internal.replay.GivenRun;
import dev.durable.internal.replay.WorkflowInstance;
import dev.durable.internal.replay.call.Acts;
import dev.durable.internal.replay.coroutine.Eviction;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Rules 13, 15 and 16: commands of the code that are not those of the history, and the errors about them. */
class DivergenceTest {

    /** Its code depends on what a deployment has changed. */
    @Workflow
    static class Shop {
        static String code = "";
        static Object swallowed;

        private final Acts acts;

        Shop(Acts acts) {
            this.acts = acts;
        }

        @Run
        String run(String ignored) throws Exception {
            return switch (code) {
                case "charge, label" -> acts.a("charge") + acts.elsewhere("label");
                case "charge, audit, label" -> {
                    String charged = acts.a("charge");
                    acts.nothing();
                    yield charged + acts.elsewhere("label");
                }
                case "charge, sleep, label" -> {
                    String charged = acts.a("charge");
                    Durable.sleep(Duration.ofHours(1));
                    yield charged + acts.elsewhere("label");
                }
                case "charge" -> acts.a("charge");
                case "charge, wait" -> {
                    acts.a("charge");
                    Durable.await(() -> false);
                    yield "";
                }
                case "charge 2" -> acts.a("charge 2") + acts.elsewhere("label");
                case "all at once" -> {
                    async(acts::a, "1");
                    async(acts::elsewhere, "2");
                    acts.nothing();
                    yield "";
                }
                case "all at once, other order" -> {
                    async(acts::elsewhere, "2");
                    async(acts::a, "1");
                    acts.nothing();
                    yield "";
                }
                case "tell order-1" -> {
                    Durable.external(Shop.class, "order-1").signal(w -> w.approve("ann"));
                    yield acts.a("charge");
                }
                case "tell order-1 of bob" -> {
                    Durable.external(Shop.class, "order-1").signal(w -> w.approve("bob"));
                    yield acts.a("charge");
                }
                case "tell order-2" -> {
                    Durable.external(Shop.class, "order-2").signal(w -> w.approve("ann"));
                    yield acts.a("charge");
                }
                case "cancel order-1" -> {
                    Durable.external(Shop.class, "order-1").cancel("sold out");
                    yield acts.a("charge");
                }
                case "swallowing" -> {
                    try {
                        acts.nothing();
                    } catch (Throwable t) {
                        swallowed = t;
                    }
                    yield acts.a("charge");
                }
                default -> throw new IllegalStateException(code);
            };
        }

        @Signal
        void approve(String by) {}
    }

    @Test
    void a_signal_to_another_workflow_than_the_recorded_one_is_shown_with_its_target() {
        assertThat(divergence("tell order-1", "tell order-2").getMessage().replaceAll(":\\d+\\)", ":0)"))
                .contains(
                        "≠      2  ExternalSignalRequested 1 approve to order-1   ExternalSignalRequested 1 approve to order-2   DivergenceTest.Shop.run(DivergenceTest.java:0)")
                .contains("the call signal approve to workflow order-2 was added in front of signal approve to workflow"
                        + " order-1 after this run had passed here")
                .contains("Durable.version(\"signal-1\", 0, 1)");
    }

    @Test
    void a_signal_with_other_arguments_is_shown_with_both() {
        assertThat(divergence("tell order-1", "tell order-1 of bob"))
                .hasMessageContaining("history: [\"ann\"]")
                .hasMessageContaining("code:    [\"bob\"]");
    }

    @Test
    void a_request_to_cancel_that_the_code_no_longer_makes_is_named() {
        assertThat(divergence("cancel order-1", "charge"))
                .hasMessageContaining("≠      2  ExternalCancelRequested 1 to order-1   ActivityScheduled 1 Acts.a")
                .hasMessageContaining("cancel of workflow order-1");
    }

    /** Continues as new after so many values. */
    @Workflow
    static class Sum {
        static int most;

        private int sum;
        private int values;

        @Run
        String run(String ignored) {
            Durable.await(() -> values > most);
            throw Durable.continueAsNew(Sum.class, w -> w.run("" + sum));
        }

        @Signal
        void add(String value) {
            values++;
            sum += Integer.parseInt(value);
        }
    }

    @Test
    void code_that_continues_as_new_earlier_than_the_history_stalls_and_loses_no_message() {
        Sum.most = 9;
        try (GivenRun run = GivenRun.of(Sum.class, "")) {
            run.signal("add", "1").signal("add", "2").signal("add", "4").signal("add", "8");

            Sum.most = 1;

            assertThatThrownBy(run::evicted)
                    .isInstanceOf(Divergence.class)
                    .hasMessageContaining(": the history goes on with event 4 SignalReceived")
                    .hasMessageContaining(
                            ", and the code has continued the run as new before it, so the next run would know"
                                    + " nothing of that event.\nLikely cause: the code was changed, and continues as new where the code"
                                    + " that wrote the history went on.\nWay out: a condition that no recorded step has met. In a loop"
                                    + " that is Durable.info().historyLength() > N, where no open run of the type has more than N"
                                    + " events; elsewhere Durable.version(…).");
        }
    }

    private static Divergence divergence(String before, String after, int... completed) {
        Shop.code = before;
        try (GivenRun run = GivenRun.of(Shop.class, "")) {
            for (int seq : completed) {
                run.completed(seq, "r");
            }
            Shop.code = after;
            return catchThrowableOfType(Divergence.class, run::evicted);
        }
    }

    @Test
    void an_added_call_is_shown_beside_the_history_with_its_line_and_the_way_out() {
        Divergence divergence = divergence("charge, label", "charge, audit, label", 1);

        assertThat(divergence.event().id()).isEqualTo(3);
        assertThat(divergence.given())
                .isInstanceOfSatisfying(
                        ActivityScheduled.class,
                        given -> assertThat(given.activity()).isEqualTo("Acts.nothing"));
        assertThat(divergence.recorded())
                .isInstanceOfSatisfying(
                        ActivityScheduled.class,
                        recorded -> assertThat(recorded.activity()).isEqualTo("Acts.elsewhere"));
        assertThat(divergence.line()).matches("DivergenceTest\\.Shop\\.run\\(DivergenceTest\\.java:\\d+\\)");
        assertThat(divergence.getMessage().replaceAll(":\\d+\\)", ":0)")).isEqualTo("""
                        Shop run-1: the code gives other commands than the history of this run has.

                          after event 3 ActivityCompleted 1:

                                    history                              code
                          ≠      4  ActivityScheduled 2 Acts.elsewhere   ActivityScheduled 2 Acts.nothing   DivergenceTest.Shop.run(DivergenceTest.java:0)

                        Likely cause: the call Acts.nothing was added in front of Acts.elsewhere after this run had passed here.
                        Way out: make it only in runs that had not come here yet:

                            if (Durable.version("acts-nothing", 0, 1) == 1) {
                                …  // the new code, with Acts.nothing
                            }
                        Or Acts.elsewhere was renamed: @Activity(aliases = "Acts.elsewhere") on Acts.nothing keeps the name valid that it has in histories.
                        Or a query changed state of the run in memory (a @Query method that takes from a list, for example), and the history was made by that: let @Query methods only read.
                        """);
    }

    @Test
    void an_added_timer_is_named_by_what_starts_timers() {
        Divergence divergence = divergence("charge, label", "charge, sleep, label", 1);

        assertThat(divergence.given()).isInstanceOf(TimerStarted.class);
        assertThat(divergence)
                .hasMessageContaining("TimerStarted 1 due 2026-01-01T01:00:00Z")
                .hasMessageContaining(
                        "the call Durable.sleep (or timer, or a wait with a timeout) was added in front of"
                                + " Acts.elsewhere after this run had passed here");
    }

    @Test
    void a_removed_call_is_found_when_the_code_stops_without_it() {
        Divergence divergence = divergence("charge, label", "charge, wait", 1);

        assertThat(divergence.given()).isNull();
        assertThat(divergence.getMessage().replaceAll(":\\d+\\)", ":0)")).contains("""
                          ≠      4  ActivityScheduled 2 Acts.elsewhere   -

                        Likely cause: the code no longer makes the call Acts.elsewhere, or makes it later, or a branch in front of it went the other way. It has stopped here:
                          run waits for a condition at DivergenceTest.Shop.run(DivergenceTest.java:0)
                        Way out: keep the call for runs that have made it:

                            if (Durable.version("acts-elsewhere", 0, 1) == 0) {
                                …  // the code as it was, with Acts.elsewhere
                            }
                        """);
    }

    @Test
    void a_call_that_comes_where_the_history_has_none_may_be_a_cut_history() {
        assertThat(divergence("charge", "charge, label", 1))
                .hasMessageContaining("was added in front of the end of this turn")
                .hasMessageContaining(
                        "Or the history was cut inside a turn: it can only be replayed to the end of one.");
    }

    @Test
    void calls_that_changed_places_are_called_so() {
        Divergence divergence = divergence("all at once", "all at once, other order");

        assertThat(divergence)
                .hasMessageContaining("the code no longer makes the call Acts.a, or makes it later")
                .hasMessageContaining("Or the two changed places: keep the order in which this run made them.");
    }

    @Test
    void another_input_is_refused_where_strict_and_counted_where_not() {
        assertThat(divergence("charge, label", "charge 2"))
                .hasMessageContaining("""
                        The call is the same, but not what it is given:
                            history: ["charge"] on queue queue with {\
                        """)
                .hasMessageContaining("    code:    [\"charge 2\"] on queue queue with {")
                .hasMessageContaining("Likely cause: it is computed from something that is not the same on replay");

        Shop.code = "charge, label";
        try (GivenRun run = GivenRun.of(Shop.class, "")) {
            Shop.code = "charge 2";
            WorkflowInstance lenient = run.instance(false);
            RecordedTurn.of(run.history()).forEach(turn -> lenient.replay(turn.event(), turn.commands()));
            assertThat(lenient.differences()).isEqualTo(1);
            lenient.evict();
        }
    }

    @Test
    void a_divergence_does_not_return_into_user_code() {
        Shop.swallowed = null;
        Divergence divergence = divergence("charge", "swallowing");

        assertThat(divergence).isNotNull();
        assertThat(Shop.swallowed).isSameAs(Eviction.INSTANCE);
    }

    @Test
    void an_instance_that_diverged_is_of_no_more_use() {
        Shop.code = "charge";
        try (GivenRun run = GivenRun.of(Shop.class, "")) {
            WorkflowInstance instance = run.instance(true);
            HistoryEvent.Inbound started = (HistoryEvent.Inbound) run.history().getFirst();
            assertThatThrownBy(() -> instance.replay(started, List.of())).isInstanceOf(Divergence.class);
            assertThatThrownBy(() -> instance.replay(started, List.of()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(
                            "this instance can't be used any more: Shop run-1: the code gives other commands");
        }
    }

    @Test
    void an_outcome_of_nothing_open_is_a_history_that_was_changed() {
        Shop.code = "charge";
        try (GivenRun run = GivenRun.of(Shop.class, "")) {
            run.completed(1, "r");
            WorkflowInstance instance = run.instance(true);
            RecordedTurn.of(run.history()).forEach(turn -> instance.replay(turn.event(), turn.commands()));
            assertThatThrownBy(() ->
                            instance.replay((HistoryEvent.Inbound) run.history().getLast(), List.of()))
                    .isInstanceOf(Divergence.class)
                    .hasMessageContaining(
                            "the history goes on with event 3 ActivityCompleted 1, and for the code nothing of"
                                    + " that kind and number is open");
        }
    }

    @Test
    void a_recorded_close_must_be_the_codes_unless_the_code_was_not_asked() {
        Shop.code = "charge";
        try (GivenRun run = GivenRun.of(Shop.class, "")) {
            run.completed(1, "r");
            run.instance().replayClose(new WorkflowTerminated(4, GivenRun.START, "x", "ann", 0));
            run.instance().replayClose(new WorkflowCompleted(4, GivenRun.START, new Payload("\"r\"")));
            run.instance().replayClose(new WorkflowCompleted(4, GivenRun.START, new Payload("\"counted\"")));
            assertThat(run.instance().differences()).isEqualTo(1);
            run.evicted();
            assertThatThrownBy(() -> run.instance()
                            .replayClose(new WorkflowCompleted(4, GivenRun.START, new Payload("\"other\""))))
                    .isInstanceOf(Divergence.class)
                    .hasMessageContaining("the code ends otherwise than the history of this run")
                    .hasMessageContaining("code:    WorkflowCompleted with \"r\"");
        }
    }
}
