package dev.durable.spring.test;

import dev.durable.testing.TestEngine;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/** Gives test methods the engine of the context, and closes it when they end: a history that does not replay fails them. */
final class DurableSpringExtension implements ParameterResolver, AfterEachCallback {

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == TestEngine.class;
    }

    @Override
    public TestEngine resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return current(context).get();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        current(context).end();
    }

    private static CurrentEngine current(ExtensionContext context) {
        return SpringExtension.getApplicationContext(context).getBean(CurrentEngine.class);
    }
}
