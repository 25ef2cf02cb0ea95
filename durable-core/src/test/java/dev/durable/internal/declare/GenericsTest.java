package dev.durable.internal.declare;

import static dev.durable.internal.declare.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Activity;
import dev.durable.Query;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.TypeRef;
import dev.durable.Workflow;
import dev.durable.internal.declare.type.MethodSpec;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Generic supertypes are resolved against the class that is registered; what stays open is refused. */
class GenericsTest {
    record Order(String id) {}

    abstract static class Flow<I, O, X extends Exception> {
        @Run
        public abstract Map<String, List<O>> run(I[] in, List<? extends I> more, List<O>[] rest) throws X, IOException;

        @Signal
        public void add(I item) {}

        @Query
        public O last() {
            return null;
        }
    }

    abstract static class Middle<T> extends Flow<T, List<T>, InterruptedException> {}

    @Workflow
    static class Concrete extends Middle<Order> {
        @Override
        public Map<String, List<List<Order>>> run(Order[] in, List<? extends Order> more, List<List<Order>>[] rest) {
            return Map.of();
        }
    }

    @Workflow
    abstract static class Declared extends Middle<Order> {}

    @Test
    void types_of_inherited_methods_are_those_of_the_concrete_class() {
        WorkflowType workflow =
                Registry.builder().register(Concrete.class).build().workflowOf(Concrete.class);

        assertThat(workflow.methods().signals().get("add").parameterTypes()).containsExactly(Order.class);
        assertThat(workflow.methods().queries().get("last").returnType())
                .isEqualTo(new TypeRef<List<Order>>() {}.type());
    }

    @Test
    void resolved_types_equal_those_of_the_jdk_both_ways_and_look_like_them() {
        MethodSpec run =
                Registry.builder().build().workflowOf(Declared.class).methods().run();

        var result = new TypeRef<Map<String, List<List<Order>>>>() {}.type();
        var more = new TypeRef<List<? extends Order>>() {}.type();
        var rest = new TypeRef<List<List<Order>>[]>() {}.type();
        assertThat(run.returnType()).isEqualTo(result).hasSameHashCodeAs(result).hasToString(result.toString());
        assertThat(result).isEqualTo(run.returnType());
        assertThat(run.parameterTypes()).containsExactly(Order[].class, more, rest);
        assertThat(more)
                .isEqualTo(run.parameterTypes().get(1))
                .hasSameHashCodeAs(run.parameterTypes().get(1));
        assertThat(rest)
                .isEqualTo(run.parameterTypes().get(2))
                .hasSameHashCodeAs(run.parameterTypes().get(2));
        assertThat(run.parameterTypes().get(1)).hasToString(more.toString());
        assertThat(run.named()).containsExactly(InterruptedException.class, IOException.class);
    }

    @Test
    void an_override_is_the_method_it_overrides_and_its_bridge_is_none() {
        WorkflowType workflow =
                Registry.builder().register(Concrete.class).build().workflowOf(Concrete.class);

        assertThat(workflow.methods().run().method().getDeclaringClass()).isEqualTo(Concrete.class);
        assertThat(workflow.methods().run().method().isBridge()).isFalse();
        assertThat(workflow.methods().run().named()).isEmpty();
    }

    @Workflow
    static class Raw<T> {
        @Run
        public T run(List<T> in) {
            return in.getFirst();
        }
    }

    @Test
    void an_open_variable_of_the_type_is_refused() {
        assertRefused(Raw.class)
                .hasMessageContaining("GenericsTest$Raw.run(List) has the open type variable T of Raw in parameter in")
                .hasMessageContaining("open type variable T of Raw in result")
                .hasMessageContaining(
                        "Annotate a subtype that says what T is, like \"interface Orders extends Raw<Order>\"");
    }

    @SuppressWarnings("rawtypes")
    @Workflow
    static class OfRaw extends Middle {
        @Override
        public Map run(Object[] in, List more, List[] rest) {
            return Map.of();
        }
    }

    @Test
    void a_raw_supertype_leaves_its_variables_open() {
        assertRefused(OfRaw.class)
                .hasMessageContaining("Flow.add(Object) has the open type variable T of Middle in parameter item")
                .hasMessageContaining("Say it where OfRaw extends Middle: Middle<Order>");
    }

    @Activity
    interface Store<T> {
        void save(T item);
    }

    static class OrderStore implements Store<Order> {
        @Override
        public void save(Order item) {}
    }

    @Test
    void a_generic_activity_type_is_refused_for_its_stub_cant_know() {
        assertRefused(new OrderStore())
                .hasMessageContaining("Store.save(Object) has the open type variable T of Store")
                .hasMessageContaining("interface Orders extends Store<Order>");
    }

    interface PlainStore<T> {
        <E extends T> E load(String id);

        void save(T item);
    }

    @Activity
    interface Orders extends PlainStore<Order> {
        @Override
        void save(Order item);
    }

    @Test
    void a_variable_of_a_method_is_refused() {
        assertRefused(Registry.builder().activity(Orders.class, org.mockito.Mockito.mock(Orders.class)))
                .hasMessageContaining("PlainStore.load(String) has the open type variable E of the method in result")
                .hasMessageContaining("Replace E by the type that is meant");
    }
}
