package dev.durable.spring;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import dev.durable.Activity;
import dev.durable.client.DurableClient;
import dev.durable.spring.post.Mail;
import dev.durable.spring.post.MailWorkflow;
import dev.durable.store.HistoryStore;
import dev.durable.store.memory.InMemoryHistoryStore;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Fallback;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Primary;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.SimpleThreadScope;

/** Activity beans in all forms in which Spring applications declare them. */
@Timeout(60)
class ActivityBeansTest {
    private static final Duration SOON = Duration.ofSeconds(20);

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DurableAutoConfiguration.class))
            .withBean(HistoryStore.class, InMemoryHistoryStore::new);

    @Test
    void a_bean_that_is_declared_as_object_is_found() {
        serves("by object", AsObject.class);
    }

    @Test
    void what_a_factory_makes_that_tells_no_type_is_found() {
        serves("by factory", ByFactory.class);
    }

    @Test
    void a_lazy_bean_is_found() {
        serves("by lazy", ByLazy.class);
    }

    @Test
    void the_proxies_of_scoped_beans_are_found_and_their_targets_are_not_told() {
        serves("by scoped class", ScopedClass.class);
        serves("by scoped interface", ScopedInterface.class);
        application
                .withUserConfiguration(ScopedClass.class)
                .run(context ->
                        assertThat(context.getBean(DurableScan.class).leftOut()).isEmpty());
    }

    @Test
    void of_several_beans_the_primary_one_is_taken_as_for_a_decorator() {
        serves("decorated by plain", Decorator.class);
        application
                .withUserConfiguration(Decorator.class)
                .run(context -> assertThat(context.getBean(DurableScan.class).leftOut())
                        .containsExactly("bean plain, as bean decorator comes first for dev.durable.spring.post.Mail"));
    }

    @Test
    void of_several_beans_the_only_default_candidate_is_taken() {
        serves("by default", OneDefault.class);
        serves("by regular", OneFallback.class);
    }

    @Test
    void a_bean_of_two_activity_types_does_those_for_which_no_other_comes_first() {
        application.withUserConfiguration(Both.class).run(context -> {
            DurableClient client = context.getBean(DurableClient.class);
            assertThat(client.enqueue(Mail.class, Mail::send).resultAs(String.class, SOON))
                    .isEqualTo("by primary");
            assertThat(client.enqueue(Sms.class, Sms::text).resultAs(String.class, SOON))
                    .isEqualTo("by both");
        });
    }

    @Test
    void several_beans_of_which_none_comes_first_are_refused_by_their_names() {
        application.withUserConfiguration(Two.class).run(context -> {
            var analysis = new DurableFailureAnalyzer().analyze(context.getStartupFailure());
            assertThat(analysis.getDescription())
                    .isEqualTo("Activity type dev.durable.spring.post.Mail is implemented by 2 beans, none of"
                            + " which comes first: one, two.");
            assertThat(analysis.getAction())
                    .isEqualTo(
                            "Mark the one that is to do the activities as @Primary, or the others as"
                                    + " @Bean(defaultCandidate = false). One type has one implementation in a process; for several"
                                    + " ways of doing it, let the implementation choose, or declare an activity type for each.");
        });
    }

    @Test
    void a_bean_that_can_not_be_registered_is_told_with_what_to_do() {
        application
                .withUserConfiguration(Prototype.class)
                .run(context -> assertThat(context.getBean(DurableScan.class).leftOut())
                        .containsExactly("bean mail of activity type " + Mail.class.getName()
                                + " is no singleton: give its scope a proxy (proxyMode = ScopedProxyMode.TARGET_CLASS), or"
                                + " take the scope away"));
        application
                .withUserConfiguration(HiddenClass.class)
                .run(context -> assertThat(context.getBean(DurableScan.class).leftOut())
                        .containsExactly("bean letters: its class " + Letters.class.getName()
                                + " is an activity type, and its proxy has only its interfaces. Put @Activity on the"
                                + " interface, or set spring.aop.proxy-target-class=true"));
    }

    @Test
    void the_log_shows_what_was_found_in_one_block() {
        try (Logged log = new Logged()) {
            application
                    .withUserConfiguration(Decorator.class, Posting.class)
                    .withPropertyValues(
                            "durable.identity=till-3",
                            "durable.queues.mail.slots=3",
                            "durable.queues.mail.virtual-threads=true",
                            "durable.activities.Mail.task-queue=mail")
                    .run(context -> assertThat(log.of(Level.INFO)).containsExactly("""
                            Durable works, as till-3 in schema durable
                              queues      default (50 slots)
                                          mail (3 slots, virtual threads)
                              workflows   MailWorkflow on queue default, dev.durable.spring.post.MailWorkflow
                              activities  Mail.send by bean decorator: on queue mail, start-to-close 1m, attempts without end
                              not retried what Spring Security refuses (durable.retry-denied)
                              left out    bean plain, as bean decorator comes first for dev.durable.spring.post.Mail"""));
            assertThat(log.of(Level.WARN)).isEmpty();
        }
    }

    @Test
    void a_workflow_whose_activity_has_no_bean_here_is_told() {
        try (Logged log = new Logged()) {
            application
                    .withUserConfiguration(Posting.class)
                    .run(context -> assertThat(log.of(Level.WARN))
                            .containsExactly("workflow MailWorkflow injects Mail, for which this process has no"
                                    + " bean; another worker must serve it. Usual cause: a @Profile or condition that is off,"
                                    + " or a missing @Component."));
        }
    }

    @Test
    void work_for_a_queue_that_is_not_served_here_is_told() {
        try (Logged log = new Logged()) {
            application
                    .withUserConfiguration(Posting.class, AsObject.class)
                    .withPropertyValues("durable.queues.defualt.slots=3", "durable.queues.default.slots=0")
                    .run(context -> assertThat(log.of(Level.WARN))
                            .containsExactly("queue default is not served by this process, and MailWorkflow is"
                                    + " registered for it here; another worker must serve it. Add"
                                    + " durable.queues.default.slots, if this one is to."));
        }
    }

    @Test
    void a_queue_that_is_added_does_not_take_the_default_one_away() {
        application
                .withUserConfiguration(Posting.class, AsObject.class)
                .withPropertyValues("durable.queues.mail.slots=3")
                .run(context -> assertThat(context.getBean(DurableClient.class)
                                .start(MailWorkflow.class, "m-1", MailWorkflow::run)
                                .result(SOON))
                        .isEqualTo("by object"));
    }

    @Test
    void activities_run_on_virtual_threads_where_the_application_does() {
        AtomicReference<Boolean> virtual = new AtomicReference<>();
        ApplicationContextRunner asking = application.withBean(Mail.class, () -> () -> {
            virtual.set(Thread.currentThread().isVirtual());
            return "sent";
        });
        asking.withPropertyValues("spring.threads.virtual.enabled=true").run(context -> {
            context.getBean(DurableClient.class).enqueue(Mail.class, Mail::send).resultAs(String.class, SOON);
            assertThat(virtual).hasValue(true);
        });
        asking.withPropertyValues("spring.threads.virtual.enabled=true", "durable.queues.default.virtual-threads=false")
                .run(context -> {
                    context.getBean(DurableClient.class)
                            .enqueue(Mail.class, Mail::send)
                            .resultAs(String.class, SOON);
                    assertThat(virtual).hasValue(false);
                });
    }

    private void serves(String expected, Class<?> declaring) {
        application
                .withUserConfiguration(declaring)
                .withInitializer(context -> context.getBeanFactory().registerScope("refresh", new SimpleThreadScope()))
                .run(context -> assertThat(context.getBean(DurableClient.class)
                                .enqueue(Mail.class, Mail::send)
                                .resultAs(String.class, SOON))
                        .isEqualTo(expected));
    }

    // ── what they declare ───────────────────────────────────────────────────────────────────────────────────────────

    /** Other work. */
    @Activity
    public interface Sms {
        String text();
    }

    /** Not final, as Spring makes subclasses of it. */
    static class Named implements Mail {
        private final String name;

        Named() {
            this("by scoped class");
        }

        Named(String name) {
            this.name = name;
        }

        @Override
        public String send() {
            return name;
        }
    }

    static class AsObject {
        @Bean
        Object mail() {
            return new Named("by object");
        }
    }

    static class ByFactory {
        @Bean
        FactoryBean<Object> mail() {
            return new FactoryBean<>() {
                @Override
                public Object getObject() {
                    return new Named("by factory");
                }

                @Override
                public Class<?> getObjectType() {
                    return null;
                }
            };
        }
    }

    static class ByLazy {
        @Bean
        @Lazy
        Mail mail() {
            return new Named("by lazy");
        }
    }

    static class ScopedClass {
        @Bean
        @Scope(scopeName = "refresh", proxyMode = ScopedProxyMode.TARGET_CLASS)
        Named mail() {
            return new Named("by scoped class");
        }
    }

    static class ScopedInterface {
        @Bean
        @Scope(scopeName = "refresh", proxyMode = ScopedProxyMode.INTERFACES)
        Mail mail() {
            return new Named("by scoped interface");
        }
    }

    static class Decorator {
        @Bean
        Mail plain() {
            return new Named("plain");
        }

        @Bean
        @Primary
        Mail decorator(@Qualifier("plain") Mail delegate) {
            return new Named("decorated by " + delegate.send());
        }
    }

    static class OneDefault {
        @Bean(defaultCandidate = false)
        Mail special() {
            return new Named("by special");
        }

        @Bean
        Mail regular() {
            return new Named("by default");
        }
    }

    static class OneFallback {
        @Bean
        @Fallback
        Mail fallback() {
            return new Named("by fallback");
        }

        @Bean
        Mail regular() {
            return new Named("by regular");
        }
    }

    static class Both {
        @Bean
        Object both() {
            return new MailAndSms();
        }

        @Bean
        @Primary
        Mail mail() {
            return new Named("by primary");
        }
    }

    record MailAndSms() implements Mail, Sms {
        @Override
        public String send() {
            return "by both";
        }

        @Override
        public String text() {
            return "by both";
        }
    }

    static class Two {
        @Bean
        Mail one() {
            return new Named("one");
        }

        @Bean
        Mail two() {
            return new Named("two");
        }
    }

    static class Prototype {
        @Bean
        @Scope(BeanDefinition.SCOPE_PROTOTYPE)
        Mail mail() {
            return new Named("prototype");
        }
    }

    static class HiddenClass {
        @Bean
        Object letters() {
            ProxyFactory proxy = new ProxyFactory(new Letters());
            proxy.setInterfaces(Runnable.class);
            return proxy.getProxy();
        }
    }

    /** Annotated itself, behind a proxy of its interface. */
    @Activity
    static class Letters implements Runnable {
        @Override
        public void run() {}
    }

    @AutoConfigurationPackage(basePackageClasses = MailWorkflow.class)
    static class Posting {}
}
