package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.Durable;
import dev.durable.Query;
import dev.durable.RefusedInputException;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.TypeRef;
import dev.durable.Workflow;
import dev.durable.WorkflowAlreadyStartedException;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.history.ActivityAttemptFailed;
import dev.durable.history.ActivityCompleted;
import dev.durable.history.WorkflowStarted;
import dev.durable.intercept.ActivityCall;
import dev.durable.intercept.ClientInterceptor;
import dev.durable.intercept.EndCall;
import dev.durable.intercept.Next;
import dev.durable.intercept.QueryCall;
import dev.durable.intercept.ReplayCall;
import dev.durable.intercept.ScheduleCall;
import dev.durable.intercept.SignalCall;
import dev.durable.intercept.StartCall;
import dev.durable.intercept.TurnCall;
import dev.durable.intercept.WorkerInterceptor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Interceptors around calls of clients and work of workers; run on each kind of store. */
abstract class InterceptorsTest {

    @Activity(retry = @Retry(maxAttempts = 2, initialInterval = "1s"))
    interface Desk {
        Map<String, String> headers();

        @Activity(local = true)
        Map<String, String> localHeaders();
    }

    static class RealDesk implements Desk {
        @Override
        public Map<String, String> headers() {
            return ActivityContext.current().headers();
        }

        @Override
        public Map<String, String> localHeaders() {
            return ActivityContext.current().headers();
        }
    }

    @Workflow
    static class Trip {
        private final Desk desk;
        private String stamp = "";

        Trip(Desk desk) {
            this.desk = desk;
        }

        @Run
        List<Map<String, String>> run() {
            Map<String, String> first = desk.headers();
            Durable.await(() -> !stamp.isEmpty());
            return List.of(first, desk.localHeaders());
        }

        @Signal
        void stamp(String by) {
            stamp = by;
        }

        @Query
        String stamped() {
            return stamp;
        }
    }

    /** Notes what passes through it. */
    static class Notes implements ClientInterceptor, WorkerInterceptor {
        private final String name;
        private final List<String> lines;

        Notes(String name, List<String> lines) {
            this.name = name;
            this.lines = lines;
        }

        private void note(String line) {
            lines.add(name + " " + line);
        }

        @Override
        public void start(StartCall call, Next next) {
            note("> start " + call.kind() + " " + call.workflowId() + " " + call.type() + " on " + call.taskQueue());
            next.proceed();
            note("< start " + call.runId().isPresent());
        }

        @Override
        public void signal(SignalCall call, Next next) {
            note("> signal " + call.name() + " to " + call.type() + " " + call.workflowId());
            next.proceed();
        }

        @Override
        public void query(QueryCall call, Next next) {
            note("> query " + call.name() + " of " + call.type() + " " + call.workflowId());
            next.proceed();
        }

        @Override
        public void cancel(EndCall call, Next next) {
            note("> cancel " + call.workflowId() + ": " + call.reason());
            next.proceed();
        }

        @Override
        public void terminate(EndCall call, Next next) {
            note("> terminate " + call.workflowId() + ": " + call.reason());
            next.proceed();
        }

        @Override
        public void activity(ActivityCall call, Next next) throws Exception {
            note("> activity " + call.info().activity() + (call.local() ? " local" : ""));
            next.proceed();
            note("< activity");
        }

        @Override
        public void turn(TurnCall call, Next next) throws Exception {
            note("> turn " + call.eventId() + " " + call.event() + " of " + call.type());
            next.proceed();
            note("< turn");
        }

        @Override
        public void schedule(ScheduleCall call, Next next) throws Exception {
            note("> schedule " + call.activity() + " " + call.seq());
            next.proceed();
        }

        @Override
        public void replay(ReplayCall call, Next next) throws Exception {
            note("> replay of " + call.type());
            next.proceed();
        }
    }

    private final List<String> lines = new CopyOnWriteArrayList<>();

    private WorkflowHandle<Trip, List<Map<String, String>>> trip(TestEngine engine) {
        return trip(engine, StartOptions.id("trip-1"));
    }

