package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.Durable;
import dev.durable.EncodedValues;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.TypeRef;
import dev.durable.Workflow;
import dev.durable.WorkflowFailedException;
import dev.durable.client.DurableClient;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A workflow that runs all types that no other class has; run on each kind of store. */
abstract class AnyTypeTest {

    @Activity
    interface Tools {
        String use(String tool);
    }

    @Workflow(any = true)
    static class Interpreter {
        private final Tools tools;
        private final List<String> heard = new ArrayList<>();
        private boolean stop;

        Interpreter(Tools tools) {
            this.tools = tools;
        }

        @Run
        Object run(EncodedValues values) {
            return switch (Durable.info().type()) {
                case "Sum" -> values.get(0, int.class) + values.get(1, int.class);
                case "Tool" -> tools.use(values.get(0, String.class));
                case "Nap" -> {
                    Durable.sleep(Duration.ofDays(1));
                    yield List.of("slept", values.size());
                }
                case "Ear" -> {
                    Durable.await(() -> stop);
                    yield heard;
                }
                default ->
                    throw new IllegalArgumentException(
                            "no program " + Durable.info().type());
            };
        }

        @Signal(any = true)
        void other(String name, EncodedValues values) {
            heard.add(name);
            stop = name.equals("stop");
        }
    }

    @Workflow(aliases = "Adieu")
    static class Goodbye {
        @Run
        String run(String name) {
            return "goodbye " + name;
        }
    }

    private static DurableClient client(TestEngine engine) {
        return engine.register(Interpreter.class, Goodbye.class)
                .activity(Tools.class, tool -> "used " + tool)
                .client();
    }

    private static StartOptions id(String id) {
        return StartOptions.id(id);
    }

    @Test
    void a_type_that_no_class_has_is_run_by_it_under_its_own_name(TestEngine engine) {
        DurableClient client = client(engine);
        WorkflowHandle<?, ?> sum = client.start("Sum", id("s-1"), 2, 3);
        assertThat(sum.resultAs(Integer.class)).isEqualTo(5);
        assertThat(sum.describe().summary().type()).isEqualTo("Sum");
        assertThat(client.start("Tool", id("t-1"), "saw").resultAs(String.class))
                .isEqualTo("used saw");
        assertThat(client.handle(Interpreter.class, "s-1").result()).isEqualTo(5);
        Replayer.of(Interpreter.class, Tools.class).replay(sum.history());
    }

    @Test
    void what_a_class_has_by_name_or_alias_stays_its_own(TestEngine engine) {
        DurableClient client = client(engine);
        assertThat(client.start("Goodbye", id("g-1"), "ann").resultAs(String.class))
                .isEqualTo("goodbye ann");
        assertThat(client.start("Adieu", id("g-2"), "ann").resultAs(String.class))
                .isEqualTo("goodbye ann");
        var job = client.enqueue(Tools.class, tools -> tools.use("pen"));
        assertThat(job.resultAs(String.class)).isEqualTo("used pen");
    }

    @Test
    void it_is_claimed_after_a_delay_by_a_timer_and_by_a_signal(TestEngine engine) {
        DurableClient client = client(engine);
        var nap = client.start("Nap", id("n-1").startDelay(Duration.ofHours(3)), "x");
        assertThat(nap.resultAs(new TypeRef<List<Object>>() {})).containsExactly("slept", 1);
        var ear = client.signalWithStart("Ear", id("e-1"), List.of(), "first", 1);
        ear.signal("stop");
        assertThat(ear.resultAs(new TypeRef<List<String>>() {})).containsExactly("first", "stop");
    }

    @Test
    void what_it_throws_fails_the_run_and_what_it_can_not_read_stalls_it(TestEngine engine) {
        DurableClient client = client(engine);
        assertThatThrownBy(client.start("Salute", id("s-1"))::result)
                .isInstanceOf(WorkflowFailedException.class)
                .hasMessageContaining("no program Salute");

        var sum = client.start("Sum", id("s-2"), 2);
        assertThatThrownBy(engine::settle).isInstanceOf(WorkflowStalledException.class);
        assertThat(sum.describe().stalledBy())
                .startsWith(
                        "Sum s-2 is stalled: get(1, …) asks for argument 2 of Sum (run by Interpreter.run), which has 1.");
        sum.terminate("seen");
    }

    @Test
    void a_lambda_names_no_type(TestEngine engine) {
        DurableClient client = client(engine);
        assertThatThrownBy(() -> client.start(Interpreter.class, "i-1", w -> w.run(null)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "The lambda on " + Interpreter.class.getTypeName()
                                + " called run(EncodedValues), which runs workflows"
                                + " of any type, and a lambda says no type. Start it by name: client.start(\"Type\", options, …).");
    }
}
