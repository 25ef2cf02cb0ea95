package dev.durable.spring.intercept;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.client.DurableClient;
import dev.durable.intercept.ClientInterceptor;
import dev.durable.intercept.ContextPropagator;
import dev.durable.intercept.Next;
import dev.durable.intercept.StartCall;
import dev.durable.micrometer.DurableLinkHandler;
import dev.durable.micrometer.DurableTracing;
import dev.durable.spring.DurableAutoConfiguration;
import dev.durable.store.HistoryStore;
import dev.durable.store.memory.InMemoryHistoryStore;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Tracer;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.MDC;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration;
import org.springframework.boot.micrometer.tracing.opentelemetry.autoconfigure.OpenTelemetryTracingAutoConfiguration;
import org.springframework.boot.opentelemetry.autoconfigure.OpenTelemetrySdkAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.context.SecurityContextHolder;

/** Interceptors and propagators that are beans, the context of properties, and the traces of an application that has a tracer. */
class InterceptAutoConfigurationTest {
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withInitializer(context -> AutoConfigurationPackages.register(
                    (BeanDefinitionRegistry) context.getBeanFactory(), "dev.durable.spring.intercept"))
            .withConfiguration(AutoConfigurations.of(
                    DurableInterceptAutoConfiguration.class,
                    DurableTracingAutoConfiguration.class,
                    DurableAutoConfiguration.class))
            .withBean(HistoryStore.class, InMemoryHistoryStore::new)
            .withBean(RealDesk.class, RealDesk::new);

    @Activity
    interface Desk {
        List<String> who();
    }

    static class RealDesk implements Desk {
        @Override
        public List<String> who() {
            Authentication user = SecurityContextHolder.getContext().getAuthentication();
            return List.of(
                    "tenant " + MDC.get("tenant"),
                    "user " + (user == null ? null : user.getName() + " " + user.getAuthorities()),
                    "headers "
                            + ActivityContext.current().headers().keySet().stream()
                                    .sorted()
                                    .toList());
        }
    }

    @Workflow
    static class Trip {
        private final Desk desk;

        Trip(Desk desk) {
            this.desk = desk;
        }

        @Run
        List<String> run() {
            return desk.who();
        }
    }

    @AfterEach
    void clear() {
        MDC.clear();
        SecurityContextHolder.clearContext();
    }

    private static List<String> trip(DurableClient client) {
        return client.start(Trip.class, "trip-1", Trip::run).result();
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoInterceptors {
        private static ClientInterceptor adding(String name) {
            return new ClientInterceptor() {
                @Override
                public void start(StartCall call, Next next) {
                    call.headers().merge("order", name, String::concat);
                    call.headers().put(name, call.headers().get("order"));
                    next.proceed();
                }
            };
        }

        @Bean
        @Order(2)
        ClientInterceptor inner() {
            return adding("b");
        }

        @Bean
        @Order(1)
        ClientInterceptor outer() {
            return adding("a");
        }

        @Bean
        ContextPropagator tenants() {
            return ContextPropagator.mdc("tenant");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "durable.context.mdc=workflowId, can't carry workflowId",
        "durable.tracing.one-trace-for=-1h, oneTraceFor(PT-1H)"
    })
    void a_value_that_is_refused_is_told_with_its_property(String property, String why) {
        tracing(new Kept())
                .withPropertyValues(property)
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .satisfies(cause -> assertThat(cause).hasMessageContaining(why))
                        .satisfies(cause -> assertThat(context.getStartupFailure())
                                .hasStackTraceContaining("DurableException: "
                                        + property.substring(0, property.indexOf('=')) + " is refused: ")));
    }

    @Test
    void interceptors_and_propagators_that_are_beans_are_taken_in_their_order() {
        runner.withUserConfiguration(TwoInterceptors.class).run(context -> {
            MDC.put("tenant", "acme");

            assertThat(trip(context.getBean(DurableClient.class)))
                    .containsExactly("tenant acme", "user null", "headers [a, b, mdc.tenant, order]");
            assertThat(context.getBean(DurableClient.class)
                            .history("trip-1")
                            .started()
                            .headers())
                    .isEqualTo(Map.of("a", "a", "b", "ab", "order", "ab", "mdc.tenant", "acme"));
        });
    }

    @Test
    void keys_of_the_mdc_and_the_users_name_are_carried_where_properties_say_so() {
        runner.withPropertyValues("durable.context.mdc=tenant,site", "durable.context.security-name=true")
                .run(context -> {
                    MDC.put("tenant", "acme");
                    SecurityContextHolder.getContext()
                            .setAuthentication(UsernamePasswordAuthenticationToken.authenticated(
                                    "ann", "secret", AuthorityUtils.createAuthorityList("ROLE_ADMIN")));

                    assertThat(trip(context.getBean(DurableClient.class)))
                            .as("the name, without rights")
                            .containsExactly("tenant acme", "user ann []", "headers [mdc.tenant, security.name]");
                    assertThat(SecurityContextHolder.getContext()
                                    .getAuthentication()
                                    .getAuthorities())
                            .as("of this thread")
                            .hasSize(1);
                });
    }

