package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.Durable;
import dev.durable.EncodedValues;
import dev.durable.HandlerUnfinishedPolicy;
import dev.durable.PayloadException;
import dev.durable.Promise;
import dev.durable.Query;
import dev.durable.QueryFailedException;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.TypeRef;
import dev.durable.Workflow;
import dev.durable.client.DurableClient;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Handlers that take messages of any name. */
@DurableTest
class AnyNameTest {
    record Price(String currency, BigDecimal amount) {}

    @Activity
    interface Book {
        String enter(String line);
    }

    @Workflow
    static class Diary {
        private final Book book;
        private final List<String> lines = new ArrayList<>();
        private boolean closed;

        Diary(Book book) {
            this.book = book;
        }

        @Run
        List<String> run() {
            Durable.await(() -> closed);
            return lines;
        }

        @Signal
        void line(String line) {
            lines.add(line);
        }

        @Signal
        void close() {
            closed = true;
        }

        @Signal(any = true, unfinishedPolicy = HandlerUnfinishedPolicy.WAIT)
        void other(String name, EncodedValues values) {
            switch (name) {
                case "price" -> lines.add("price " + values.get(0, Price.class).amount());
                case "prices" ->
                    lines.add("prices "
                            + values.get(1, new TypeRef<Map<String, List<Price>>>() {})
                                    .get("a")
                                    .getFirst());
                case "careful" -> lines.add("careful " + number(values));
                case "number" -> lines.add("number " + values.get(0, int.class));
                case "entry" -> lines.add(book.enter(values.get(0, String.class)));
                default -> lines.add(name + " of " + values.size());
            }
        }

        private static String number(EncodedValues values) {
            try {
                return String.valueOf(values.get(0, Integer.class));
            } catch (PayloadException e) {
                return "not a number";
            }
        }

        @Query
        int count() {
            return lines.size();
        }

        @Query(any = true)
        Object answer(String name, EncodedValues values) {
            return name.equals("last")
                    ? new Price("EUR", BigDecimal.valueOf(lines.size()))
                    : List.of(name, values.size());
        }
    }

    private static WorkflowHandle<Diary, List<String>> begun(TestEngine engine) {
        DurableClient client = engine.register(Diary.class)
                .activity(Book.class, line -> "entered " + line)
                .client();
        return client.start(Diary.class, "d-1", Diary::run);
    }

    @Test
    void signals_without_a_handler_of_their_name_come_with_their_name_and_values_in_order(TestEngine engine) {
        var run = begun(engine);
        run.signal("one", 1, "two", null);
        run.signal(w -> w.line("mine"));
        run.signal("line", "mine, too");
        run.signal("price", new Price("EUR", new BigDecimal("1.50")));
        run.signal("prices", "x", Map.of("a", List.of(new Price("CHF", BigDecimal.ONE))));
        run.signal("careful", "seven");
        run.signal("careful", 7);
        run.signal("number", 8);
        engine.client().handle("d-1").signal("none");
        run.signal(Diary::close);

        assertThat(run.result())
                .containsExactly(
                        "one of 3",
                        "mine",
                        "mine, too",
                        "price 1.50",
                        "prices Price[currency=CHF, amount=1]",
                        "careful not a number",
                        "careful 7",
                        "number 8",
                        "none of 0");
        Replayer.of(Diary.class, Book.class).replay(run.history());
    }

    @Test
    void such_a_handler_calls_activities_and_its_policy_is_its_own(TestEngine engine) {
        var run = begun(engine);
        run.signal("entry", "a");
        run.signal(Diary::close);
        assertThat(run.result()).as("run has waited for the handler").containsExactly("entered a");
        assertThat(run.history()).completedActivities("Book.enter");
    }

    @Test
    void it_takes_the_signal_of_a_start(TestEngine engine) {
        begun(engine);
        var run = engine.client().signalWithStart("Diary", StartOptions.id("d-2"), List.of(), "unheard", 1);
        run.signal("close");
        assertThat(run.resultAs(new TypeRef<List<String>>() {})).containsExactly("unheard of 1");
    }

    @Test
    void queries_without_a_handler_of_their_name_are_answered_by_the_class_of_the_answer(TestEngine engine) {
        var run = begun(engine);
        run.signal(w -> w.line("a"));
        int count = run.query(Diary::count);
        assertThat(count).isEqualTo(1);
        assertThat(run.query("last", Price.class)).isEqualTo(new Price("EUR", BigDecimal.ONE));
        assertThat(run.query("any", new TypeRef<List<Object>>() {}, 1, 2)).containsExactly("any", 2);
        assertThat(engine.client().handle("d-1").query("last", Price.class).currency())
                .isEqualTo("EUR");
    }

