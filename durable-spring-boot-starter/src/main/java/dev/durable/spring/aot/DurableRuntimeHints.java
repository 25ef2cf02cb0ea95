package dev.durable.spring.aot;

import dev.durable.client.DurableClient;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Registers what every native image of an application with Durable needs: the migrations, and the proxy of the client. */
final class DurableRuntimeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
        hints.resources().registerPattern("dev/durable/store/postgres/*.sql");
        hints.resources().registerPattern("dev/durable/store/postgres/migration/*.sql");
        hints.resources().registerPattern("META-INF/services/dev.durable.store.StoreProvider");
        hints.resources().registerPattern("META-INF/maven/dev.durable/durable-spring-boot-starter/pom.properties");
        hints.proxies().registerJdkProxy(AopProxyUtils.completeJdkProxyInterfaces(DurableClient.class));
    }
}