    @Test
    void nobody_is_carried_who_is_anonymous() {
        runner.withPropertyValues("durable.context.security-name=true").run(context -> {
            SecurityContextHolder.getContext()
                    .setAuthentication(new AnonymousAuthenticationToken(
                            "key", "anonymous", AuthorityUtils.createAuthorityList("ROLE_ANONYMOUS")));

            assertThat(trip(context.getBean(DurableClient.class)))
                    .containsExactly("tenant null", "user null", "headers []");
        });
    }

    @Test
    void without_properties_or_the_classes_nothing_is_carried() {
        runner.run(context -> {
            MDC.put("tenant", "acme");
            SecurityContextHolder.getContext()
                    .setAuthentication(UsernamePasswordAuthenticationToken.authenticated(
                            "ann", "secret", AuthorityUtils.NO_AUTHORITIES));

            assertThat(trip(context.getBean(DurableClient.class)))
                    .containsExactly("tenant null", "user null", "headers []");
            assertThat(context).doesNotHaveBean(DurableTracing.class);
        });
        runner.withPropertyValues("durable.context.security-name=true")
                .withClassLoader(new FilteredClassLoader("org.springframework.security", "io.micrometer"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(SecurityNamePropagator.class));
    }

    /** Keeps the spans that have ended. */
    static final class Kept implements SpanExporter {
        private final List<SpanData> spans = new CopyOnWriteArrayList<>();

        @Override
        public CompletableResultCode export(Collection<SpanData> ended) {
            spans.addAll(ended);
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode flush() {
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode shutdown() {
            return CompletableResultCode.ofSuccess();
        }
    }

    private ApplicationContextRunner tracing(Kept kept) {
        return runner.withConfiguration(AutoConfigurations.of(
                        ObservationAutoConfiguration.class,
                        MicrometerTracingAutoConfiguration.class,
                        OpenTelemetrySdkAutoConfiguration.class,
                        OpenTelemetryTracingAutoConfiguration.class))
                .withBean(SimpleSpanProcessor.class, () -> (SimpleSpanProcessor) SimpleSpanProcessor.create(kept))
                .withPropertyValues("management.tracing.sampling.probability=1.0");
    }

    @Test
    void with_boots_tracer_starts_turns_and_activities_are_one_trace() {
        Kept kept = new Kept();
        tracing(kept).run(context -> {
            assertThat(context).hasNotFailed().hasSingleBean(DurableTracing.class);
            Observation.createNotStarted("request", context.getBean(ObservationRegistry.class))
                    .observe(() -> trip(context.getBean(DurableClient.class)));

            assertThat(kept.spans)
                    .extracting(SpanData::getName)
                    .contains("request", "start Trip", "turn Trip", "schedule Desk.who", "Desk.who");
            assertThat(kept.spans)
                    .extracting(SpanData::getTraceId)
                    .containsOnly(kept.spans.getFirst().getTraceId());
        });
    }

    @Test
    void a_turn_too_long_after_the_start_is_linked_to_it() {
        Kept kept = new Kept();
        tracing(kept).withPropertyValues("durable.tracing.one-trace-for=0s").run(context -> {
            assertThat(context).hasSingleBean(DurableLinkHandler.class);
            trip(context.getBean(DurableClient.class));

            SpanData start = named(kept, "start Trip");
            assertThat(named(kept, "Desk.who").getLinks())
                    .extracting(link -> link.getSpanContext().getSpanId())
                    .containsExactly(named(kept, "schedule Desk.who").getSpanId());
            assertThat(named(kept, "Desk.who").getTraceId()).isNotEqualTo(start.getTraceId());
        });
    }

    private static SpanData named(Kept kept, String name) {
        return kept.spans.stream()
                .filter(span -> span.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void traces_are_switched_off_by_a_property_and_need_a_tracer() {
        tracing(new Kept())
                .withPropertyValues("durable.tracing.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(DurableTracing.class));
        runner.withBean(ObservationRegistry.class, ObservationRegistry::create)
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(DurableTracing.class));
        runner.withBean(ObservationRegistry.class, ObservationRegistry::create)
                .withBean(Tracer.class, () -> Tracer.NOOP)
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(DurableTracing.class)
                        .doesNotHaveBean(DurableLinkHandler.class));
    }
}
