package dev.durable.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Named.named;

import dev.durable.Activity;
import dev.durable.OnExhausted;
import dev.durable.RegistrationException;
import dev.durable.Retry;
import dev.durable.client.DurableClient;
import dev.durable.store.HistoryStore;
import dev.durable.store.memory.InMemoryHistoryStore;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.event.EventListener;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.Scheduled;

/** Activity beans whose calls return before their bodies have ended. */
@SuppressWarnings("FutureReturnValueIgnored") // calls of asynchronous methods are what is tried
@Timeout(60)
class DetachedBodiesTest {
    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DurableAutoConfiguration.class))
            .withBean(HistoryStore.class, InMemoryHistoryStore::new);

    @Activity
    interface Mail {
        void send();
    }

    @Async
    @Target({ElementType.METHOD, ElementType.TYPE})
    @Retention(RetentionPolicy.RUNTIME)
    @interface InBackground {}

    /** As {@code @EnableAsync(annotation = …)} names one. */
    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @interface Later {}

    static class OnMethod implements Mail {
        @Override
        @Async
        public void send() {}
    }

    @Async
    static class OnClass implements Mail {
        @Override
        public void send() {}
    }

    static class OnSuperclass extends OnClass {}

    static class MetaAnnotated implements Mail {
        @Override
        @InBackground
        public void send() {}
    }

    @Activity
    interface AsyncMail {
        @Async
        void send();
    }

    static class OnInterface implements AsyncMail {
        @Override
        public void send() {}
    }

    @Async
    interface InterfaceOfItsOwn {}

    static class OnAnotherInterface implements Mail, InterfaceOfItsOwn {
        @Override
        public void send() {}
    }

    static class OwnAnnotation implements Mail {
        @Override
        @Later
        public void send() {}
    }

    @Activity
    static class OnActivityClass {
        @Async
        public void send() {}
    }

    abstract static class Template<T> {
        public abstract void send(T to);
    }

    @Activity
    static class OnBridge extends Template<String> {
        @Override
        @Async
        public void send(String to) {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class AsyncIsOn {}

    @Configuration(proxyBeanMethods = false)
    @EnableAsync(proxyTargetClass = true)
    static class AsyncIsOnByClass {}

    @Configuration(proxyBeanMethods = false)
    @EnableAsync(annotation = Later.class)
    static class OwnAnnotationIsOn {}

    @Configuration(proxyBeanMethods = false)
    static class ByHand {
        @Bean
        Mail mail() {
            ProxyFactory factory = new ProxyFactory((Mail) () -> {});
            factory.addAdvice(new AsyncExecutionInterceptor(new SimpleAsyncTaskExecutor()));
            return (Mail) factory.getProxy();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Scoped {
        @Bean
        @Scope(value = "singleton", proxyMode = ScopedProxyMode.TARGET_CLASS)
        OnMethod mail() {
            return new OnMethod();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class LazyBean {
        @Bean
        @Lazy
        Mail mail() {
            return new OnMethod();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ByCustomizer {
        @Bean
        DurableCustomizer more() {
            return builder -> builder.register(new OnMethod());
        }
    }

    static Stream<Named<Class<?>[]>> detached() {
        return Stream.of(
                of("on the method", AsyncIsOn.class, OnMethod.class),
                of("on the method, proxied by a subclass", AsyncIsOnByClass.class, OnMethod.class),
                of("on the class", AsyncIsOn.class, OnClass.class),
                of("on the superclass", AsyncIsOn.class, OnSuperclass.class),
                of("meta-annotated", AsyncIsOn.class, MetaAnnotated.class),
                of("on the interface's method", AsyncIsOn.class, OnInterface.class),
                of("on another interface", AsyncIsOn.class, OnAnotherInterface.class),
                of("by an annotation of the application's own", OwnAnnotationIsOn.class, OwnAnnotation.class),
                of("on an activity class", AsyncIsOn.class, OnActivityClass.class),
                of("on what a generic method is called through", AsyncIsOn.class, OnBridge.class),
                of("by a proxy made by hand", ByHand.class),
                of("behind a scoped proxy", AsyncIsOn.class, Scoped.class),
                of("declared as its interface, and lazy", AsyncIsOn.class, LazyBean.class),
                of("registered by a customizer", ByCustomizer.class),
                of("while asynchronous calls are not even on", OnMethod.class));
    }

    private static Named<Class<?>[]> of(String name, Class<?>... configurations) {
        return named(name, configurations);
    }

    @ParameterizedTest
    @MethodSource("detached")
    void an_activity_whose_call_returns_before_its_body_has_ended_is_refused_at_the_start(Class<?>... configurations) {
        application
                .withUserConfiguration(configurations)
                .run(context -> assertThat(context.getStartupFailure())
                        .isInstanceOf(SetupException.class)
                        .hasMessageContaining("returns before its body has ended"));
    }

    @Test
    void the_refusal_names_each_method_with_the_cause_and_the_way_out() {
        application.withUserConfiguration(AsyncIsOn.class, OnMethod.class).run(context -> {
            var analysis = new DurableFailureAnalyzer().analyze(context.getStartupFailure());
            assertThat(analysis.getDescription())
                    .isEqualTo("A call of activity Mail.send returns before its body has ended: "
                            + OnMethod.class.getName()
                            + ".send is asynchronous (@Async). Durable would record the activity as"
                            + " completed at once, and neither retry nor tell what the body throws.");
            assertThat(analysis.getAction())
                    .isEqualTo(
                            "Take @Async, or the advice that makes the call asynchronous, away: an activity runs on a"
                                    + " thread of its own already, and its workflow waits for it without a thread. If something else"
                                    + " completes it later, let the body hand out a token:"
                                    + " ActivityContext.current().completeLater().");
        });
    }

    static class Besides implements Mail {
        @Override
        public void send() {
            other();
        }

        @Async
        public CompletableFuture<String> other() {
            return CompletableFuture.completedFuture("");
        }

        @EventListener
        public void on(String event) {}

        @Scheduled(fixedDelay = 1_000_000)
        public void now() {}
    }

    @Test
    void other_methods_of_the_bean_may_be_asynchronous_and_listeners_and_scheduled_ones_are_called_besides() {
        application
                .withUserConfiguration(AsyncIsOnByClass.class, Besides.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Activity
    interface Futures {
        CompletableFuture<String> send();
    }

    static class FutureMail implements Futures {
        @Override
        @Async
        public CompletableFuture<String> send() {
            return CompletableFuture.completedFuture("");
        }
    }

    @Activity(retry = @Retry(maxAttempts = 1, onExhausted = OnExhausted.FAIL))
    interface Anything {
        Object send();
    }

    @Test
    void a_future_under_another_name_is_none_either() {
        application
                .withBean(Anything.class, () -> () -> CompletableFuture.completedFuture("sent"))
                .run(context -> assertThatThrownBy(() -> context.getBean(DurableClient.class)
                                .enqueue(Anything.class, Anything::send)
                                .resultAs(Object.class, Duration.ofSeconds(20)))
                        .hasMessageContaining("CompletableFuture"));
    }

    @Test
    void a_future_is_no_result_of_an_activity() {
        application
                .withUserConfiguration(AsyncIsOn.class, FutureMail.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .isInstanceOf(RegistrationException.class)
                        .hasMessageContaining("CompletableFuture"));
    }
}
