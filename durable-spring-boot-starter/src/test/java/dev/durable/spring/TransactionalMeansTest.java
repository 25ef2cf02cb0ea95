package dev.durable.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.ActivityFailedException;
import dev.durable.OnExhausted;
import dev.durable.Retry;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.ActivityHandle;
import dev.durable.client.StartOptions;
import dev.durable.spring.Shop.Kind;
import dev.durable.spring.app.ChatWorkflow;
import dev.durable.spring.app.GreetingWorkflow;
import dev.durable.spring.app.Greetings;
import dev.durable.spring.app.Purchase;
import jakarta.persistence.EntityManagerFactory;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.Bean;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.transaction.annotation.Transactional;

/**
 * Writes by each of Spring's means in one transaction with what Durable writes, in an application with JPA that polls so
 * rarely that only nudges can be in time.
 */
@Timeout(90)
@Tag("slow")
class TransactionalMeansTest {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final AtomicInteger ATTEMPTS = new AtomicInteger();

    private static Shop shop;

    /** With what a row is written. */
    enum Means {
        JDBC_TEMPLATE,
        JDBC_CLIENT,
        JOOQ,
        JPA,
        TRANSACTIONAL_BEAN
    }

    @BeforeAll
    static void open() {
        shop = new Shop(
                Kind.JPA,
                true,
                context -> TestPropertyValues.of("durable.poll-interval=1h").applyTo(context),
                Writing.class);
    }

    @AfterAll
    static void close() {
        shop.close();
    }

    // ── the activity's writes ───────────────────────────────────────────────────────────────────────────────────────

    @ParameterizedTest
    @EnumSource(Means.class)
    void what_a_transactional_activity_writes_is_there_exactly_if_it_completed(Means means) {
        String id = "by-" + means;
        assertThat(shop.client().enqueue(Shelf.class, s -> s.put(id, means, 2)).resultAs(Integer.class, SOON))
                .isEqualTo(3);
        assertThat(shop.bought(id + "/1")).isFalse();
        assertThat(shop.bought(id + "/2")).isFalse();
        assertThat(shop.bought(id + "/3")).isTrue();
    }

    @Test
    void a_body_that_catches_a_constraint_violation_and_goes_on_is_told_so_and_not_run_again() {
        ATTEMPTS.set(0);
        assertThatThrownBy(() -> shop.client()
                        .enqueue(Shelf.class, s -> s.putTwice("twice"))
                        .resultAs(Void.class, SOON))
                .isInstanceOf(ActivityFailedException.class)
                .hasStackTraceContaining(
                        "the body of this transactional activity caught a failure of a statement and went"
                                + " on. PostgreSQL writes nothing more in a transaction that has failed");
        assertThat(ATTEMPTS).hasValue(1);
        assertThat(shop.bought("twice")).isFalse();
    }

    @Test
    void a_body_that_catches_what_a_transactional_bean_throws_and_goes_on_is_told_so_and_not_run_again() {
        ATTEMPTS.set(0);
        assertThatThrownBy(() -> shop.client()
                        .enqueue(Shelf.class, s -> s.putInVain("in-vain"))
                        .resultAs(Void.class, SOON))
                .isInstanceOf(ActivityFailedException.class)
                .hasStackTraceContaining(
                        "the body of this transactional activity caught what a @Transactional method that"
                                + " it called has thrown, and went on. Spring rolls back the transaction that both share, so"
                                + " nothing of it was written, and the activity is not completed. It is not tried again");
        assertThat(ATTEMPTS).hasValue(1);
        assertThat(shop.bought("in-vain")).isFalse();
    }

