package dev.durable.spring.intercept;

import dev.durable.DurableException;
import dev.durable.intercept.ContextPropagator;
import dev.durable.intercept.Interceptor;
import dev.durable.spring.DurableAutoConfiguration;
import dev.durable.spring.DurableCustomizer;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.core.context.SecurityContextHolder;

/** Gives the engine the application's {@link Interceptor} and {@link ContextPropagator} beans, in their order. */
@AutoConfiguration(before = DurableAutoConfiguration.class)
@ConditionalOnProperty(name = "durable.enabled", havingValue = "true", matchIfMissing = true)
@EnableConfigurationProperties(DurableContextProperties.class)
public class DurableInterceptAutoConfiguration {

    @Bean
    DurableCustomizer durableInterceptors(
            ObjectProvider<Interceptor> interceptors,
            ObjectProvider<ContextPropagator> propagators,
            DurableContextProperties properties) {
        return builder -> {
            builder.intercept(interceptors.orderedStream().toArray(Interceptor[]::new));
            builder.propagate(propagators.orderedStream().toArray(ContextPropagator[]::new));
            List<String> keys = properties.mdc();
            if (!keys.isEmpty()) {
                builder.propagate(carrying(keys));
            }
        };
    }

    private static ContextPropagator carrying(List<String> keys) {
        try {
            return ContextPropagator.mdc(keys.toArray(String[]::new));
        } catch (IllegalArgumentException e) {
            throw new DurableException("durable.context.mdc is refused: " + e.getMessage(), e);
        }
    }

    /** Where the application has Spring Security and wants it. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(SecurityContextHolder.class)
    @ConditionalOnProperty(name = "durable.context.security-name", havingValue = "true")
    static class OfSecurity {

        @Bean
        @ConditionalOnMissingBean
        SecurityNamePropagator durableSecurityName() {
            return new SecurityNamePropagator();
        }
    }
}
