package dev.durable.spring.event;

import dev.durable.spring.DurableAutoConfiguration;
import dev.durable.spring.DurableCustomizer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Publishes application events of what this process's engine did, unless {@code durable.events.enabled} is false. */
@AutoConfiguration(before = DurableAutoConfiguration.class)
@ConditionalOnProperty(name = "durable.enabled", havingValue = "true", matchIfMissing = true)
@ConditionalOnProperty(name = "durable.events.enabled", havingValue = "true", matchIfMissing = true)
@EnableConfigurationProperties(DurableEventsProperties.class)
public class DurableEventsAutoConfiguration {

    @Bean
    EventQueues durableEventQueues(
            AbstractApplicationContext context,
            DurableEventsProperties properties,
            ObjectProvider<PlatformTransactionManager> managers) {
        return new EventQueues(publisher(context, properties.inTransaction() ? managers : null));
    }

    private static Consumer<Object> publisher(
            AbstractApplicationContext context, @Nullable ObjectProvider<PlatformTransactionManager> managers) {
        return event -> {
            PlatformTransactionManager manager = managers == null ? null : managers.getIfUnique();
            if (manager == null) {
                context.publishEvent(event);
            } else {
                new TransactionTemplate(manager).executeWithoutResult(status -> context.publishEvent(event));
            }
        };
    }

    @Bean
    DurableCustomizer durableEventsCustomizer(
            AbstractApplicationContext context, EventQueues queues, DurableEventsProperties properties) {
        return builder -> {
            EventObserver observer = new EventObserver(new EventListeners(context), queues::open);
            builder.observe(observer);
            if (properties.alerts()) {
                builder.onAlert(observer::alert);
            }
        };
    }
}
