package dev.durable.spring.web;

import dev.durable.client.DurableClient;
import dev.durable.spring.DurableAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.ControllerAdvice;

/** Problem details in web applications, unless {@code durable.web.problem-details} is false. */
@AutoConfiguration(after = DurableAutoConfiguration.class)
@ConditionalOnWebApplication
@ConditionalOnClass(ControllerAdvice.class)
@ConditionalOnBean(DurableClient.class)
@ConditionalOnProperty(name = "durable.web.problem-details", havingValue = "true", matchIfMissing = true)
@EnableConfigurationProperties(DurableWebProperties.class)
public class DurableWebAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    ProblemDetailsAdvice durableProblemDetailsAdvice(DurableWebProperties properties) {
        return new ProblemDetailsAdvice(properties);
    }
}
