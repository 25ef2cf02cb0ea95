package dev.durable.spring.intercept;

import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings below {@code durable.context.*}.
 *
 * @param mdc Keys of the MDC that go with starts to the code of workflows and activities.
 * @param securityName Whether the name of Spring Security's user goes with starts to the code of workflows and activities.
 */
@ConfigurationProperties("durable.context")
public record DurableContextProperties(
        @DefaultValue List<String> mdc,
        @DefaultValue("false") boolean securityName) {}
