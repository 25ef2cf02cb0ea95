package dev.durable.internal.declare.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** The arguments with which an empty object calls its handler. */
class EmptyObjectsTest {
    /** As the handler got it. */
    private record Handed(Method method, List<Object> arguments) {}

    private final List<Handed> handed = new CopyOnWriteArrayList<>();

    private <T> T empty(Class<T> type, Object answer) {
        return EmptyObjects.create(type, (self, method, arguments) -> {
            handed.add(new Handed(method, arguments == null ? List.of() : Arrays.asList(arguments)));
            return answer;
        });
    }

    private Handed only() {
        assertThat(handed).hasSize(1);
        return handed.remove(0);
    }

    static class Types {
        boolean aBoolean(boolean a) {
            throw new AssertionError("never run");
        }

        byte aByte(byte a) {
            throw new AssertionError("never run");
        }

        short aShort(short a) {
            throw new AssertionError("never run");
        }

        char aChar(char a) {
            throw new AssertionError("never run");
        }

        int anInt(int a) {
            throw new AssertionError("never run");
        }

        long aLong(long a) {
            throw new AssertionError("never run");
        }

        float aFloat(float a) {
            throw new AssertionError("never run");
        }

        double aDouble(double a) {
            throw new AssertionError("never run");
        }

        protected int[] arrays(String[][] a, int... more) {
            throw new AssertionError("never run");
        }

        void many(long a, int b, double c, Object d, char e) throws Exception {
            throw new AssertionError("never run");
        }
    }

    @Test
    void every_type_of_arguments_and_results() throws Exception {
        assertThat(empty(Types.class, true).aBoolean(true)).isTrue();
        assertThat(empty(Types.class, (byte) 3).aByte((byte) 1)).isEqualTo((byte) 3);
        assertThat(empty(Types.class, (short) 3).aShort((short) 1)).isEqualTo((short) 3);
        assertThat(empty(Types.class, 'c').aChar('a')).isEqualTo('c');
        assertThat(empty(Types.class, 3).anInt(1)).isEqualTo(3);
        assertThat(empty(Types.class, 3L).aLong(1)).isEqualTo(3);
        assertThat(empty(Types.class, 3f).aFloat(1)).isEqualTo(3);
        assertThat(empty(Types.class, 3d).aDouble(1)).isEqualTo(3);
        assertThat(handed.stream().map(h -> h.arguments().get(0)))
                .containsExactly(true, (byte) 1, (short) 1, 'a', 1, 1L, 1f, 1d);
        handed.clear();

        int[] answer = {7};
        String[][] argument = {{"x"}};
        assertThat(empty(Types.class, answer).arrays(argument, 1, 2)).isSameAs(answer);
        Handed arrays = only();
        assertThat(arrays.arguments().get(0)).isSameAs(argument);
        assertThat(arrays.arguments().get(1)).isEqualTo(new int[] {1, 2});

        empty(Types.class, "no matter").many(1L, 2, 3.5, "four", '5');
        assertThat(only().arguments()).containsExactly(1L, 2, 3.5, "four", '5');
    }

    @Test
    void arguments_are_boxed_as_the_compiler_boxes_them() throws Exception {
        empty(Types.class, true).aBoolean(true);
        assertThat(only().arguments().get(0)).isSameAs(true);

        empty(Types.class, 3).anInt(1);
        assertThat(only().arguments().get(0)).isSameAs(1);

        empty(Types.class, 'c').aChar('a');
        assertThat(only().arguments().get(0)).isSameAs('a');
    }

    /** Some of the methods were made accessible, so that the handler may call methods that other code can't. */
    @Test
    void nobody_else_reaches_the_handler_and_the_methods_of_an_empty_object() {
        assertThat(empty(Types.class, null).getClass().getFields()).isEmpty();
    }

