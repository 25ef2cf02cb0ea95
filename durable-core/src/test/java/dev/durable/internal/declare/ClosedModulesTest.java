package dev.durable.internal.declare;

import static dev.durable.internal.declare.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.Call;
import dev.durable.Workflow;
import dev.durable.internal.declare.object.CallKind;
import java.io.IOException;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An application in a module that exports a package and opens none: interfaces work, classes are told the line to add. */
class ClosedModulesTest {
    private static final Map<String, String> SOURCES = Map.of(
            "module-info", "module acme.orders { exports acme.orders; }",
            "acme/orders/ByClass", """
                package acme.orders;
                @dev.durable.Workflow public class ByClass {
                    public ByClass() {}
                    @dev.durable.Run public String run(String in) { return in; }
                }""",
            "acme/orders/Ordering", """
                package acme.orders;
                @dev.durable.Workflow public interface Ordering {
                    @dev.durable.Run String run(String in);
                }""",
            "acme/orders/OrderingCode", """
                package acme.orders;
                public final class OrderingCode implements Ordering {
                    public OrderingCode(Payments payments) {}
                    public String run(String in) { return "ran " + in; }
                }""",
            "acme/orders/HiddenCode", """
                package acme.orders;
                final class HiddenCode implements Ordering {
                    HiddenCode() {}
                    public String run(String in) { return in; }
                }""",
            "acme/orders/Payments", """
                package acme.orders;
                @dev.durable.Activity public interface Payments {
                    String charge(int amount);
                    default String twice(int amount) { return charge(amount) + charge(amount); }
                }""");

    @TempDir
    static Path directory;

    private static ClassLoader loader;

    @BeforeAll
    static void compileAndLoad() throws IOException {
        Path classes = directory.resolve("classes");
        List<String> arguments = new java.util.ArrayList<>(List.of(
                "-d",
                classes.toString(),
                "-proc:none",
                "-cp",
                System.getProperty("java.class.path"),
                "--add-reads",
                "acme.orders=ALL-UNNAMED"));
        for (Map.Entry<String, String> source : SOURCES.entrySet()) {
            Path file = directory.resolve("src").resolve(source.getKey() + ".java");
            Files.createDirectories(file.getParent());
            arguments.add(Files.writeString(file, source.getValue()).toString());
        }
        int status = ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new));
        assertThat(status).isZero();

        Configuration modules = ModuleLayer.boot()
                .configuration()
                .resolve(ModuleFinder.of(classes), ModuleFinder.of(), Set.of("acme.orders"));
        ModuleLayer.Controller layer = ModuleLayer.defineModulesWithOneLoader(
                modules, List.of(ModuleLayer.boot()), ClosedModulesTest.class.getClassLoader());
        Module module = layer.layer().findModule("acme.orders").orElseThrow();
        layer.addReads(module, Workflow.class.getModule());
        loader = module.getClassLoader();
    }

    private static Class<?> load(String name) throws ClassNotFoundException {
        return loader.loadClass("acme.orders." + name);
    }

    @Test
    void a_class_is_told_the_opens_line_and_the_interface_way() throws Exception {
        assertRefused(load("ByClass"))
                .hasMessageContaining("A declaration is wrong")
                .hasMessageContaining(
                        "acme.orders.ByClass is a class of module acme.orders, which does not open its package to Durable")
                .hasMessageContaining("Add \"opens acme.orders;\" to the module-info of acme.orders")
                .hasMessageContaining("or annotate a public interface that the class implements");
        Call<Object, Object> any = w -> w;
        @SuppressWarnings("unchecked")
        Class<Object> type = (Class<Object>) load("ByClass");
        assertThatThrownBy(() -> Recorder.record(type, any, CallKind.RUN))
                .hasMessageContaining("Add \"opens acme.orders;\"");
    }

    @Test
    void an_interface_and_a_public_final_class_need_nothing_opened() throws Throwable {
        Class<?> declared = load("Ordering");
        WorkflowType workflow =
                Registry.builder().register(load("OrderingCode")).build().workflowOf(declared);
        Object stub = Stubs.create(workflow.dependencies().getFirst(), (activity, arguments) -> "c" + arguments[0]);

        Object instance = workflow.constructor().newInstance(stub);
        assertThat(workflow.methods().run().invoke(instance, new Object[] {"o"}))
                .isEqualTo("ran o");

        Method run = declared.getMethod("run", String.class);
        @SuppressWarnings("unchecked")
        Class<Object> type = (Class<Object>) declared;
        Recorded recorded = Recorder.record(type, (Call<Object, Object>) w -> run.invoke(w, "o"), CallKind.RUN);
        assertThat(recorded.arguments()).containsExactly("o");

        assertThat(load("Payments").getMethod("twice", int.class).invoke(stub, 4))
                .isEqualTo("c4c4");
    }

    @Test
    void a_hidden_class_is_told_to_open_or_to_be_public() throws Exception {
        assertRefused(load("HiddenCode"))
                .hasMessageContaining("acme.orders.HiddenCode's constructor is out of reach")
                .hasMessageContaining("module acme.orders does not open the package to Durable")
                .hasMessageContaining(
                        "Add \"opens acme.orders;\" to the module-info of acme.orders, or make class and member public");
    }
}