    // ── the caller's writes ─────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void what_is_started_signalled_and_enqueued_in_a_transaction_begins_right_after_its_commit() {
        shop.chat("waiting");
        AtomicReference<ActivityHandle> job = new AtomicReference<>();
        shop.transaction().executeWithoutResult(status -> {
            shop.buy("committed");
            shop.start("committed");
            shop.client().handle(ChatWorkflow.class, "waiting").signal(w -> w.say("bye"));
            job.set(shop.client().enqueue(Greetings.class, g -> g.greet("ann")));
            assertThat(shop.bought("committed")).isFalse();
        });
        assertThat(shop.client().handle(GreetingWorkflow.class, "committed").resultAs(String.class))
                .isEqualTo("hello committed");
        shop.client().handle(ChatWorkflow.class, "waiting").resultAs(Void.class);
        assertThat(job.get().resultAs(String.class, SOON)).isEqualTo("hello ann");
    }

    @Test
    void what_is_started_signalled_and_enqueued_in_a_transaction_that_rolls_back_never_was() {
        shop.chat("undisturbed");
        shop.transaction().executeWithoutResult(status -> {
            shop.start("rolled-back");
            shop.client().handle(ChatWorkflow.class, "undisturbed").signal(w -> w.say("never"));
            shop.client().enqueue(Greetings.class, StartOptions.id("job-rolled-back"), g -> g.greet("ann"));
            status.setRollbackOnly();
        });
        assertThat(shop.started("rolled-back")).isFalse();
        assertThatThrownBy(() -> shop.client().history("job-rolled-back"))
                .isInstanceOf(WorkflowNotFoundException.class);
        var chat = shop.client().handle(ChatWorkflow.class, "undisturbed");
        chat.signal(w -> w.say("bye"));
        chat.resultAs(Void.class);
        assertThat(chat.query(ChatWorkflow::heard)).containsExactly("bye");
    }

    // ── what they declare ───────────────────────────────────────────────────────────────────────────────────────────

    /** Puts rows of purchases into the application's table. */
    @Activity(
            transactional = true,
            retry = @Retry(initialInterval = "1ms", maxAttempts = 3, onExhausted = OnExhausted.FAIL))
    interface Shelf {
        /** In which attempt it was written, after so many that failed behind their writes. */
        int put(String id, Means means, int failures);

        void putTwice(String id);

        void putInVain(String id);
    }

    /** Proxied by Spring. */
    static class Register {
        private final JdbcTemplate jdbc;

        Register(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Transactional
        public void write(String id, boolean fail) {
            jdbc.update("insert into purchase (id) values (?)", id);
            if (fail) {
                throw new IllegalStateException("refused by the register");
            }
        }
    }

    static class Writing {
        @Bean
        JdbcTemplate jdbc(@Qualifier("dataSource") DataSource dataSource) {
            return new JdbcTemplate(dataSource);
        }

        @Bean
        Register register(JdbcTemplate jdbc) {
            return new Register(jdbc);
        }

        @Bean
        Shelf shelf(@Qualifier("dataSource") DataSource dataSource, Register register, EntityManagerFactory jpa) {
            return new Shelf() {
                @Override
                public int put(String id, Means means, int failures) {
                    int attempt = ActivityContext.current().info().attempt();
                    write(id + "/" + attempt, means);
                    if (attempt <= failures) {
                        throw new IllegalStateException("after its writes");
                    }
                    return attempt;
                }

                private void write(String id, Means means) {
                    String insert = "insert into purchase (id) values (?)";
                    switch (means) {
                        case JDBC_TEMPLATE -> new JdbcTemplate(dataSource).update(insert, id);
                        case JDBC_CLIENT ->
                            JdbcClient.create(dataSource).sql(insert).param(id).update();
                        case JOOQ ->
                            // As Boot configures it.
                            DSL.using(new TransactionAwareDataSourceProxy(dataSource), SQLDialect.POSTGRES)
                                    .execute(insert, id);
                        case JPA ->
                            SharedEntityManagerCreator.createSharedEntityManager(jpa)
                                    .persist(new Purchase(id));
                        case TRANSACTIONAL_BEAN -> register.write(id, false);
                    }
                }

                @Override
                public void putTwice(String id) {
                    ATTEMPTS.incrementAndGet();
                    write(id, Means.JDBC_TEMPLATE);
                    try {
                        write(id, Means.JDBC_TEMPLATE);
                    } catch (DataIntegrityViolationException isThere) {
                        // As it would be right in a transaction of its own.
                    }
                }

                @Override
                public void putInVain(String id) {
                    ATTEMPTS.incrementAndGet();
                    try {
                        register.write(id, true);
                    } catch (IllegalStateException refused) {
                        // It goes on.
                    }
                }
            };
        }
    }
}
