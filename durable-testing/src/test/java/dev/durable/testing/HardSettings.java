package dev.durable.testing;

import dev.durable.internal.engine.EngineBuilder;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/**
 * The hard settings of the tests, {@code mvn verify -Phard}: the engine that a test gets as its parameter keeps no run in
 * memory, so that each step begins with a replay. JUnit finds it as a service.
 */
public final class HardSettings implements InvocationInterceptor {
    private static final boolean ON = Boolean.getBoolean("durable.test.hard");

    /**
     * Runs that wait for local activities stay in memory and take all of it, so that a worker claims nothing besides and looks
     * for their messages now and then only: on time that stands still, never again. Tests of interceptors count replays.
     */
    private static final Set<String> NEED_ROOM = Set.of(
            "ActivityConformanceTest", "CancellationTest", "InterceptorsTest", "LocalActivitiesTest", "OperatorsTest");

    @Override
    public void interceptTestMethod(
            Invocation<Void> test, ReflectiveInvocationContext<Method> call, ExtensionContext context)
            throws Throwable {
        harden(call);
        test.proceed();
    }

    @Override
    public void interceptTestTemplateMethod(
            Invocation<Void> test, ReflectiveInvocationContext<Method> call, ExtensionContext context)
            throws Throwable {
        harden(call);
        test.proceed();
    }

    private static void harden(ReflectiveInvocationContext<Method> call) {
        String declaring = call.getExecutable().getDeclaringClass().getSimpleName();
        for (Object argument : ON && !NEED_ROOM.contains(declaring) ? call.getArguments() : List.of()) {
            if (argument instanceof TestEngine engine) {
                engine.configure(builder -> ((EngineBuilder) builder).cacheBytes(1));
            }
        }
    }
}
