package dev.durable.spring.aot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.reflection;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.resource;

import com.zaxxer.hikari.HikariDataSource;
import dev.durable.Activity;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.client.DurableClient;
import dev.durable.spring.DurableAutoConfiguration;
import dev.durable.spring.app.GreetingWorkflow;
import dev.durable.spring.app.Greetings;
import java.util.List;
import javax.sql.DataSource;
import org.assertj.core.api.Condition;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.javapoet.ClassName;

/** The hints that ahead-of-time processing of an application registers for Durable. */
class AheadOfTimeTest {

    /** The real processing of a context, with the generation of code for its beans; nothing connects to the database. */
    @Test
    void types_that_are_annotated_and_what_their_methods_take_give_and_throw_are_registered() {
        RuntimeHints hints = processed();

        assertThat(hints).is(withMembers(GreetingWorkflow.class)).is(withMembers(Greetings.class));
        assertThat(hints).is(withMembers(Billing.class)).is(withMembers(Ledger.class));
        for (Class<?> payload : List.of(Bill.class, Line.class, Receipt.class, TooMuch.class)) {
            assertThat(reflection().onType(payload)).as(payload.getSimpleName()).accepts(hints);
        }
        assertThat(reflection().onType(String[].class)).rejects(hints);
    }

    @Test
    void resources_and_the_proxy_of_the_client_are_registered() {
        RuntimeHints hints = new RuntimeHints();
        new DurableRuntimeHints().registerHints(hints, getClass().getClassLoader());
        assertThat(resource().forResource("dev/durable/store/postgres/migration/V1__runs_and_histories.sql"))
                .accepts(hints);
        assertThat(resource().forResource("dev/durable/store/postgres/grants.sql"))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.proxies()
                        .forInterfaces(AopProxyUtils.completeJdkProxyInterfaces(DurableClient.class)))
                .accepts(hints);
    }

    private static RuntimeHints processed() {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            AutoConfigurationPackages.register(
                    context, GreetingWorkflow.class.getPackageName(), AheadOfTimeTest.class.getPackageName());
            context.register(Beans.class, DurableAutoConfiguration.class);
            DefaultGenerationContext generation = new DefaultGenerationContext(
                    new ClassNameGenerator(ClassName.get("dev.durable.spring.aot", "Generated")),
                    new InMemoryGeneratedFiles());
            new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
            return generation.getRuntimeHints();
        }
    }

    private static Condition<RuntimeHints> withMembers(Class<?> type) {
        return new Condition<>(
                reflection()
                        .onType(type)
                        .withMemberCategories(
                                MemberCategory.INVOKE_DECLARED_CONSTRUCTORS, MemberCategory.INVOKE_DECLARED_METHODS),
                "members of %s",
                type.getSimpleName());
    }

    record Bill(List<Line> lines) {}

    record Line(String what, long cents) {}

    record Receipt(String number) {}

    static class TooMuch extends Exception {
        private static final long serialVersionUID = 1L;
    }

    @Activity
    interface Ledger {
        Receipt book(Bill bill) throws TooMuch;
    }

    @Workflow
    static class Billing {
        private final Ledger ledger;

        Billing(Ledger ledger) {
            this.ledger = ledger;
        }

        @Run
        Receipt run(Bill bill) throws TooMuch {
            return ledger.book(bill);
        }

        @Signal
        void more(Line line) {}
    }

    static class Beans {
        @Bean
        Greetings greetings() {
            return name -> "hello " + name;
        }

        @Bean
        DataSource dataSource() {
            return new HikariDataSource();
        }
    }
}
