package dev.durable.internal.declare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.Activity;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class StubsTest {
    interface Store<T> {
        String save(T item);
    }

    interface Closed {
        String close();
    }

    interface AlsoClosed extends Closed {
        @Override
        default String close() {
            return "also closed";
        }
    }

    @Activity
    interface Diamond extends Closed, AlsoClosed {
        void work();
    }

    @Activity
    interface Orders extends Store<Integer>, Closed {
        @Override
        String save(Integer order);

        int count();

        void clear() throws IOException;

        default String saveTwice(Integer order) {
            return save(order) + " " + save(order);
        }

        @Override
        default String close() {
            return "closed after " + count();
        }

        static String help() {
            return "help";
        }
    }

    @Activity
    static class Mailer {
        private final List<String> sent = new ArrayList<>();

        Mailer() {
            throw new AssertionError("no constructor of a stub runs");
        }

        public String send(String to) {
            sent.add(to);
            return "really";
        }

        public boolean open() {
            return true;
        }

        protected String inside() {
            return "inside";
        }

        @Override
        public String toString() {
            return sent.toString();
        }

        @Override
        public int hashCode() {
            return sent.hashCode();
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Mailer mailer && mailer.sent.equals(sent);
        }

        @Override
        @SuppressWarnings({"removal", "deprecation", "Finalize"})
        protected void finalize() {
            sent.clear();
        }
    }

    private final List<String> calls = new ArrayList<>();

    private <T> T stub(Class<T> type) {
        return stub(type, (activity, arguments) -> {
            calls.add(activity.name() + Arrays.toString(arguments));
            return activity.spec().returnType() == String.class ? "result" : null;
        });
    }

    private static <T> T stub(Class<T> type, StubCall call) {
        return type.cast(Stubs.create(Registry.builder().build().activityType(type), call));
    }

    @Test
    void calls_of_an_interface_are_handed_on_also_through_a_supertype() {
        Orders orders = stub(Orders.class);
        Store<Integer> store = orders;

        assertThat(orders.save(7)).isEqualTo("result");
        assertThat(store.save(8)).isEqualTo("result");
        assertThat(calls).containsExactly("Orders.save[7]", "Orders.save[8]");
    }

    @Test
    void default_methods_run_in_the_workflow() {
        assertThat(stub(Orders.class).saveTwice(7)).isEqualTo("result result");
        assertThat(calls).containsExactly("Orders.save[7]", "Orders.save[7]");
    }

    @Test
    void a_default_method_that_implements_an_inherited_one_is_no_activity() {
        assertThat(stub(Orders.class).close()).isEqualTo("closed after 0");
        assertThat(calls).containsExactly("Orders.count[]");
        assertThat(stub(Diamond.class).close()).isEqualTo("also closed");
        assertThat(Registry.builder().build().activityType(Diamond.class).methods())
                .extracting(ActivityMethod::name)
                .containsExactly("Diamond.work");
    }

    @Test
    void calls_of_a_class_are_handed_on_and_none_of_its_code_runs() {
        Mailer mailer = stub(Mailer.class);

        assertThat(mailer.send("ann")).isEqualTo("result");
        assertThat(calls).containsExactly("Mailer.send[ann]");
    }

    @Test
    void a_null_where_a_primitive_is_due_is_its_zero() {
        assertThat(stub(Orders.class).count()).isZero();
        assertThat(stub(Mailer.class).open()).isFalse();
    }

    @Test
    @SuppressWarnings({"removal", "deprecation"})
    void a_finalizer_finds_nothing_to_do() {
        stub(Mailer.class).finalize();

        assertThat(calls).isEmpty();
    }

    @Test
    void a_method_of_a_class_that_is_no_activity_says_so() {
        Mailer mailer = stub(Mailer.class);

        assertThatThrownBy(mailer::inside)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(
                        "StubsTest$Mailer.inside() was called on a stub and is no activity, since it is not public")
                .hasMessageContaining("make it public");
    }

    @Test
    void exceptions_pass_through_as_they_are() {
        Orders failing = stub(Orders.class, (activity, arguments) -> {
            throw new IOException("down");
        });
        assertThatThrownBy(failing::clear)
                .isExactlyInstanceOf(IOException.class)
                .hasMessage("down");

        Error cancelled = new Error("dead");
        Mailer undeclared = stub(Mailer.class, (activity, arguments) -> {
            throw arguments.length == 1 ? new IOException("undeclared, and a class does not mind") : cancelled;
        });
        assertThatThrownBy(() -> undeclared.send("ann")).isExactlyInstanceOf(IOException.class);
        assertThatThrownBy(undeclared::open).isSameAs(cancelled);
    }

    @Test
    void a_stub_is_equal_to_itself_only_and_shows_what_it_is_a_stub_of() {
        for (Object stub : List.of(stub(Orders.class), stub(Mailer.class))) {
            assertThat(stub.equals(stub)).isTrue();
            assertThat(stub).isNotEqualTo(stub(Orders.class)).isNotEqualTo(stub(Mailer.class));
            assertThat(stub.hashCode()).isEqualTo(System.identityHashCode(stub));
        }
        assertThat(stub(Orders.class)).hasToString("stub of Orders");
        assertThat(stub(Mailer.class)).hasToString("stub of Mailer");
        assertThat(calls).isEmpty();
    }

    @Test
    void every_stub_hands_on_to_its_own_call() {
        Mailer one = stub(Mailer.class, (activity, arguments) -> "one");
        Mailer two = stub(Mailer.class, (activity, arguments) -> "two");

        assertThat(one.send("ann")).isEqualTo("one");
        assertThat(two.send("ann")).isEqualTo("two");
        assertThat(one.getClass()).isSameAs(two.getClass());
    }
}
