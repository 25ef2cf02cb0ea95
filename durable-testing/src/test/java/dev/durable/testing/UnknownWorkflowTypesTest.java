package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.client.DurableClient;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowStatus;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Starts by name of workflow types that are not registered here; run on each kind of store. */
abstract class UnknownWorkflowTypesTest {

    @Workflow(aliases = "Salute")
    static class Greeting {
        @Run
        String run(String name) {
            return "hello " + name;
        }
    }

    @Test
    void a_type_that_the_worker_of_its_queue_does_not_register_is_refused(TestEngine engine) {
        DurableClient client = engine.register(Greeting.class).client();
        assertThatThrownBy(() -> client.start("Greetings", StartOptions.id("g-1"), "ann"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "workflow type Greetings can't be started on task queue default: this engine's worker serves"
                                + " that queue and registers no such type, only [Greeting, Salute]. Usual cause: a misspelt name,"
                                + " or a class that was left out of register(…). For a type that only other workers register,"
                                + " name their queue (StartOptions.taskQueue(…)), or start it through an engine that is"
                                + " clientOnly().");
        assertThat(client.workflows().count()).isZero();
        assertThat(client.start("Greeting", StartOptions.id("g-1"), "ann").resultAs(String.class))
                .isEqualTo("hello ann");
        assertThat(client.start("Salute", StartOptions.id("g-2"), "ann").resultAs(String.class))
                .isEqualTo("hello ann");
    }

    @Workflow
    static class Stranger {
        @Run
        String run(String name) {
            return name;
        }

        @Signal
        void more(String name) {}
    }

    @Test
    void its_class_does_not_make_it_known(TestEngine engine) {
        DurableClient client = engine.register(Greeting.class).client();
        String refusal =
                "workflow type Stranger can't be started on task queue default: this engine's worker serves that"
                        + " queue and registers no such type, only [Greeting, Salute].";
        assertThatThrownBy(() -> client.start(Stranger.class, "s-1", w -> w.run("ann")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(refusal);
        assertThatThrownBy(() -> client.signalWithStart(Stranger.class, "s-1", w -> w.run("ann"), w -> w.more("bob")))
                .hasMessageStartingWith(refusal);
        assertThat(client.workflows().count()).isZero();
    }

    @Test
    void one_of_a_queue_that_others_serve_is_started(TestEngine engine) {
        DurableClient client =
                engine.register(Greeting.class).withoutReplayCheck().client();
        for (String id : List.of("p-1", "p-2")) {
            StartOptions elsewhere = StartOptions.id(id).taskQueue("printers");
            assertThat(client.start("Printing", elsewhere, "page 1")
                            .describe()
                            .summary()
                            .status())
                    .isEqualTo(WorkflowStatus.RUNNING);
        }
    }
}