    @Test
    void a_lambda_names_no_message_of_theirs(TestEngine engine) {
        var run = begun(engine);
        assertThatThrownBy(() -> run.signal(w -> w.other("x", null)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "The lambda on " + Diary.class.getTypeName()
                                + " called other(String, EncodedValues), which handles"
                                + " messages of any name, and a lambda says no name. Send it by name: handle.signal(\"name\", …).");
        assertThatThrownBy(() -> run.query(w -> w.answer("x", null)))
                .hasMessageEndingWith("Send it by name: handle.query(\"name\", Type.class, …).");
    }

    @Test
    void a_value_of_another_type_that_the_handler_does_not_catch_stalls_the_run(TestEngine engine) {
        var run = begun(engine);
        run.signal("price", "much");
        assertThatThrownBy(engine::settle).isInstanceOf(WorkflowStalledException.class);
        assertThat(run.describe().stalledBy())
                .startsWith("Diary d-1 is stalled: argument 1 of price (handled by Diary.other) can't be read as "
                        + Price.class.getTypeName() + ": ")
                .contains(
                        "Usually its sender has sent another type under that name: read it as what was sent, or catch the"
                                + " PayloadException where strangers may send. It came out of signal price, at"
                                + " AnyNameTest.Diary.other(AnyNameTest.java:")
                .endsWith(
                        "Such a mistake of the code does not fail a run: deploy code without it, and the run goes on.")
                .doesNotContain("much");
        assertThat(run.history().size()).isEqualTo(1);
        run.terminate("seen");
    }

    @Test
    void a_value_that_was_not_sent_stalls_the_run_with_its_number(TestEngine engine) {
        var run = begun(engine);
        run.signal("entry");
        assertThatThrownBy(engine::settle).isInstanceOf(WorkflowStalledException.class);
        assertThat(run.describe().stalledBy())
                .startsWith(
                        "Diary d-1 is stalled: get(0, …) asks for argument 1 of entry (handled by Diary.other), which has"
                                + " 0. Usually its sender has left it out: ask size() first, or catch the PayloadException where"
                                + " strangers may send. It came out of signal entry, at ");
        run.terminate("seen");
    }

    @Workflow
    static class Patient {
        @Run
        void run() {
            Durable.await(() -> false);
        }

        @Signal(any = true)
        void other(String name, EncodedValues values) {
            switch (name) {
                case "retry" -> Durable.retry(o -> o.maxAttempts(3), () -> values.get(0, Integer.class));
                default ->
                    Promise.map(List.of(0), o -> o.toleratedFailures(1), index -> values.get(index, Integer.class));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"retry", "map"})
    void a_value_of_another_type_is_no_failure_that_retries_or_maps_take(String name, TestEngine engine) {
        var run = engine.register(Patient.class).client().startVoid(Patient.class, "p-1", Patient::run);
        run.signal(name, "much");
        assertThatThrownBy(engine::settle).isInstanceOf(WorkflowStalledException.class);
        assertThat(run.history().size()).isEqualTo(1);
        run.terminate("seen");
    }

    @Workflow
    static class Asked {
        @Run
        void run() {
            Durable.await(() -> false);
        }

        @Query(any = true)
        int answer(String name, EncodedValues values) {
            return values.get(0, int.class);
        }
    }

    @Test
    void a_query_that_asks_for_another_type_fails_for_its_caller_only(TestEngine engine) {
        var run = engine.register(Asked.class).client().startVoid(Asked.class, "a-1", Asked::run);
        assertThatThrownBy(() -> run.query("sum", Integer.class, "x"))
                .isInstanceOf(QueryFailedException.class)
                .hasMessageContaining(
                        "query 'sum' of Asked threw dev.durable.PayloadException: argument 1 of sum (handled by"
                                + " Asked.answer) can't be read as int");
        assertThatThrownBy(() -> run.query("sum", Integer.class, (Object) null))
                .hasMessageContaining("argument 1 of sum (handled by Asked.answer) is null, and int can't be.");
        assertThat(run.query("sum", Integer.class, 3)).isEqualTo(3);
        assertThat(run.describe().stalledBy()).isNull();
    }
}
