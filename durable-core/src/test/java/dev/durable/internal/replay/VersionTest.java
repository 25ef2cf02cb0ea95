package dev.durable.internal.replay;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.internal.replay.match.RecordedTurn;
import dev.durable.internal.replay.match.StalledException;
import org.junit.jupiter.api.Test;

/** Rule 12: versions. */
class VersionTest {

    @Test
    void a_new_run_gets_the_maximum_which_is_recorded_once() {
        try (GivenRun run = GivenRun.of(w -> {
            w.see("v" + Durable.version("ship", 0, 2));
            w.acts.nothing();
            return "v" + Durable.version("ship", 0, 2) + Durable.patched("other");
        })) {
            run.expect("version ship 2", "schedule 1 Acts.nothing[]").expectSeen("v2");
            run.completed(1, null).expect("version other 1").expectClose("completed \"v2true\"");
        }
    }

    @Test
    void a_run_that_passed_before_the_change_keeps_version_0() {
        try (TwoCodes codes = new TwoCodes(
                w -> {
                    w.acts.a("old");
                    w.acts.a("old 2");
                    return "";
                },
                w -> {
                    w.acts.a(Durable.version("c", 0, 1) == 0 ? "old" : "new");
                    w.acts.a(Durable.version("c", 0, 1) == 0 ? "old 2" : "new 2");
                    Durable.version("c", 0, 1);
                    return "";
                })) {
            codes.run().completed(1, "").expect("schedule 2 Acts.a[\"old 2\"]");
            codes.change();
            // the first answer holds in live turns too
            codes.run().completed(2, "").expect().expectClose("completed \"\"");
        }
    }

    @Test
    void a_version_call_that_is_gone_is_skipped() {
        try (TwoCodes codes = new TwoCodes(
                w -> {
                    w.acts.a("a");
                    if (Durable.version("c", 0, 1) == 1) {
                        w.acts.a("b");
                    }
                    return "";
                },
                w -> {
                    w.acts.a("a");
                    w.acts.a("b");
                    return "";
                })) {
            codes.run().completed(1, "").expect("version c 1", "schedule 2 Acts.a[\"b\"]");
            codes.change();
            codes.run().completed(2, "").expectClose("completed \"\"");
        }
    }

    @Test
    void what_a_later_turn_recorded_holds_from_there_on_where_the_call_was_moved_to_the_front() {
        try (TwoCodes codes = new TwoCodes(
                w -> {
                    w.acts.a("a");
                    return "" + Durable.version("c", 0, 1) + w.acts.a("b");
                },
                w -> {
                    w.see("first " + Durable.version("c", 0, 1));
                    w.acts.a("a");
                    w.see("then " + Durable.version("c", 0, 1));
                    return w.acts.a("b");
                })) {
            codes.run().completed(1, "").expect("version c 1", "schedule 2 Acts.a[\"b\"]");
            codes.change();
            codes.run().completed(2, "").expectSeen("first 0", "then 1");
        }
    }

    @Test
    void a_version_the_code_no_longer_supports_stalls_the_run() {
        try (TwoCodes codes = new TwoCodes(
                w -> {
                    w.acts.a("a");
                    return "";
                },
                w -> {
                    try {
                        Durable.version("c", 1, 2);
                    } catch (Throwable t) {
                        w.see("swallowed");
                    }
                    w.acts.a("a");
                    return "";
                })) {
            assertThatThrownBy(codes::change)
                    .isInstanceOf(StalledException.class)
                    .hasMessageStartingWith(
                            "Scripted run-1 is stalled: it has version 0 of the change \"c\", and the code at")
                    .hasMessageContaining(
                            "supports 1 to 2. The code of version 0 was removed while this run still needs it:"
                                    + " bring it back until all such runs are closed.");
        }
    }

    @Test
    void a_version_call_that_makes_no_sense_is_refused_at_the_call() {
        try (GivenRun run = GivenRun.of(w -> {
            try {
                return Durable.version("c", 3, 2);
            } catch (IllegalStateException e) {
                return e.getMessage();
            }
        })) {
            run.expect();
            run.expectClose("completed \"Durable.version(\\\"c\\\", 3, 2) needs a change id and 0 <= min <= max\"");
        }
    }

    @Test
    void a_change_id_that_can_be_no_name_stalls_the_run_and_says_which_call_it_was() {
        assertThatThrownBy(() -> GivenRun.of(w -> "" + Durable.version("x".repeat(20_000), 0, 1)))
                .isInstanceOf(StalledException.class)
                .hasMessageContaining("Durable.version(…): the change id \"" + "x".repeat(60)
                        + "…\" must be 1 to 200 characters, not blank; this one has 20,000. Use a short name such as");
        assertThatThrownBy(() -> GivenRun.of(w -> "" + Durable.patched("a\nINFO granted")))
                .isInstanceOf(StalledException.class)
                .hasMessageContaining(
                        "Durable.version(…): the change id \"a\\u000aINFO granted\" has the control character \\u000a as its"
                                + " character 2.");
        assertThatThrownBy(() -> GivenRun.of(w -> "" + Durable.version("\n", 0, 1)))
                .hasMessageContaining("Durable.version(\"\\u000a\", 0, 1) needs a change id");
    }

    // ── renamed activities ──────────────────────────────────────────────────────────────────────────────────────────

    @Workflow(name = "Renaming")
    static class Before {
        private final Pay pay;

        Before(Pay pay) {
            this.pay = pay;
        }

        @Run
        String run(String amount) {
            return pay.charge(amount);
        }
    }

    @Workflow(name = "Renaming")
    static class After {
        private final Payments payments;

        After(Payments payments) {
            this.payments = payments;
        }

        @Run
        String run(String amount) {
            return payments.collect(amount);
        }
    }

    @Activity
    interface Pay {
        String charge(String amount);
    }

    @Activity(aliases = "Pay")
    interface Payments {
        @Activity(aliases = "charge")
        String collect(String amount);
    }

    @Test
    void an_activity_that_was_renamed_is_known_in_histories_by_its_alias() {
        try (GivenRun before = GivenRun.of(Before.class, "7");
                GivenRun after = GivenRun.of(After.class, "7")) {
            before.expect("schedule 1 Pay.charge[\"7\"]");
            after.expect("schedule 1 Payments.collect[\"7\"]");
            WorkflowInstance renamed = after.instance(true);
            renamed.replay(RecordedTurn.of(before.history()));
            renamed.evict();
        }
    }

    /** A run begun by one code and gone on with by another, as after a deployment. */
    static final class TwoCodes implements AutoCloseable {
        private final Scripted.Code after;
        private Scripted.Code current;
        private final GivenRun run;

        TwoCodes(Scripted.Code before, Scripted.Code after) {
            this.after = after;
            this.current = before;
            this.run = GivenRun.of(w -> current.run(w));
        }

        GivenRun run() {
            return run;
        }

        void change() {
            current = after;
            run.evicted();
        }

        @Override
        public void close() {
            run.close();
        }
    }
}
