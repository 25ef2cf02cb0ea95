package dev.durable.internal.declare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.Call;
import dev.durable.Query;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.VoidCall;
import dev.durable.Workflow;
import dev.durable.internal.declare.object.CallKind;
import java.io.FileNotFoundException;
import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RecorderTest {
    enum Status {
        OPEN,
        DONE
    }

    @Workflow
    static class OrderWorkflow {
        private final List<String> log;
        int field = 7;

        OrderWorkflow(List<String> log) {
            this.log = Objects.requireNonNull(log);
        }

        @Run
        String run(String order, int amount) throws FileNotFoundException {
            throw new FileNotFoundException("never run");
        }

        @Signal
        protected void approve(String by) {
            log.add(by);
        }

        @Query
        public int count() {
            return log.size();
        }

        @Query
        public boolean done() {
            return false;
        }

        @Query
        public Boolean maybe() {
            return false;
        }

        @Query(name = "state")
        public Status status() {
            return Status.OPEN;
        }

        @Query
        public String name() {
            return "name";
        }

        @Query
        public char letter() {
            return 'a';
        }

        @Query
        public BigDecimal total() {
            return BigDecimal.ONE;
        }

        public void helper() {}

        public final int unseen() {
            return 3;
        }

        @Override
        public String toString() {
            return log.toString();
        }
    }

    @Activity(name = "Mail")
    interface Emails {
        void send(long id);

        default void sendTwice(long id) {
            send(id);
        }
    }

    private static <T, R> Recorded result(Class<T> type, Call<T, R> call, CallKind kind) {
        return Recorder.record(type, call, kind);
    }

    private static <R> Recorded query(Call<OrderWorkflow, R> call) {
        return Recorder.record(OrderWorkflow.class, call, CallKind.QUERY);
    }

    @Test
    void a_call_is_recorded_with_its_arguments_and_not_run() {
        Recorded run = result(OrderWorkflow.class, w -> w.run("o-1", 42), CallKind.RUN);

        assertThat(run.name()).isEqualTo("run");
        assertThat(run.declaredMethod())
                .isEqualTo(Registry.builder()
                        .build()
                        .workflowOf(OrderWorkflow.class)
                        .methods()
                        .run()
                        .method());
        assertThat(run.arguments()).containsExactly("o-1", 42);
    }

    @Test
    void signals_queries_and_activities_are_recorded_by_name() {
        VoidCall<OrderWorkflow> approve = w -> w.approve(null);
        Recorded signal = Recorder.record(OrderWorkflow.class, approve, CallKind.SIGNAL);
        assertThat(signal.name()).isEqualTo("approve");
        assertThat(signal.arguments()).containsExactly((Object) null);

        assertThat(query(OrderWorkflow::status).name()).isEqualTo("state");
        assertThat(query(OrderWorkflow::status).arguments()).isEmpty();

        VoidCall<Emails> send = e -> e.send(5);
        assertThat(Recorder.record(Emails.class, send, CallKind.ACTIVITY).name())
                .isEqualTo("Mail.send");
    }

    @Test
    void results_of_all_kinds_may_be_returned_untouched() {
        assertThat(query(OrderWorkflow::count).name()).isEqualTo("count");
        assertThat(query(OrderWorkflow::done).name()).isEqualTo("done");
        assertThat(query(OrderWorkflow::maybe).name()).isEqualTo("maybe");
        assertThat(query(OrderWorkflow::name).name()).isEqualTo("name");
        assertThat(query(OrderWorkflow::letter).name()).isEqualTo("letter");
        assertThat(query(OrderWorkflow::total).name()).isEqualTo("total");
    }

    static List<Call<OrderWorkflow, ?>> tricks() {
        return List.of(
                w -> w.count() * 2,
                w -> w.count() + 0L,
                w -> Math.max(w.count(), 0),
                w -> Math.min(w.count(), 0),
                w -> Math.abs(w.count()),
                w -> (short) w.count(),
                w -> w.count() > 0,
                w -> !w.done(),
                w -> w.done() && w.toString().isEmpty(),
                w -> w.done() || w.toString() != null,
                w -> !w.maybe(),
                w -> w.done() ? "yes" : "no",
                w -> w.status() == Status.OPEN,
                w -> w.status().name(),
                w -> Optional.ofNullable(w.status()),
                w -> Objects.requireNonNullElse(w.status(), Status.DONE),
                w -> Objects.requireNonNull(w.total()),
                w -> w.total().add(BigDecimal.ONE),
                w -> w.name().trim(),
                w -> w.name().toUpperCase(Locale.ROOT),
                w -> w.name() + "",
                w -> w.name() == null ? null : "set",
                w -> {
                    w.name();
                    return null;
                },
                w -> (char) (w.letter() + 1),
                w -> {
                    w.status();
                    throw new IllegalStateException("after the call");
                });
    }

    @ParameterizedTest
    @MethodSource("tricks")
    void whoever_touches_the_result_is_found(Call<OrderWorkflow, ?> trick) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> query(trick))
                .withMessageContaining(
                        "The lambda on dev.durable.internal.declare.RecorderTest$OrderWorkflow does something")
                .withMessageContaining("The call is recorded and not run, so there is no result yet. Write w -> w.")
                .withMessageContaining("alone, and use what comes back from it.");
    }

    @Test
    void no_call_is_refused_with_the_calls_there_are() {
        String text =
                "made no call that can be recorded (final and private methods and fields can't be seen). Write exactly one"
                        + " call of a @Query method: handle.query(w -> w.status()). OrderWorkflow has count(), done(), letter(), maybe(),"
                        + " name(), status(), total().";
        assertThatIllegalArgumentException().isThrownBy(() -> query(w -> 7)).withMessageContaining(text);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> query(w -> w.field))
                .withMessageContaining(text);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> query(OrderWorkflow::unseen))
                .withMessageContaining(text);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> query(OrderWorkflow::toString))
                .withMessageContaining(text);
    }

    @Test
    void two_calls_are_refused_by_name() {
        VoidCall<OrderWorkflow> two = w -> {
            w.approve("ann");
            w.approve("bob");
            w.count();
        };
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Recorder.record(OrderWorkflow.class, two, CallKind.SIGNAL))
                .withMessageContaining("called approve(String) and then approve(String)")
                .withMessageContaining("Write one lambda per call, and compute arguments before it");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> result(OrderWorkflow.class, w -> w.run(w.name(), 7), CallKind.RUN))
                .withMessageContaining("called name() and then run(String, int)");
    }

    @Test
    void a_call_of_another_kind_is_refused_with_what_to_write() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> query(w -> w.run("o-1", 7)))
                .withMessageContaining(
                        "called run(String, int), which is a @Run method, where a @Query method is asked for")
                .withMessageContaining("Write start(…, w -> w.run(order)) to call it. OrderWorkflow has count()");
        VoidCall<OrderWorkflow> helper = OrderWorkflow::helper;
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Recorder.record(OrderWorkflow.class, helper, CallKind.SIGNAL))
                .withMessageContaining("called helper(), which no client can call")
                .withMessageContaining("OrderWorkflow has approve(String).");
        VoidCall<Emails> twice = e -> e.sendTwice(5);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Recorder.record(Emails.class, twice, CallKind.ACTIVITY))
                .withMessageContaining("called sendTwice(long), which no client can call")
                .withMessageContaining("exactly one call of an activity");
    }

    @Test
    void what_fails_before_the_call_is_the_callers_own() {
        assertThatExceptionOfType(FileNotFoundException.class)
                .isThrownBy(() -> result(OrderWorkflow.class, w -> w.run(load(), 7), CallKind.RUN))
                .withMessage("no such order");
    }

    private static String load() throws FileNotFoundException {
        throw new FileNotFoundException("no such order");
    }

    @Test
    void the_empty_object_can_be_looked_at_and_is_no_good_afterwards() {
        AtomicReference<OrderWorkflow> kept = new AtomicReference<>();
        VoidCall<OrderWorkflow> keep = w -> {
            kept.set(w);
            assertThat(w.equals(w)).isTrue();
            assertThat(w).hasToString("the OrderWorkflow that calls are recorded on");
            assertThat(w.hashCode()).isEqualTo(System.identityHashCode(w));
            w.approve("ann");
        };
        assertThat(Recorder.record(OrderWorkflow.class, keep, CallKind.SIGNAL).arguments())
                .containsExactly("ann");

        assertThatThrownBy(() -> kept.get().count())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("was called after the lambda had returned: count()");
    }

    @Test
    void lambdas_may_nest() {
        Recorded outer = result(
                OrderWorkflow.class,
                w -> w.run(
                        query(OrderWorkflow::status).name(),
                        query(OrderWorkflow::count).arguments().length),
                CallKind.RUN);

        assertThat(outer.arguments()).containsExactly("state", 0);
    }
}
