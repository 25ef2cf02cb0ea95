package dev.durable.internal.declare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.durable.Call;
import dev.durable.Query;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.VoidCall;
import dev.durable.Workflow;
import dev.durable.internal.declare.object.CallKind;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** Whatever the type is: package-private, local, abstract, generic, of another loader. */
class RecorderTypesTest {
    private static <T, R> Recorded result(Class<T> type, Call<T, R> call, CallKind kind) {
        return Recorder.record(type, call, kind);
    }

    abstract static class Base<T> {
        @Run
        public abstract T run(T in);

        @Signal
        public void approve(T what) {}
    }

    @Workflow
    abstract static class Concrete extends Base<Integer> {
        @Override
        public abstract Integer run(Integer in);
    }

    @Test
    void abstract_classes_and_what_they_inherit_also_through_a_supertype() {
        Recorded run = result(Concrete.class, w -> w.run(7), CallKind.RUN);
        assertThat(run.declaredMethod().getDeclaringClass()).isEqualTo(Concrete.class);

        Call<Concrete, Integer> throughBase = w -> ((Base<Integer>) w).run(8);
        assertThat(Recorder.record(Concrete.class, throughBase, CallKind.RUN).declaredMethod())
                .isEqualTo(run.declaredMethod());

        VoidCall<Concrete> approve = w -> w.approve(9);
        assertThat(Recorder.record(Concrete.class, approve, CallKind.SIGNAL).arguments())
                .containsExactly(9);
    }

    @Test
    void local_classes() {
        @Workflow
        class Local {
            @Run
            String run() {
                return RecorderTypesTest.this.toString();
            }
        }
        assertThat(result(Local.class, Local::run, CallKind.RUN).name()).isEqualTo("run");
    }

    @Workflow
    interface Refund {
        @Run
        boolean run(String order);

        @Query
        default int count() {
            return 1;
        }
    }

    static class RefundOfToday implements Refund {
        @Override
        public boolean run(String order) {
            throw new AssertionError("never run");
        }
    }

    @Test
    void interfaces_and_the_classes_that_implement_them() throws NoSuchMethodException {
        Method declared = Refund.class.getMethod("run", String.class);

        assertThat(result(Refund.class, w -> w.run("o"), CallKind.RUN).declaredMethod())
                .isEqualTo(declared);
        assertThat(result(RefundOfToday.class, w -> w.run("o"), CallKind.RUN).declaredMethod())
                .isEqualTo(declared);
        assertThat(result(Refund.class, Refund::count, CallKind.QUERY).name()).isEqualTo("count");
    }

    static class Visible {
        @Run
        public String run() {
            throw new AssertionError("never run");
        }
    }

    @Workflow
    public static class OfPackagePrivateParent extends Visible {}

    @Test
    void a_public_class_with_a_package_private_parent_whose_methods_javac_bridges() {
        Recorded run = result(OfPackagePrivateParent.class, OfPackagePrivateParent::run, CallKind.RUN);

        assertThat(run.name()).isEqualTo("run");
        assertThat(run.declaredMethod().isBridge()).isFalse();
    }

    @Workflow
    static final class Final {
        @Run
        public void run() {}
    }

    @Test
    void final_classes_are_refused_with_the_way_out() {
        VoidCall<Final> run = Final::run;
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Recorder.record(Final.class, run, CallKind.RUN))
                .withMessageContaining(
                        "RecorderTypesTest$Final is final, so there can be no subclass to record calls on")
                .withMessageContaining("annotate an interface that it implements");
    }

    @Workflow
    static class Reloaded implements Callable<Recorded> {
        @Run
        String run(String in) {
            return in;
        }

        @Override
        public Recorded call() {
            return result(Reloaded.class, w -> w.run("again"), CallKind.RUN);
        }
    }

    /** As development tools restart applications: the application's classes anew, the library's from the parent. */
    private static final class ChildFirst extends ClassLoader {
        ChildFirst() {
            super(ChildFirst.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            return name.startsWith(RecorderTypesTest.class.getName()) ? define(name) : super.loadClass(name, resolve);
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            Class<?> loaded = findLoadedClass(name);
            if (loaded != null) {
                return loaded;
            }
            try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    @Test
    void child_first_loaders_each_with_a_class_of_its_own() throws Exception {
        for (int restart = 0; restart < 3; restart++) {
            Class<?> reloaded = new ChildFirst().loadClass(Reloaded.class.getName());
            var constructor = reloaded.getDeclaredConstructor();
            constructor.setAccessible(true);

            Recorded recorded = (Recorded) ((Callable<?>) constructor.newInstance()).call();

            assertThat(recorded.declaredMethod().getDeclaringClass())
                    .isSameAs(reloaded)
                    .isNotSameAs(Reloaded.class);
            assertThat(recorded.arguments()).containsExactly("again");
        }
    }
}
