package dev.durable.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.springframework.transaction.TransactionDefinition.PROPAGATION_REQUIRES_NEW;

import dev.durable.UsageException;
import dev.durable.client.ActivityHandle;
import dev.durable.spring.Shop.Kind;
import dev.durable.spring.Shop.Said;
import dev.durable.spring.app.ChatWorkflow;
import dev.durable.spring.app.GreetingWorkflow;
import dev.durable.spring.app.Greetings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.core.Ordered;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Calls of the client from every phase of a Spring transaction, by JPA and JDBC, with the pool's autocommit on and off. */
@Timeout(90)
@Tag("slow")
class TransactionPhasesTest {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Map<String, Shop> SHOPS = new ConcurrentHashMap<>();

    private static Shop shop(Kind kind, boolean autoCommit) {
        return SHOPS.computeIfAbsent(kind + "/" + autoCommit, key -> new Shop(kind, autoCommit));
    }

    @AfterAll
    static void close() {
        SHOPS.values().forEach(Shop::close);
        SHOPS.clear();
    }

    static Stream<Arguments> shops() {
        return Stream.of(Kind.values())
                .flatMap(kind -> Stream.of(true, false).map(autoCommit -> Arguments.of(kind, autoCommit)));
    }

    static Stream<Arguments> cells() {
        return shops().flatMap(shop ->
                Stream.of(TransactionPhase.values()).map(phase -> Arguments.of(shop.get()[0], shop.get()[1], phase)));
    }

    @ParameterizedTest(name = "{0}, autocommit {1}, {2}")
    @MethodSource("cells")
    void a_listener_of_any_phase_starts_signals_and_enqueues_once(
            Kind kind, boolean autoCommit, TransactionPhase phase) {
        Shop shop = shop(kind, autoCommit);
        boolean commits = phase != TransactionPhase.AFTER_ROLLBACK;
        String id = "ends-" + phase;
        Calls calls = new Calls(shop, id);
        shop.transaction().executeWithoutResult(status -> {
            shop.buy(id);
            shop.context.publishEvent(new Said(phase, calls));
            if (!commits) {
                status.setRollbackOnly();
            }
        });
        assertThat(shop.bought(id)).isEqualTo(commits);
        calls.happened();
    }

    @ParameterizedTest(name = "{0}, autocommit {1}")
    @MethodSource("shops")
    void what_a_listener_starts_before_the_commit_is_rolled_back_with_it(Kind kind, boolean autoCommit) {
        Shop shop = shop(kind, autoCommit);
        assertThatThrownBy(() -> shop.transaction().executeWithoutResult(status -> {
                    shop.buy("refused");
                    shop.context.publishEvent(new Said(TransactionPhase.BEFORE_COMMIT, () -> shop.start("refused")));
                    TransactionSynchronizationManager.registerSynchronization(new Refusing());
                }))
                .hasMessage("refused before the commit");
        assertThat(shop.bought("refused")).isFalse();
        assertThat(shop.started("refused")).isFalse();
    }

    @ParameterizedTest(name = "{0}, autocommit {1}")
    @MethodSource("shops")
    void a_listener_after_completion_starts_also_when_it_was_rolled_back(Kind kind, boolean autoCommit) {
        Shop shop = shop(kind, autoCommit);
        Calls calls = new Calls(shop, "completed");
        shop.transaction().executeWithoutResult(status -> {
            shop.buy("completed");
            shop.context.publishEvent(new Said(TransactionPhase.AFTER_COMPLETION, calls));
            status.setRollbackOnly();
        });
        assertThat(shop.bought("completed")).isFalse();
        calls.happened();
    }