    @Test
    void what_the_handler_throws_passes_checked_or_not() {
        Exception checked = new Exception("checked");
        Types types = EmptyObjects.create(Types.class, (self, method, arguments) -> {
            throw checked;
        });

        assertThatExceptionOfType(Exception.class)
                .isThrownBy(() -> types.anInt(1))
                .isSameAs(checked);
    }

    static class Store<T> {
        Object save(T what) {
            throw new AssertionError("never run");
        }
    }

    static class Names extends Store<String> {
        @Override
        String save(String what) {
            throw new AssertionError("never run");
        }
    }

    /** The caller sees only the parent: its call goes by {@code Object save(Object)}. */
    @Test
    void an_override_with_other_types_is_one_method_whichever_is_called() throws Exception {
        Method save = Names.class.getDeclaredMethod("save", String.class);
        Names names = empty(Names.class, "saved");
        Store<String> store = names;

        assertThat(names.save("a")).isEqualTo("saved");
        assertThat(store.save("b")).isEqualTo("saved");

        assertThat(handed).containsExactly(new Handed(save, List.of("a")), new Handed(save, List.of("b")));
    }

    interface Greets {
        default String greet(String name) {
            throw new AssertionError("never run");
        }

        String leave(String name);
    }

    abstract static class Polite implements Greets {}

    @Test
    void what_an_abstract_class_leaves_to_its_interfaces() {
        Polite polite = empty(Polite.class, "hello");

        assertThat(polite.greet("ann")).isEqualTo("hello");
        assertThat(only().method().getDeclaringClass()).isEqualTo(Greets.class);
        assertThat(polite.leave("ann")).isEqualTo("hello");
        assertThat(only().method().getName()).isEqualTo("leave");
    }

    static class Objects implements Cloneable {
        static final List<String> RUN = new ArrayList<>();

        final String fixed() {
            return "its own";
        }

        static String fixedForAll() {
            return "the class's";
        }

        @Override
        public final int hashCode() {
            return 42;
        }

        @Override
        public boolean equals(Object other) {
            throw new AssertionError("never run");
        }

        @Override
        protected Objects clone() {
            throw new AssertionError("never run");
        }

        @Override
        @SuppressWarnings({"removal", "deprecation", "Finalize"})
        protected void finalize() {
            RUN.add("finalize");
        }
    }

    @Test
    void what_is_final_or_static_stays_and_a_finalizer_does_nothing() {
        Objects objects = empty(Objects.class, null);

        assertThat(objects.fixed()).isEqualTo("its own");
        assertThat(Objects.fixedForAll()).isEqualTo("the class's");
        assertThat(objects.hashCode()).isEqualTo(42);
        objects.finalize();
        assertThat(Objects.RUN).isEmpty();
        assertThat(handed).isEmpty();

        assertThat(objects.clone()).isNull();
        assertThat(only().method().getReturnType()).isEqualTo(Objects.class);
        assertThat(objects.toString()).isNull();
        assertThat(only().method().getName()).isEqualTo("toString");
        assertThat(empty(Objects.class, true).equals(objects)).isTrue();
        assertThat(only().arguments().get(0)).isSameAs(objects);
    }

    static class Constructed {
        final String given;

        Constructed(String given) {
            this.given = given;
            throw new AssertionError("never run");
        }
    }

    @Test
    void no_constructor_runs() {
        assertThat(empty(Constructed.class, "").given).isNull();
    }

    @Test
    void several_threads_that_ask_for_the_same_class_at_once() throws Exception {
        try (var threads = Executors.newFixedThreadPool(8)) {
            for (Class<?> type : List.of(Types.class, Names.class, Polite.class, Objects.class, Constructed.class)) {
                List<Callable<Object>> asked = new ArrayList<>();
                for (int i = 0; i < 8; i++) {
                    asked.add(() -> empty(type, null));
                }
                for (Future<Object> made : threads.invokeAll(asked)) {
                    assertThat(made.get()).isInstanceOf(type);
                }
            }
        }
    }
}
