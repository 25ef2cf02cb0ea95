package dev.durable.testing;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/** Gives test methods their {@link TestEngine}, and closes it when they end: a history that does not replay fails them. */
final class DurableExtension implements ParameterResolver, AfterEachCallback {
    private static final Namespace NAMESPACE = Namespace.create(DurableExtension.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == TestEngine.class;
    }

    @Override
    public TestEngine resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return context.getStore(NAMESPACE)
                .computeIfAbsent(TestEngine.class, key -> TestEngine.create(store(context)), TestEngine.class);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        TestEngine engine = context.getStore(NAMESPACE).remove(TestEngine.class, TestEngine.class);
        if (engine != null) {
            engine.close();
        }
    }

    private static Store store(ExtensionContext context) {
        return AnnotationSupport.findAnnotation(context.getElement(), DurableTest.class)
                .or(() -> AnnotationSupport.findAnnotation(context.getRequiredTestClass(), DurableTest.class))
                .map(DurableTest::store)
                .orElse(Store.MEMORY);
    }
}