    private WorkflowHandle<Trip, List<Map<String, String>>> trip(TestEngine engine, StartOptions options) {
        engine.register(Trip.class, new RealDesk());
        return engine.client().start(Trip.class, options, Trip::run);
    }

    @Test
    void the_first_that_was_registered_is_the_outermost_around_every_kind_of_call(TestEngine engine) {
        engine.intercept(new Notes("a", lines)).intercept(new Notes("b", lines));
        var run = trip(engine);
        engine.settle();
        run.signal(w -> w.stamp("ann"));
        run.result();
        run.query(Trip::stamped);

        List<String> ofBodies =
                lines.stream().filter(line -> line.contains("activity")).toList();
        assertThat(only("a", ofBodies))
                .containsExactly(
                        "> activity Desk.headers", "< activity", "> activity Desk.localHeaders local", "< activity");
        // Bodies and turns may run before the caller hears that its start was written.
        List<String> ofStart =
                lines.stream().filter(line -> line.contains(" start ")).toList();
        assertThat(only("a", ofStart)).containsExactly("> start WORKFLOW trip-1 Trip on default", "< start true");
        List<String> others = new ArrayList<>(lines);
        others.removeAll(ofBodies);
        others.removeAll(ofStart);
        assertThat(only("a", others))
                .containsExactly(
                        "> turn 1 WorkflowStarted of Trip",
                        "> schedule Desk.headers 1",
                        "< turn",
                        "> turn 3 ActivityCompleted of Trip",
                        "< turn",
                        "> signal stamp to Trip trip-1",
                        "> turn 4 SignalReceived of Trip",
                        "> schedule Desk.localHeaders 2",
                        "< turn",
                        "> turn 5 ActivityCompleted of Trip",
                        "< turn",
                        "> query stamped of Trip trip-1",
                        "> replay of Trip");
        assertInside(ofStart);
        assertInside(ofBodies);
        assertInside(others);
    }

    private static void assertInside(List<String> seen) {
        assertThat(only("b", seen)).as("b is called for the same").isEqualTo(only("a", seen));
        for (int i = 0; i < seen.size(); i++) {
            String line = seen.get(i);
            if (line.startsWith("a >")) {
                assertThat(seen.get(i + 1)).as("inside of a is b").isEqualTo("b" + line.substring(1));
            }
            if (line.startsWith("b <")) {
                assertThat(seen.get(i + 1)).as("outside of b is a").isEqualTo("a" + line.substring(1));
            }
        }
    }

    private static List<String> only(String name, List<String> seen) {
        return seen.stream()
                .filter(line -> line.startsWith(name))
                .map(line -> line.substring(2))
                .toList();
    }

    @Test
    void a_header_that_an_interceptor_of_a_start_sets_is_the_runs_and_that_of_its_activities(TestEngine engine) {
        engine.intercept(new ClientInterceptor() {
            @Override
            public void start(StartCall call, Next next) {
                call.headers().merge("way", "!", String::concat);
                call.headers().put("tenant", "acme");
                call.headers().remove("secret");
                next.proceed();
            }
        });
        var run = trip(
                engine,
                StartOptions.id("trip-1")
                        .header("way", "north")
                        .header("secret", "x")
                        .header("own", "1"));
        run.signal(w -> w.stamp("ann"));

        Map<String, String> expected = Map.of("way", "north!", "tenant", "acme", "own", "1");
        assertThat(run.result()).containsExactly(expected, expected);
        assertThat(run.history()
                        .events(WorkflowStarted.class)
                        .findFirst()
                        .orElseThrow()
                        .headers())
                .isEqualTo(expected);
    }

