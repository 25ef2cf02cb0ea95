package dev.durable.internal.replay;

import static dev.durable.Durable.async;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.Durable;
import dev.durable.Promise;
import dev.durable.TypeRef;
import dev.durable.internal.replay.call.Acts;
import dev.durable.internal.replay.match.PendingWait;
import dev.durable.internal.replay.match.StalledException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@code async(stub::method, …)} without a thread, stubs with other options, calls by name. */
class AsyncStubTest {

    @Test
    void a_method_of_a_stub_is_put_in_flight_without_a_coroutine() {
        try (GivenRun run = GivenRun.of(w -> {
            Promise<String> a = async(w.acts::a, "1");
            Promise<Integer> n = async(w.acts::count, 2);
            return a.get() + n.get();
        })) {
            run.expect("schedule 1 Acts.a[\"1\"]", "schedule 2 Acts.count[2]");
            assertThat(run.instance().waits())
                    .extracting(PendingWait::coroutine)
                    .containsExactly("run");
            run.completed(2, 7).completed(1, "x").expectClose("completed \"x7\"");
        }
    }

    @Test
    void lambdas_helpers_and_other_methods_are_refused_with_what_to_write() {
        try (GivenRun run = GivenRun.of(w -> {
            refused(w, () -> async((String what) -> w.acts.a(what), "x"));
            refused(w, () -> async(AsyncStubTest::helper, w));
            refused(w, () -> async(w.acts::twice, "x"));
            refused(w, () -> async(String::trim, "x"));
            refused(w, () -> async(AsyncStubTest::sleeps, "x"));
            return "";
        })) {
            run.expect()
                    .expectSeen(
                            refusal("AsyncStubTest.lambdas_helpers_and_other_methods_are_refused_with_what_to_write"),
                            refusal("AsyncStubTest.helper"),
                            refusal("Acts.twice"),
                            "Durable.async(method, arguments…) takes a method of an activity stub, as in"
                                    + " Durable.async(payments::charge, id), and nothing else: it called no activity of a stub."
                                    + " Write Durable.async(() -> …), which runs its body as a coroutine.",
                            "Durable.sleep was called in the method given to Durable.async(method, arguments…). That form takes"
                                    + " a method of an activity stub, Durable.async(payments::charge, id), and starts no"
                                    + " coroutine. Write Durable.async(() -> …) for everything else.");
        }
    }

    private static String refusal(String between) {
        return "Durable.async(method, arguments…) takes a method of an activity stub, as in Durable.async(payments::charge,"
                + " id), and nothing else: " + between
                + " stands between. Write Durable.async(() -> …), which runs its body as"
                + " a coroutine.";
    }

    private static void refused(Scripted w, Runnable call) {
        try {
            call.run();
            w.see("went through");
        } catch (IllegalStateException e) {
            w.see(e.getMessage().replaceAll("\\(\\w+\\.java:\\d+\\)", ""));
        }
    }

    private static String helper(Scripted w) {
        return w.acts.a("helped") + "!";
    }

    private static String sleeps(String x) {
        Durable.sleep(Duration.ofHours(1));
        return x;
    }

    @Test
    void a_default_method_runs_in_the_workflow() {
        try (GivenRun run = GivenRun.of(w -> w.acts.twice("x"))) {
            run.expect("schedule 1 Acts.a[\"x\"]").completed(1, "1").expect("schedule 2 Acts.a[\"x\"]");
            run.completed(2, "2").expectClose("completed \"12\"");
        }
    }

    @Test
    void options_at_the_call_site_are_recorded() {
        try (GivenRun run = GivenRun.of(w -> {
            async(
                    Durable.activities(
                            Acts.class,
                            o -> o.startToClose(Duration.ofMinutes(9)).taskQueue("slow"))::a,
                    "x");
            async(w.acts::elsewhere, "x");
            return Durable.activities(Acts.class).a("y");
        })) {
            assertThat(run.last().commands())
                    .map(command -> (dev.durable.history.ActivityScheduled) command)
                    .extracting(c -> c.taskQueue() + " " + c.options().startToClose())
                    .containsExactly("slow PT9M", "other PT5S", "queue PT1M");
        }
    }

    @Test
    void an_activity_can_be_called_by_name() {
        try (GivenRun run = GivenRun.of(w -> {
            List<String> names = Durable.activity("Elsewhere.names", new TypeRef<List<String>>() {}, 1, "x");
            return names.getFirst() + Durable.activity("Acts.elsewhere", String.class, "y");
        })) {
            run.expect("schedule 1 Elsewhere.names[1,\"x\"]");
            run.completed(1, new ArrayList<>(List.of("ann"))).expect("schedule 2 Acts.elsewhere[\"y\"]");
            run.completed(2, "!").expectClose("completed \"ann!\"");
        }
    }

    @Test
    void a_stub_of_another_run_is_refused() {
        Acts[] leaked = new Acts[1];
        GivenRun.of(w -> {
                    leaked[0] = w.acts;
                    return "";
                })
                .close();
        assertThatThrownBy(() -> GivenRun.of(w -> leaked[0].a("x")))
                .isInstanceOf(StalledException.class)
                .hasMessageContaining(
                        "Acts.a was called through a stub of another run. Keep stubs in fields of the workflow"
                                + " object, never in static ones.");
    }

    @Test
    void ten_thousand_calls_in_flight_take_no_thread_each_and_ten_times_as_long_as_a_thousand() {
        long thousandTenTimes = Long.MAX_VALUE;
        long tenThousand = Long.MAX_VALUE;
        // Two spans of about one length: other load of the machine takes as much from the one as from the other.
        for (int i = 0; i < 3; i++) {
            long ten = 0;
            for (int j = 0; j < 10; j++) {
                ten += nanosInFlight(1_000);
            }
            thousandTenTimes = Math.min(thousandTenTimes, ten);
            tenThousand = Math.min(tenThousand, nanosInFlight(10_000));
        }
        assertThat(tenThousand).as("ten times as long were quadratic").isLessThan(4 * thousandTenTimes);
    }

    private static long nanosInFlight(int calls) {
        String code = Scripted.keep(w -> {
            List<Promise<String>> all = new ArrayList<>();
            for (int i = 0; i < calls; i++) {
                all.add(async(w.acts::a, "x"));
            }
            return Promise.all(all).size();
        });
        long start = System.nanoTime();
        try (GivenRun run = GivenRun.unchecked(code)) {
            assertThat(run.last().commands()).hasSize(calls);
            assertThat(run.instance().waits()).as("coroutines").hasSize(1);
            for (int seq = calls; seq > 0; seq--) {
                run.completed(seq, "x");
            }
            run.expectClose("completed \"" + calls + "\"");
        }
        return System.nanoTime() - start;
    }
}
