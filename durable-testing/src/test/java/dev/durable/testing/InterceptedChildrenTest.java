package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.ChildOptions;
import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.history.ChildStartRequested;
import dev.durable.intercept.ChildStartCall;
import dev.durable.intercept.ContextPropagator;
import dev.durable.intercept.Next;
import dev.durable.intercept.WorkerInterceptor;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

/** Interceptors around the starts of children, and the context of the parent's caller in children. */
@DurableTest
class InterceptedChildrenTest {
    private final List<ChildStartCall> calls = new CopyOnWriteArrayList<>();

    @Workflow
    static class Tour {
        @Run
        String run() {
            return Durable.startChild(Leg.class, ChildOptions.id("leg-1").header("own", "2"), Leg::run)
                    .result();
        }
    }

    @Workflow
    static class Leg {
        @Run
        String run() {
            return "for " + MDC.get("tenant");
        }
    }

    @AfterEach
    void clear() {
        MDC.clear();
    }

    private static WorkflowHandle<Tour, String> tour(TestEngine engine) {
        engine.register(Tour.class, Leg.class);
        return engine.client()
                .start(
                        Tour.class,
                        StartOptions.id("tour-1").header("way", "north").header("secret", "x"),
                        Tour::run);
    }

    @Test
    void headers_that_an_interceptor_sets_at_the_start_of_a_child_are_those_of_the_child_only(TestEngine engine) {
        engine.intercept(new WorkerInterceptor() {
            @Override
            public void startChild(ChildStartCall call, Next next) throws Exception {
                calls.add(call);
                call.headers().put("span", call.childType() + " " + call.number());
                call.headers().remove("secret");
                next.proceed();
            }
        });
        var run = tour(engine);
        run.result();

        var child = engine.client().handle("leg-1").history();
        assertThat(child.started().headers()).isEqualTo(Map.of("way", "north", "own", "2", "span", "Leg 1"));
        assertThat(run.history()
                        .events(ChildStartRequested.class)
                        .findFirst()
                        .orElseThrow()
                        .options()
                        .headers())
                .as("in the history of the parent")
                .isEqualTo(Map.of("own", "2"));
        assertThat(calls)
                .as("twice, as a first turn with messages is made again")
                .hasSize(2);
        assertThat(calls)
                .allSatisfy(call -> assertThat(call)
                        .hasToString("ChildStartCall[workflowId=tour-1, runId=" + run.runId() + ", type=Tour, number=1,"
                                + " childWorkflowId=leg-1, childRunId="
                                + child.started().runId() + ", childType=Leg,"
                                + " taskQueue=default, headers=[way, own, span]]"));
    }

    @Test
    void an_interceptor_that_refuses_the_start_of_a_child_stalls_the_turn(TestEngine engine) {
        engine.intercept(new WorkerInterceptor() {
            @Override
            public void startChild(ChildStartCall call, Next next) {
                throw new IllegalStateException("no legs today");
            }
        });
        tour(engine);

        assertThatThrownBy(engine::settle)
                .hasMessageContaining(
                        "the start of Leg, child 1 of tour-1 was refused by an interceptor, in front of the"
                                + " work itself: java.lang.IllegalStateException: no legs today");
    }

    @Test
    void a_child_has_the_context_of_the_caller_of_its_parent(TestEngine engine) {
        engine.propagate(ContextPropagator.mdc("tenant"));
        MDC.put("tenant", "acme");
        var run = tour(engine);
        MDC.clear();

        assertThat(run.result()).isEqualTo("for acme");
    }
}
