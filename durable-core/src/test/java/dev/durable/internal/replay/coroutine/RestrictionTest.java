package dev.durable.internal.replay.coroutine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.Durable;
import dev.durable.Promise;
import dev.durable.Query;
import dev.durable.QueryFailedException;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.history.Payload;
import dev.durable.internal.replay.GivenRun;
import dev.durable.internal.replay.Scripted;
import dev.durable.internal.replay.call.Acts;
import dev.durable.internal.replay.match.StalledException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Where code may look but not act: conditions, constructors, side effects, queries, other threads. */
class RestrictionTest {

    @Test
    void conditions_may_look_and_not_act() {
        try (GivenRun run = GivenRun.of(w -> {
            Promise<String> label = Durable.async(w.acts::a, "x");
            refused(w, () -> Durable.await(() -> w.acts.a("y").isEmpty()));
            refused(w, () -> Durable.await(() -> Durable.random().nextBoolean()));
            refused(w, () -> Durable.await(() -> Durable.uuid() == null));
            refused(w, () -> Durable.await(() -> label.get().isEmpty()));
            refused(w, () -> Durable.await(() -> Durable.await(Duration.ofHours(1), () -> false)));
            refused(w, () -> Durable.await(() -> Durable.version("x", 0, 1) == 1));
            Durable.await(() ->
                    label.isDone() && label.get().equals("x") && !Durable.now().isBefore(GivenRun.START));
            return "";
        })) {
            String why =
                    " was called in a condition of Durable.await. Conditions are evaluated any number of times and may only"
                            + " look at state. Do it before or after the await.";
            run.expectSeen(
                    "Acts.a" + why,
                    "Durable.random" + why,
                    "Durable.uuid" + why,
                    "Promise.get" + why,
                    "Durable.await" + why,
                    "Durable.version" + why);
            run.completed(1, "x").expectClose("completed \"\"");
        }
    }

    private static void refused(Scripted w, Runnable call) {
        try {
            call.run();
            w.see("went through");
        } catch (IllegalStateException e) {
            w.see(e.getMessage());
        }
    }

    @Test
    void side_effects_run_once_and_may_not_act() {
        List<String> ran = new ArrayList<>();
        try (GivenRun run = GivenRun.of(w -> {
            List<String> value = Durable.sideEffect(new dev.durable.TypeRef<List<String>>() {}, () -> {
                ran.add("x");
                return List.of("drawn");
            });
            w.acts.nothing();
            return value.getFirst();
        })) {
            run.expect("side effect [\"drawn\"]", "schedule 1 Acts.nothing[]");
            run.completed(1, null).expectClose("completed \"drawn\"");
            assertThat(ran).containsExactly("x");
        }
        assertThatThrownBy(() -> GivenRun.of(w -> Durable.sideEffect(String.class, () -> w.acts.a("x"))))
                .hasMessageContaining("Acts.a was called in Durable.sideEffect. Its supplier does not run on replay");
    }

    @Workflow
    static class Eager {
        Eager(Acts acts) {
            acts.nothing();
        }

        @Run
        String run(String ignored) {
            return "";
        }
    }

    @Test
    void a_constructor_keeps_its_stubs_and_does_nothing_else() {
        assertThatThrownBy(() -> GivenRun.of(Eager.class, ""))
                .isInstanceOf(StalledException.class)
                .hasMessageContaining(
                        "Acts.nothing was called in the workflow's constructor. A constructor only keeps its"
                                + " activities: handlers need the object before anything else happens. Do it in the @Run method.");
    }

    @Workflow
    static class Unmade {
        Unmade() {
            throw new IllegalArgumentException("not made");
        }

        @Run
        String run(String ignored) {
            return "";
        }
    }

    @Test
    void a_query_of_an_object_that_was_never_made_says_so() {
        try (GivenRun run = GivenRun.of(Unmade.class, "")) {
            run.expectClose("failed java.lang.IllegalArgumentException: not made");
            assertThatThrownBy(() -> run.instance().query("x", Payload.NO_ARGUMENTS))
                    .isInstanceOf(QueryFailedException.class);
        }
    }

    @Workflow
    static class Asked {
        private final Acts acts;
        private final List<String> list = new ArrayList<>(List.of("a"));

        Asked(Acts acts) {
            this.acts = acts;
        }

        @Run
        String run(String ignored) {
            return acts.a("x");
        }

        @Query
        List<String> list(String more) {
            List<String> answer = new ArrayList<>(list);
            answer.add(more + Durable.info().workflowId() + Durable.now());
            return answer;
        }

        @Query
        String commanding() {
            return acts.a("x");
        }

        @Query
        String waiting() {
            Durable.sleep(Duration.ofHours(1));
            return "";
        }

        @Query
        String drawing() {
            return Durable.uuid().toString();
        }

        @Query
        String throwing() {
            throw new IllegalArgumentException("asked the wrong thing");
        }
    }

    @Test
    void a_query_answers_from_the_state_and_may_not_act() {
        try (GivenRun run = GivenRun.of(Asked.class, "")) {
            assertThat(run.instance().query("list", new Payload("[\"b \"]")).json())
                    .isEqualTo("[\"a\",\"b run-12026-01-01T00:00:00Z\"]");
            assertQueryFails(run, "commanding", "Acts.a was called in a query");
            assertQueryFails(run, "waiting", "Durable.sleep was called in a query");
            assertQueryFails(
                    run, "drawing", "Durable.uuid was called in a query. A query answers from the state as it is");
            assertQueryFails(run, "throwing", "java.lang.IllegalArgumentException: asked the wrong thing");
            assertQueryFails(run, "unheard", "Asked has no query 'unheard'; it has ");
            run.completed(1, "still alive").expectClose("completed \"still alive\"");
        }
    }

    private static void assertQueryFails(GivenRun run, String query, String text) {
        assertThatThrownBy(() -> run.instance().query(query, Payload.NO_ARGUMENTS))
                .isInstanceOf(QueryFailedException.class)
                .hasMessageContaining(text);
    }

    @Test
    void calls_outside_a_workflow_say_so() {
        assertThatThrownBy(Durable::now)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Durable.now was called outside a workflow, on thread '")
                .hasMessageContaining("start them by Durable.async, never by threads, executors or parallel streams");
        assertThatThrownBy(() -> Promise.all(List.of()))
                .hasMessageContaining("Promise.all was called outside a workflow");
    }

    @Test
    void a_promise_of_another_run_is_refused() {
        Promise<?>[] leaked = new Promise<?>[1];
        GivenRun.of(w -> {
                    leaked[0] = Durable.async(w.acts::a, "x");
                    return "";
                })
                .close();
        assertThatThrownBy(() -> GivenRun.of(w -> leaked[0].get()))
                .isInstanceOf(StalledException.class)
                .hasMessageContaining(
                        "Promise.get was called on a promise of another run. Keep promises in fields of the"
                                + " workflow object or in local variables, never in static fields.");
    }
}