    @Test
    void a_header_that_an_interceptor_of_the_scheduling_sets_is_that_of_this_activity_only(TestEngine engine) {
        engine.intercept(new WorkerInterceptor() {
            @Override
            public void schedule(ScheduleCall call, Next next) throws Exception {
                call.headers().put("span", call.activity() + " " + call.seq() + (call.local() ? " local" : ""));
                call.headers().remove("own");
                next.proceed();
            }
        });
        var run = trip(engine, StartOptions.id("trip-1").header("own", "1"));
        run.signal(w -> w.stamp("ann"));

        assertThat(run.result())
                .containsExactly(Map.of("span", "Desk.headers 1"), Map.of("span", "Desk.localHeaders 2 local"));
        assertThat(run.history().started().headers()).as("of the run").isEqualTo(Map.of("own", "1"));
    }

    @Test
    void a_header_without_a_value_is_refused_by_its_name(TestEngine engine) {
        engine.intercept(new ClientInterceptor() {
            @Override
            public void start(StartCall call, Next next) {
                call.headers().put("tenant", null);
                next.proceed();
            }
        });

        assertThatThrownBy(() -> trip(engine))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "start of trip-1: header \"tenant\" has no value (null). Leave it out, or give it an empty one.");
        assertThat(engine.client().workflows().count()).isZero();
    }

    @Test
    void a_header_of_an_activity_without_a_value_stalls_the_turn_with_its_name(TestEngine engine) {
        engine.intercept(new WorkerInterceptor() {
            @Override
            public void schedule(ScheduleCall call, Next next) {
                call.headers().put("tenant", null);
                next.proceed();
            }
        });
        trip(engine);

        assertThatThrownBy(engine::settle)
                .hasMessageContaining("interceptors changed the headers of Desk.headers, activity 1 of trip-1: header"
                        + " \"tenant\" has no value (null). Leave it out, or give it an empty one.");
    }

    @Test
    void headers_are_bounded_after_the_interceptors(TestEngine engine) {
        engine.intercept(new ClientInterceptor() {
            @Override
            public void start(StartCall call, Next next) {
                call.headers().put("baggage", "x".repeat(80_000));
                next.proceed();
            }
        });

        assertThatThrownBy(() -> trip(engine, StartOptions.id("trip-1").header("own", "1")))
                .isInstanceOf(RefusedInputException.class)
                .hasMessage(
                        "start of trip-1: its headers and memo are 80,011 bytes, the limit is 73,728 for both together:"
                                + " headers are written again with each activity, and memos are read by each listing. Store large"
                                + " values elsewhere (a table, an argument) and keep a reference here. The start itself gave the"
                                + " headers [\"own\"]; interceptors and context propagators of this engine made of them"
                                + " [\"baggage\", \"own\"].");
        assertThat(engine.client().workflows().count()).isZero();
    }

    @Test
    void headers_just_under_the_bound_have_room_for_those_of_a_tracer(TestEngine engine) {
        engine.intercept(new ClientInterceptor() {
            @Override
            public void start(StartCall call, Next next) {
                call.headers().put("baggage", "x".repeat(8_000));
                next.proceed();
            }
        });
        StartOptions full = StartOptions.id("trip-1").header("own", "x".repeat(65_533));

        assertThat(trip(engine, full).history().started().headers()).containsOnlyKeys("own", "baggage");
        StartOptions tooLarge =
                StartOptions.id("trip-2").header("own", "x".repeat(65_533)).header("more", "");
        assertThatThrownBy(() -> engine.client().start(Trip.class, tooLarge, Trip::run))
                .isInstanceOf(RefusedInputException.class)
                .hasMessageContaining("the limit is 65,536");
    }

    /** Refuses calls whose method is named, before or behind the call. */
    static class Refusing implements ClientInterceptor, WorkerInterceptor {
        private final String method;
        private final boolean behind;
        private int times;

        Refusing(String method, boolean behind, int times) {
            this.method = method;
            this.behind = behind;
            this.times = times;
        }

        private void client(String called, Next next) {
            refuse(called, false);
            next.proceed();
            refuse(called, true);
        }

        private void worker(String called, Next next) throws Exception {
            refuse(called, false);
            next.proceed();
            refuse(called, true);
        }

        private void refuse(String called, boolean now) {
            if (called.equals(method) && now == behind && times > 0) {
                times--;
                throw new IllegalStateException("no " + called + " today");
            }
        }

        @Override
        public void start(StartCall call, Next next) {
            client("start", next);
        }

        @Override
        public void signal(SignalCall call, Next next) {
            client("signal", next);
        }

        @Override
        public void query(QueryCall call, Next next) {
            client("query", next);
        }

        @Override
        public void cancel(EndCall call, Next next) {
            client("cancel", next);
        }

        @Override
        public void terminate(EndCall call, Next next) {
            client("terminate", next);
        }

        @Override
        public void activity(ActivityCall call, Next next) throws Exception {
            worker("activity", next);
        }

        @Override
        public void turn(TurnCall call, Next next) throws Exception {
            worker("turn", next);
        }

        @Override
        public void schedule(ScheduleCall call, Next next) throws Exception {
            worker("schedule", next);
        }

        @Override
        public void replay(ReplayCall call, Next next) throws Exception {
            worker("replay", next);
        }
    }

    @Test
    void a_start_that_is_refused_writes_nothing(TestEngine engine) {
        engine.intercept(new Refusing("start", false, 1));

        assertThatThrownBy(() -> trip(engine))
                .isExactlyInstanceOf(IllegalStateException.class)
                .hasMessage("no start today");
        assertThat(engine.client().workflows().count()).isZero();
    }

    @Test
    void each_call_of_a_client_may_be_refused(TestEngine engine) {
        engine.intercept(
                new Refusing("signal", false, 1),
                new Refusing("query", false, 1),
                new Refusing("cancel", false, 1),
                new Refusing("terminate", false, 1));
        var run = trip(engine);

        assertThatThrownBy(() -> run.signal(w -> w.stamp("ann"))).hasMessage("no signal today");
        assertThatThrownBy(() -> run.query(Trip::stamped)).hasMessage("no query today");
        assertThatThrownBy(() -> run.cancel("why")).hasMessage("no cancel today");
        assertThatThrownBy(() -> run.terminate("why")).hasMessage("no terminate today");
        engine.settle();
        assertThat(run.history().size()).as("started, scheduled, completed").isEqualTo(3);

        run.terminate("now");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void what_an_interceptor_throws_is_a_failure_of_the_attempt_before_and_behind_the_body(
            boolean behind, TestEngine engine) {
        engine.intercept(new Refusing("activity", behind, 1));
        var run = trip(engine);
        run.signal(w -> w.stamp("ann"));
        engine.advance(Duration.ofSeconds(2));

        ActivityAttemptFailed failed =
                run.history().events(ActivityAttemptFailed.class).findFirst().orElseThrow();
        assertThat(failed.failure().message()).isEqualTo("no activity today");
        assertThat(run.history()
                        .events(ActivityCompleted.class)
                        .findFirst()
                        .orElseThrow()
                        .attempt())
                .isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({"turn, false", "turn, true", "schedule, false"})
    void a_turn_that_an_interceptor_refuses_stalls_the_run_and_is_made_again_later(
            String method, boolean behind, TestEngine engine) {
        engine.intercept(new Refusing(method, behind, 2));
        var run = trip(engine);
        assertThatThrownBy(engine::settle).isInstanceOf(WorkflowStalledException.class);

        assertThat(run.describe().stalledBy())
                .startsWith((method.equals("turn")
                                ? "the turn of event 1 WorkflowStarted of Trip trip-1"
                                : "the scheduling of Desk.headers, activity 1 of trip-1")
                        + " was refused by an interceptor, " + (behind ? "behind" : "in front of")
                        + " the work itself: java.lang.IllegalStateException: no " + method
                        + " today. Nothing of it is written, and it is tried again. Usual cause: a mistake in "
                        + Refusing.class.getName() + ".refuse(InterceptorsTest.java:");
        assertThat(run.describe().stalledBy())
                .endsWith("). Deploy an interceptor that does not throw, or leave it out: builder.intercept(…).");
        assertThat(run.history().size()).isEqualTo(1);

        engine.advance(Duration.ofMinutes(5));
        run.signal(w -> w.stamp("ann"));
        assertThat(run.result()).hasSize(2);
    }

    @Test
    void a_query_whose_replay_is_refused_fails_and_a_later_one_does_not(TestEngine engine) {
        engine.intercept(new Refusing("replay", false, 1));
        var run = trip(engine);
        run.signal(w -> w.stamp("ann"));
        run.result();

        assertThatThrownBy(() -> run.query(Trip::stamped))
                .hasMessageStartingWith("the replay of Trip trip-1 was refused by an interceptor, in front of the work"
                        + " itself: java.lang.IllegalStateException: no replay today.");
        assertThat(run.query(Trip::stamped)).isEqualTo("ann");
    }

    @Test
    void an_interceptor_proceeds_once(TestEngine engine) {
        engine.intercept(new ClientInterceptor() {
            @Override
            public void start(StartCall call, Next next) {
                if (call.workflowId().equals("twice")) {
                    next.proceed();
                    next.proceed();
                }
            }
        });

        assertThatThrownBy(() -> trip(engine, StartOptions.id("never")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageMatching(
                        "interceptor dev\\.durable\\.testing\\.InterceptorsTest\\$\\d+ returned from start\\(…\\)"
                                + " without next\\.proceed\\(\\), so the call was not made\\. To refuse a call, throw an exception"
                                + " that says why; to let it pass, call next\\.proceed\\(\\)\\.");
        assertThatThrownBy(() -> engine.client().start(Trip.class, StartOptions.id("twice"), Trip::run))
                .hasMessageMatching(
                        "interceptor dev\\.durable\\.testing\\.InterceptorsTest\\$\\d+ called next\\.proceed\\(\\)"
                                + " a second time in start\\(…\\): a call is made once\\. What is to be tried again is tried again by"
                                + " the caller, or by the retry policy of the activity\\.");
    }

    @Test
    void an_exception_that_an_interceptor_swallows_is_thrown_all_the_same(TestEngine engine) {
        engine.intercept(new ClientInterceptor() {
            @Override
            public void start(StartCall call, Next next) {
                try {
                    next.proceed();
                } catch (WorkflowAlreadyStartedException e) {
                    lines.add("swallowed");
                }
            }
        });
        trip(engine);

        assertThatThrownBy(() -> engine.client().start(Trip.class, "trip-1", Trip::run))
                .isInstanceOf(WorkflowAlreadyStartedException.class);
        assertThat(lines).containsExactly("swallowed");
    }

    @Test
    void turns_of_replays_are_seen_by_those_who_ask_for_them_and_told_apart(TestEngine engine) {
        engine.intercept(new Notes("live", lines), new WorkerInterceptor() {
            @Override
            public boolean seesReplayedTurns() {
                return true;
            }

            @Override
            public void turn(TurnCall call, Next next) throws Exception {
                lines.add((call.replaying() ? "again " : "first ")
                        + call.event()
                        + (call.signal() == null ? "" : " " + call.signal()));
                next.proceed();
            }
        });
        var run = trip(engine);
        engine.settle();
        run.signal(w -> w.stamp("ann"));
        run.result();
        lines.clear();
        run.query(Trip::stamped);

        assertThat(lines)
                .containsExactly(
                        "live > query stamped of Trip trip-1",
                        "live > replay of Trip",
                        "again WorkflowStarted",
                        "again ActivityCompleted",
                        "again SignalReceived stamp",
                        "again ActivityCompleted");
    }

    @Test
    void a_background_job_passes_through_as_a_start_and_an_attempt(TestEngine engine) {
        engine.register(new RealDesk()).intercept(new Notes("a", lines), new ClientInterceptor() {
            @Override
            public void start(StartCall call, Next next) {
                call.headers().put("tenant", "acme");
                next.proceed();
            }
        });
        var job = engine.client().enqueue(Desk.class, StartOptions.id("job-1"), Desk::headers);

        assertThat(job.resultAs(new TypeRef<Map<String, String>>() {})).isEqualTo(Map.of("tenant", "acme"));
        assertThat(lines)
                .containsExactlyInAnyOrder(
                        "a > start JOB job-1 Desk.headers on default",
                        "a < start true",
                        "a > activity Desk.headers",
                        "a < activity");
    }

    @Test
    void a_batch_passes_through_as_one_start_and_each_of_its_jobs_and_what_follows_it_gets_the_headers(
            TestEngine engine) {
        engine.register(new RealDesk()).intercept(new Notes("a", lines), new ClientInterceptor() {
            @Override
            public void start(StartCall call, Next next) {
                call.headers().put("by", call.workflowId());
                next.proceed();
            }
        });
        var batch = engine.client()
                .enqueueAll(Desk.class, StartOptions.id("all"), List.of(1, 2), (desk, item) -> desk.headers());
        String following = batch.onCompletion(Desk.class, Desk::headers);
        engine.advance(Duration.ofMinutes(1));

        assertThat(batch.progress().completed()).isEqualTo(2);
        TypeRef<Map<String, String>> map = new TypeRef<>() {};
        assertThat(engine.client().job("all/1").resultAs(map)).isEqualTo(Map.of("by", "all"));
        assertThat(engine.client().job(following).resultAs(map)).isEqualTo(Map.of("by", following));
        assertThat(only("a", lines))
                .as("the engine's own watch over the batch is not seen")
                .containsExactlyInAnyOrder(
                        "> start BATCH all Desk on null",
                        "< start false",
                        "> start JOB " + following + " Desk.headers on default",
                        "< start false",
                        "> activity Desk.headers",
                        "< activity",
                        "> activity Desk.headers",
                        "< activity",
                        "> activity Desk.headers",
                        "< activity");
    }

    @Test
    void a_signal_with_start_passes_through_as_a_start(TestEngine engine) {
        engine.intercept(new Notes("a", lines));
        engine.register(Trip.class, new RealDesk());
        engine.client()
                .signalWithStart(Trip.class, "trip-1", Trip::run, w -> w.stamp("ann"))
                .result();

        assertThat(lines.getFirst()).isEqualTo("a > start SIGNAL_WITH_START trip-1 Trip on default");
        assertThat(lines).noneMatch(line -> line.startsWith("a > signal"));
    }

    @Activity(retry = @Retry(maxAttempts = 3, initialInterval = "1s"))
    static class Wire {
        private int calls;

        /** Returns a value that can't be written as JSON. */
        public Object pay() {
            calls++;
            return new Object() {
                @SuppressWarnings({"unused", "EffectivelyPrivate"}) // found by Jackson
                public String getAmount() {
                    throw new IllegalStateException("no amount");
                }
            };
        }
    }

    @Workflow
    static class Payment {
        private final Wire wire;

        Payment(Wire wire) {
            this.wire = wire;
        }

        @Run
        String run() {
            return String.valueOf(wire.pay());
        }
    }

    @Test
    void a_result_that_can_not_be_written_is_no_reason_to_run_the_body_again_with_interceptors_either(
            TestEngine engine) {
        Wire wire = new Wire();
        engine.intercept(new Notes("notes", lines));
        engine.register(Payment.class, wire);

        var run = engine.client().start(Payment.class, "p-1", Payment::run);
        engine.advance(Duration.ofMinutes(1));

        assertThat(wire.calls).isEqualTo(1);
        assertThatThrownBy(run::result).hasMessageContaining("Wire.pay");
    }

    @Test
    void an_interceptor_that_has_ended_can_not_make_the_call_any_more(TestEngine engine) {
        List<Next> kept = new ArrayList<>();
        engine.intercept(new ClientInterceptor() {
            @Override
            public void start(StartCall call, Next next) {
                kept.add(next);
                throw new IllegalArgumentException("refused");
            }
        });
        assertThatThrownBy(() -> trip(engine)).hasMessage("refused");

        assertThatThrownBy(() -> kept.getFirst().proceed())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("after start(…) had ended");
        assertThat(engine.client().workflows().count()).isZero();
    }
}
