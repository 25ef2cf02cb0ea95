package dev.durable.spring.web;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings below {@code durable.web.*}.
 *
 * @param problemDetails Whether exceptions of Durable's client that leave a controller become RFC 9457 responses.
 * @param includeMessage Whether the exception's own message stands in the response; it may name hosts, classes and schemas.
 * @param retryAfter After how long a client that got 503 or 429 is asked to try again.
 */
@ConfigurationProperties("durable.web")
public record DurableWebProperties(
        @DefaultValue("true") boolean problemDetails,
        @DefaultValue("false") boolean includeMessage,
        @DefaultValue("5s") Duration retryAfter) {

    public DurableWebProperties {
        if (retryAfter.isNegative()) {
            throw new IllegalArgumentException("durable.web.retry-after must not be negative, and is " + retryAfter
                    + ": it is the time after which a client that was refused is asked to try again.");
        }
    }
}
