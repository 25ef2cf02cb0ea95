package dev.durable;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Which ways to write a call the Java compiler takes. It looks into a lambda without parameter types only after it has
 * chosen among overloaded methods: {@code assertThat(h.query(w -> w.count()))} and {@code start} of a void run can't be
 * made to compile from here, so the Javadoc of the methods says what to write.
 */
class CallShapesTest {
    private static final Path CLIENT = Path.of("src/main/java/dev/durable/client/DurableClient.java");
    private static final Path HANDLE = Path.of("src/main/java/dev/durable/client/WorkflowHandle.java");

    @TempDir
    Path classes;

    /** What the compiler says about these statements. */
    private String compile(String statements) {
        String source = """
                import dev.durable.*;
                import dev.durable.client.*;
                import static org.assertj.core.api.Assertions.assertThat;
                class Shapes {
                    @Workflow static class Order {
                        @Run public String run(int n) { return ""; }
                        @Query public int count() { return 0; }
                        @Query public String line(int n) { return ""; }
                    }
                    @Workflow static class Quiet {
                        @Run public void run(int n) { }
                    }
                    void calls(DurableClient client, WorkflowHandle<Order, String> h) {
                        %s
                    }
                }""".formatted(statements);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        JavaFileObject file =
                new SimpleJavaFileObject(URI.create("string:///Shapes.java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return source;
                    }
                };
        List<String> options =
                List.of("-d", classes.toString(), "-proc:none", "-cp", System.getProperty("java.class.path"));
        compiler.getTask(null, null, found, options, null, List.of(file)).call();
        return found.getDiagnostics().stream()
                .filter(d -> d.getKind() == javax.tools.Diagnostic.Kind.ERROR)
                .map(d -> d.getMessage(Locale.ENGLISH))
                .collect(Collectors.joining("\n"));
    }

    @Test
    void answers_of_queries_go_straight_into_assertions_and_output() {
        assertThat(compile("""
                assertThat(h.query(Order::count)).isEqualTo(3);
                System.out.println(h.query(Order::count));
                assertThat(h.query((Order w) -> w.line(1))).startsWith("a");
                System.out.println(h.query((Order w) -> w.line(1)));
                assertThat(h.query("count", Integer.class)).isEqualTo(3);
                int count = h.query(w -> w.count());
                String line = h.query(w -> w.line(1));
                assertThat(line).startsWith("a");
                """)).isEmpty();
    }

    @Test
    void a_lambda_without_a_type_in_an_overloaded_method_is_what_the_javadoc_of_query_is_about() throws IOException {
        assertThat(compile("System.out.println(h.query(w -> w.count()));"))
                .contains("reference to println is ambiguous");
        assertThat(compile("assertThat(h.query(w -> w.count())).isEqualTo(3);"))
                .contains("reference to assertThat is ambiguous");
        assertThat(javadocOf(HANDLE, "<T extends @Nullable Object> T query(Call<W, T> call)"))
                .contains("{@code println(h.query(OrderWorkflow::status))}")
                .contains("{@code assertThat(h.query((OrderWorkflow w) -> w.line(1)))}")
                .contains("ambiguous");
    }

    @Test
    void a_run_that_returns_nothing_is_started_by_start_void_as_the_javadoc_of_start_says() throws IOException {
        assertThat(compile("client.startVoid(Quiet.class, \"q-1\", w -> w.run(1)).result();"))
                .isEmpty();
        assertThat(compile("client.start(Quiet.class, \"q-1\", w -> w.run(1));"))
                .contains("void");
        assertThat(javadocOf(CLIENT, "WorkflowHandle<W, R> start(\n"))
                .contains("{@link #startVoid(Class, String, VoidCall) startVoid}")
                .contains("void");
        assertThat(javadocOf(CLIENT, "WorkflowHandle<W, R> start(Class<W> type, StartOptions"))
                .contains("{@link #startVoid(Class, StartOptions, VoidCall) startVoid}");
    }

    private static String javadocOf(Path source, String method) throws IOException {
        String text = Files.readString(source);
        int at = text.indexOf(method);
        assertThat(at).as(method).isPositive();
        int from = text.lastIndexOf("/**", at);
        return text.substring(from, at).replaceAll("\\s*\\n\\s*\\*\\s*", " ");
    }
}