    @ParameterizedTest(name = "{0}, autocommit {1}")
    @MethodSource("shops")
    void plain_callbacks_after_the_commit_start_signal_and_enqueue(Kind kind, boolean autoCommit) {
        Shop shop = shop(kind, autoCommit);
        Calls committed = new Calls(shop, "plain-commit");
        Calls completed = new Calls(shop, "plain-completion");
        shop.transaction().executeWithoutResult(status -> {
            shop.buy("plain");
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    committed.run();
                }

                @Override
                public void afterCompletion(int outcome) {
                    completed.run();
                }
            });
        });
        committed.happened();
        completed.happened();
    }

    @ParameterizedTest(name = "{0}, autocommit {1}")
    @MethodSource("shops")
    void a_new_transaction_after_the_commit_takes_its_start_along(Kind kind, boolean autoCommit) {
        Shop shop = shop(kind, autoCommit);
        TransactionTemplate anew = shop.transaction();
        anew.setPropagationBehavior(PROPAGATION_REQUIRES_NEW);
        shop.transaction().executeWithoutResult(outer -> {
            shop.buy("outer");
            shop.start("outer");
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    anew.executeWithoutResult(inner -> {
                        shop.start("inner-rolled-back");
                        inner.setRollbackOnly();
                    });
                    anew.executeWithoutResult(inner -> shop.start("inner-committed"));
                    shop.start("behind-the-inner");
                }
            });
        });
        assertThat(shop.started("inner-rolled-back")).isFalse();
        for (String id : List.of("outer", "inner-committed", "behind-the-inner")) {
            assertThat(shop.client().handle(GreetingWorkflow.class, id).resultAs(String.class))
                    .isEqualTo("hello " + id);
        }
    }

    @ParameterizedTest(name = "{0}, autocommit {1}")
    @MethodSource("shops")
    void a_savepoint_and_a_method_that_takes_part_do_not_end_the_transaction(Kind kind, boolean autoCommit) {
        Shop shop = shop(kind, autoCommit);
        shop.transaction().executeWithoutResult(outer -> {
            shop.transaction().executeWithoutResult(inner -> shop.buy("inside"));
            if (kind == Kind.JDBC) {
                TransactionTemplate nested = shop.transaction();
                nested.setPropagationBehavior(TransactionTemplate.PROPAGATION_NESTED);
                nested.executeWithoutResult(savepoint -> {
                    shop.start("nested");
                    savepoint.setRollbackOnly();
                });
                nested.executeWithoutResult(savepoint -> shop.buy("nested"));
            }
            shop.start("after-them");
            outer.setRollbackOnly();
        });
        assertThat(shop.started("nested")).isFalse();
        assertThat(shop.started("after-them")).isFalse();
    }

    @ParameterizedTest(name = "{0}, autocommit {1}")
    @MethodSource("shops")
    void in_a_read_only_transaction_calls_are_refused_before_anything_is_written(Kind kind, boolean autoCommit) {
        Shop shop = shop(kind, autoCommit);
        shop.chat("listens");
        TransactionTemplate reading = shop.transaction();
        reading.setReadOnly(true);
        reading.executeWithoutResult(status -> {
            assertThatThrownBy(() -> shop.start("read-only"))
                    .isInstanceOf(UsageException.class)
                    .hasMessage("the transaction that this call takes part in is read-only, so nothing was written."
                            + " Usual cause: @Transactional(readOnly = true) at the method that calls, or at one that"
                            + " calls it, or connection.setReadOnly(true). Take that away, or call through"
                            + " client.independent(), which stays out of the transaction.");
            assertThatThrownBy(() ->
                            shop.client().handle(ChatWorkflow.class, "listens").signal(w -> w.say("bye")))
                    .isInstanceOf(UsageException.class)
                    .hasMessageContaining("is read-only");
            assertThatThrownBy(() -> shop.client().enqueue(Greetings.class, g -> g.greet("ann")))
                    .isInstanceOf(UsageException.class)
                    .hasMessageContaining("is read-only");
            shop.client().independent().start(GreetingWorkflow.class, "apart", w -> w.run("apart"));
        });
        assertThat(shop.started("read-only")).isFalse();
        assertThat(shop.started("apart")).isTrue();
    }

    @ParameterizedTest(name = "{0}, autocommit {1}")
    @MethodSource("shops")
    void in_the_transaction_of_a_manager_that_is_no_bean_calls_are_refused_and_say_what_to_do(
            Kind kind, boolean autoCommit) {
        Shop shop = shop(kind, autoCommit);
        TransactionTemplate unseen = new TransactionTemplate(new JdbcTransactionManager(shop.pool()));
        unseen.setName("unseen");
        unseen.executeWithoutResult(status -> {
            assertThatThrownBy(() -> shop.start("unseen"))
                    .isInstanceOf(UsageException.class)
                    .hasMessage(
                            "a connection of Durable's DataSource is bound to this thread (transaction unseen), and no"
                                    + " transaction manager that Durable knows has begun a transaction on it, so it can't be told"
                                    + " whether what this call writes there would be committed. Nothing was written. Usual cause: a"
                                    + " PlatformTransactionManager that is no bean of this application context, or one for another"
                                    + " DataSource. Declare the manager as a bean, or call through client.independent(), which"
                                    + " stays out of the transaction, or client.joining(connection), which takes part in the one"
                                    + " that you hold.");
            shop.client()
                    .joining(DataSourceUtils.getConnection(shop.pool()))
                    .start(GreetingWorkflow.class, "held", w -> w.run("held"));
        });
        assertThat(shop.started("unseen")).isFalse();
        assertThat(shop.started("held")).isTrue();
    }

    /** A start, a signal to a run that listens, and a background job. What they throw would be logged and swallowed. */
    private static final class Calls implements Runnable {
        private final Shop shop;
        private final String id;
        private final List<Throwable> failures = new ArrayList<>();
        private ActivityHandle job;

        Calls(Shop shop, String id) {
            this.shop = shop;
            this.id = id;
            shop.chat("chat-" + id);
        }

        @Override
        public void run() {
            try {
                shop.start(id);
                shop.client().handle(ChatWorkflow.class, "chat-" + id).signal(w -> w.say("bye"));
                job = shop.client().enqueue(Greetings.class, g -> g.greet(id));
            } catch (RuntimeException e) {
                failures.add(e);
            }
        }

        void happened() {
            assertThat(failures).isEmpty();
            assertThat(shop.client().handle(GreetingWorkflow.class, id).resultAs(String.class))
                    .isEqualTo("hello " + id);
            shop.client().handle(ChatWorkflow.class, "chat-" + id).resultAs(Void.class);
            assertThat(job.resultAs(String.class, SOON)).isEqualTo("hello " + id);
        }
    }

    /** The last to be asked before the commit. */
    private static final class Refusing implements TransactionSynchronization, Ordered {
        @Override
        public void beforeCommit(boolean readOnly) {
            throw new IllegalStateException("refused before the commit");
        }

        @Override
        public int getOrder() {
            return Ordered.LOWEST_PRECEDENCE;
        }
    }
}
