package dev.durable.internal.declare;

import static dev.durable.internal.declare.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.spy;
import static org.mockito.Mockito.when;
import static org.mockito.Mockito.withSettings;

import dev.durable.Activity;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.implementation.MethodDelegation;
import net.bytebuddy.implementation.bind.annotation.SuperCall;
import org.junit.jupiter.api.Test;
import org.mockito.MockMakers;

/** The implementation of a type is found through whatever stands around it, and called as Java would call it. */
class ImplementationsTest {
    @Activity(startToClose = "3s")
    public interface Payments {
        @Activity(priority = 4)
        String charge(int amount) throws IOException;

        int count();
    }

    public static class Stripe implements Payments {
        @Override
        public String charge(int amount) {
            return "stripe " + amount;
        }

        @Override
        public int count() {
            return 1;
        }
    }

    @Activity
    public static class Mailer {
        public String send(String to) throws IOException {
            throw new IOException("no route to " + to);
        }
    }

    private static Object call(Object implementation, String activity, Object... arguments) throws Throwable {
        Registry registry = Registry.builder().register(implementation).build();
        return registry.activity(activity).orElseThrow().invoke(arguments);
    }

    @Test
    void plain_objects_and_lambdas() throws Throwable {
        assertThat(call(new Stripe(), "Payments.charge", 7)).isEqualTo("stripe 7");
        assertThat(call(new Stripe(), "Payments.count")).isEqualTo(1);
    }

    @Test
    void mocks_of_interfaces_by_either_mock_maker_though_one_copies_annotations() throws Throwable {
        for (String maker : new String[] {MockMakers.INLINE, MockMakers.SUBCLASS, MockMakers.PROXY}) {
            Payments mock = mock(Payments.class, withSettings().mockMaker(maker));
            when(mock.charge(anyInt())).thenReturn("mocked").thenThrow(new IOException("down"));

            assertThat(call(mock, "Payments.charge", 7)).as(maker).isEqualTo("mocked");
            assertThatThrownBy(() -> call(mock, "Payments.charge", 7))
                    .as(maker)
                    .isInstanceOf(IOException.class)
                    .hasMessage("down");
        }
    }

    @Test
    void mocks_and_spies_of_classes() throws Throwable {
        for (String maker : new String[] {MockMakers.INLINE, MockMakers.SUBCLASS}) {
            Mailer mock = mock(Mailer.class, withSettings().mockMaker(maker));
            when(mock.send("ann")).thenReturn("sent");
            assertThat(call(mock, "Mailer.send", "ann")).as(maker).isEqualTo("sent");
            assertThat(Registry.builder().register(mock).build().activityNames())
                    .as(maker)
                    .containsExactly("Mailer.send");
        }
        assertThat(call(spy(new Stripe()), "Payments.charge", 8)).isEqualTo("stripe 8");
    }

    @Test
    void jdk_proxies_whatever_they_wrap_around_an_exception() throws Throwable {
        Payments stripe = new Stripe();
        Object around = Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {AutoCloseable.class, Payments.class},
                (self, method, args) -> method.invoke(stripe, args));
        assertThat(call(around, "Payments.charge", 9)).isEqualTo("stripe 9");

        Object undeclared = Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Payments.class}, (self, method, args) -> {
                    throw new InterruptedException("undeclared");
                });
        assertThatThrownBy(() -> call(undeclared, "Payments.charge", 9)).isInstanceOf(InterruptedException.class);

        Object reflective = Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Payments.class}, (self, method, args) -> {
                    throw new InvocationTargetException(new IOException("inside"));
                });
        assertThatThrownBy(() -> call(reflective, "Payments.charge", 9))
                .isInstanceOf(IOException.class)
                .hasMessage("inside");
    }

    public static class Around {
        public static String intercept(@SuperCall java.util.concurrent.Callable<String> real) throws Exception {
            return "around " + real.call();
        }
    }

    @Test
    void class_proxies_as_spring_makes_them() throws Throwable {
        Object proxy = new ByteBuddy()
                .subclass(Stripe.class)
                .name(Stripe.class.getName() + "$$SpringCGLIB$$0")
                .method(net.bytebuddy.matcher.ElementMatchers.named("charge"))
                .intercept(MethodDelegation.to(Around.class))
                .make()
                .load(getClass().getClassLoader(), net.bytebuddy.dynamic.loading.ClassLoadingStrategy.Default.WRAPPER)
                .getLoaded()
                .getConstructor()
                .newInstance();

        assertThat(call(proxy, "Payments.charge", 1)).isEqualTo("around stripe 1");
    }

    @Test
    void exceptions_are_those_that_the_method_threw() {
        assertThatThrownBy(() -> call(new Mailer(), "Mailer.send", "bob"))
                .isExactlyInstanceOf(IOException.class)
                .hasMessage("no route to bob")
                .hasNoCause();
    }

    @Test
    void a_wrong_number_of_arguments_names_the_usual_cause() {
        assertThatThrownBy(() -> call(new Mailer(), "Mailer.send"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ImplementationsTest$Mailer.send(String) takes 1 arguments and was given 0")
                .hasMessageContaining("Was its signature changed while calls of the old one were waiting?");
    }

    @Activity
    public interface Refunds extends Payments {
        void refund();
    }

    public static class Everything extends Stripe implements Refunds {
        @Override
        public void refund() {}
    }

    @Test
    void one_object_may_implement_several_types() {
        Registry registry = Registry.builder().register(new Everything()).build();

        assertThat(registry.activityNames())
                .containsExactlyInAnyOrder(
                        "Payments.charge", "Payments.count", "Refunds.refund", "Refunds.charge", "Refunds.count");
    }

    @Test
    void a_varargs_method_takes_its_array() throws Throwable {
        assertThat(call(new Joiner(), "Joiner.join", "-", new String[] {"a", "b"}))
                .isEqualTo("a-b");
    }

    @Activity
    public static class Joiner {
        public String join(String delimiter, String... parts) {
            return String.join(delimiter, parts);
        }
    }

    @Test
    void null_for_an_implementation_is_refused() {
        assertThatThrownBy(() -> Registry.builder().activity(Payments.class, null))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining(
                        "the implementation of dev.durable.internal.declare.ImplementationsTest$Payments");
        assertRefused("text").hasMessageContaining("java.lang.String is registered as an instance");
    }
}
