package dev.durable.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.WorkflowNotFoundException;
import dev.durable.client.DurableClient;
import dev.durable.spring.app.GreetingWorkflow;
import dev.durable.spring.app.Orders;
import dev.durable.spring.app.ShopApplication;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.jdbc.core.JdbcTemplate;

@SpringBootTest(classes = ShopApplication.class)
@Tag("slow")
class StarterTest {
    private static final Duration SOON = Duration.ofSeconds(30);

    @Autowired
    private DurableClient client;

    @Autowired
    private Orders orders;

    @Autowired
    private JdbcTemplate jdbc;

    @BeforeEach
    void table() {
        jdbc.execute("create table if not exists shop_order (id text primary key)");
    }

    @Test
    void workflowsAndActivityBeansAreFoundAndRun() {
        var greeting = client.start(GreetingWorkflow.class, "g-1", w -> w.run("ann"));
        assertThat(greeting.result(SOON)).isEqualTo("hello ann");
    }

    @Test
    void aStartInACommittedTransactionRuns() {
        orders.place("o-1", false);
        assertThat(client.handle(GreetingWorkflow.class, "o-1").resultAs(String.class))
                .isEqualTo("hello o-1");
    }

    @Test
    void aStartInATransactionThatRollsBackNeverWas() {
        assertThatThrownBy(() -> orders.place("o-2", true)).hasMessage("no such customer");
        assertThat(jdbc.queryForObject("select count(*) from shop_order where id = 'o-2'", Long.class))
                .isZero();
        assertThatThrownBy(() -> client.history("o-2")).isInstanceOf(WorkflowNotFoundException.class);
    }

    @Test
    void aListenerAfterTheCommitStartsAWorkflow() {
        orders.announce("o-3", false);
        assertThat(client.handle(GreetingWorkflow.class, "o-3").resultAs(String.class))
                .isEqualTo("hello o-3");
        assertThatThrownBy(() -> orders.announce("o-4", true)).hasMessage("no such customer");
        assertThatThrownBy(() -> client.history("o-4")).isInstanceOf(WorkflowNotFoundException.class);
    }
}
