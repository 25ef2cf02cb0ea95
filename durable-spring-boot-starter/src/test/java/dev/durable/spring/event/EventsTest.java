package dev.durable.spring.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Activity;
import dev.durable.OnExhausted;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.client.DurableClient;
import dev.durable.client.WorkflowStatus;
import dev.durable.spring.DurableAutoConfiguration;
import dev.durable.store.HistoryStore;
import dev.durable.store.memory.InMemoryHistoryStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The events that listeners of an application hear of its engine. */
class EventsTest {
    private static final Duration SOON = Duration.ofMinutes(1);

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(DurableEventsAutoConfiguration.class, DurableAutoConfiguration.class))
            .withInitializer(context -> AutoConfigurationPackages.register(
                    (BeanDefinitionRegistry) context.getBeanFactory(), EventsTest.class.getPackageName()))
            .withBean("store", HistoryStore.class, InMemoryHistoryStore::new)
            .withBean("press", Press.class, Press::new)
            .withPropertyValues("durable.stall-on=java.lang.ArithmeticException", "durable.events.alerts=true");

    @Test
    void each_kind_is_heard_after_its_commit() {
        application.withUserConfiguration(Listeners.class).run(context -> {
            DurableClient client = context.getBean(DurableClient.class);
            Listeners heard = context.getBean(Listeners.class);

            print(client, "good");
            assertThat(heard.next(WorkflowCompletedEvent.class).workflowId()).isEqualTo("good");

            print(client, "twice");
            assertThat(heard.next(ActivityRetryingEvent.class))
                    .extracting(
                            ActivityRetryingEvent::activity, ActivityRetryingEvent::seq, ActivityRetryingEvent::attempt)
                    .containsExactly("Press.print", 1, 1);
            assertThat(heard.next(WorkflowCompletedEvent.class).workflowId()).isEqualTo("twice");

            print(client, "jam");
            heard.next(ActivityRetryingEvent.class);
            assertThat(heard.next(IncidentEvent.class).workflowId()).isEqualTo("jam");
            assertThat(heard.next(AlertEvent.class).alert().activity()).isEqualTo("Press.print");
            client.handle("jam").terminate("no paper");
            assertThat(heard.next(WorkflowFailedEvent.class).status()).isEqualTo(WorkflowStatus.TERMINATED);

            print(client, "stall");
            assertThat(heard.next(WorkflowStalledEvent.class).reason()).contains("ArithmeticException");

            client.enqueue(Press.class, press -> press.throwAway("jam"));
            assertThat(heard.next(DeadLetterEvent.class).activity()).isEqualTo("Press.throwAway");
        });
    }

    @Test
    void transactional_listeners_hear_too_and_one_that_fails_harms_nobody_else() {
        application
                .withUserConfiguration(Transactional.class)
                .withBean(PlatformTransactionManager.class, NoDatabase::new)
                .run(context -> {
                    Transactional heard = context.getBean(Transactional.class);
                    print(context.getBean(DurableClient.class), "good");
                    Awaitility.await()
                            .atMost(SOON)
                            .untilAsserted(() -> assertThat(heard.said)
                                    .containsExactly("in a transaction: good", "after its commit: good"));

                    print(context.getBean(DurableClient.class), "bad listener");
                    print(context.getBean(DurableClient.class), "good again");
                    Awaitility.await()
                            .atMost(SOON)
                            .untilAsserted(() -> assertThat(heard.said)
                                    .endsWith("in a transaction: good again", "after its commit: good again")
                                    .doesNotContain("after its commit: bad listener"));
                });
    }

    /** A bean that implements ApplicationListener is called as it is. */
    @Test
    void a_listener_that_ends_in_an_error_or_interrupts_its_thread_does_not_end_the_events() {
        BlockingQueue<Object> heard = new LinkedBlockingQueue<>();
        EventQueue queue = new EventQueue("", event -> {
                    if (event.equals("error")) {
                        throw new NoClassDefFoundError("of an older version");
                    } else if (event.equals("interrupt")) {
                        Thread.currentThread().interrupt();
                    } else {
                        heard.add(event);
                    }
                })
                .started();
        queue.add("error");
        queue.add("interrupt");
        queue.add("heard");

        Awaitility.await().atMost(SOON).untilAsserted(() -> assertThat(heard).containsExactly("heard"));
        queue.close();
    }

    @Test
    void the_events_of_one_engine_wait_for_no_listener_of_anothers_and_an_ended_queue_publishes_what_waits() {
        CountDownLatch release = new CountDownLatch(1);
        BlockingQueue<Object> heard = new LinkedBlockingQueue<>();
        EventQueues queues = new EventQueues(event -> {
            if (event.equals("slow")) {
                try {
                    release.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
            heard.add(event);
        });
        EventQueue busy = queues.open("tenant_a");
        busy.add("slow");
        EventQueue other = queues.open("tenant_b");
        for (int i = 0; i < 2_000; i++) {
            busy.add("a" + i);
        }
        other.add("b");
        Awaitility.await().atMost(SOON).untilAsserted(() -> assertThat(heard).containsExactly("b"));

        busy.end();
        other.end();
        release.countDown();
        Awaitility.await()
                .atMost(SOON)
                .untilAsserted(
                        () -> assertThat(busy.hasEnded() && other.hasEnded()).isTrue());
        assertThat(heard).hasSizeGreaterThanOrEqualTo(1_000).contains("slow", "a0", "a900");
        queues.destroy();
    }

    @Test
    void nothing_is_published_that_nobody_listens_to() {
        application.run(context -> {
            EventListeners audience =
                    new EventListeners((AbstractApplicationContext) context.getSourceApplicationContext());
            assertThat(audience.listensTo(WorkflowCompletedEvent.class)).isFalse();
        });
        application.withUserConfiguration(Transactional.class).run(context -> {
            EventListeners audience =
                    new EventListeners((AbstractApplicationContext) context.getSourceApplicationContext());
            assertThat(audience.listensTo(WorkflowCompletedEvent.class)).isTrue();
            assertThat(audience.listensTo(WorkflowFailedEvent.class)).isFalse();
        });
    }

    @Test
    void a_listener_that_comes_later_is_heard_of_within_a_second() {
        AtomicLong nanos = new AtomicLong();
        application.run(context -> {
            AbstractApplicationContext all = (AbstractApplicationContext) context.getSourceApplicationContext();
            EventListeners audience = new EventListeners(all, nanos::get);
            assertThat(audience.listensTo(WorkflowCompletedEvent.class)).isFalse();
            all.addApplicationListener(new Late());
            nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
            assertThat(audience.listensTo(WorkflowCompletedEvent.class)).isTrue();
        });
    }

    private static final class Late implements ApplicationListener<PayloadApplicationEvent<WorkflowCompletedEvent>> {
        @Override
        public void onApplicationEvent(PayloadApplicationEvent<WorkflowCompletedEvent> event) {
            throw new AssertionError("nothing is published here");
        }
    }

    private static void print(DurableClient client, String page) {
        client.start(PrintWorkflow.class, page, w -> w.run(page));
    }

    @Configuration(proxyBeanMethods = false)
    static class Listeners {
        private final BlockingQueue<Object> events = new LinkedBlockingQueue<>();

        @EventListener
        void hear(DurableEvent event) {
            events.add(event);
        }

        @EventListener
        void hear(AlertEvent event) {
            events.add(event);
        }

        <E> E next(Class<E> kind) throws InterruptedException {
            Object event = events.poll(SOON.toSeconds(), TimeUnit.SECONDS);
            assertThat(event).isInstanceOf(kind);
            return kind.cast(event);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class Transactional {
        final List<String> said = new CopyOnWriteArrayList<>();

        // docs: spring-events
        @EventListener
        void completed(WorkflowCompletedEvent event) {
            say("in a transaction", event);
        }

        @TransactionalEventListener
        void afterwards(WorkflowCompletedEvent event) {
            say("after its commit", event);
        }
        // docs: end

        private void say(String when, WorkflowCompletedEvent event) {
            assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                    .isTrue();
            if (event.workflowId().startsWith("bad")) {
                throw new IllegalStateException("I never listen");
            }
            said.add(when + ": " + event.workflowId());
        }
    }

    static class NoDatabase extends AbstractPlatformTransactionManager {
        private static final long serialVersionUID = 1L;

        @Override
        protected Object doGetTransaction() {
            return this;
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {}

        @Override
        protected void doCommit(DefaultTransactionStatus status) {}

        @Override
        protected void doRollback(DefaultTransactionStatus status) {}
    }

    @Activity(retry = @Retry(maxAttempts = 2, initialInterval = "1ms", onExhausted = OnExhausted.INCIDENT))
    public static class Press {
        private int twice;

        public String print(String page) {
            if (page.equals("jam") || page.equals("twice") && twice++ == 0) {
                throw new IllegalStateException("paper jam");
            }
            return page;
        }

        @Activity(retry = @Retry(maxAttempts = 1, onExhausted = OnExhausted.DEAD_LETTER))
        public void throwAway(String page) {
            throw new IllegalStateException("the bin is full");
        }
    }

    @Workflow
    public static class PrintWorkflow {
        private final Press press;

        public PrintWorkflow(Press press) {
            this.press = press;
        }

        @Run
        public String run(String page) {
            if (page.equals("stall")) {
                throw new ArithmeticException("by zero");
            }
            return press.print(page);
        }
    }
}
