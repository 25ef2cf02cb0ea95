package dev.durable.spring.app;

import dev.durable.DurableClient;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** Writes a row of its own and starts a workflow in one transaction. */
public class Orders {
    private final DurableClient client;
    private final JdbcTemplate jdbc;

    Orders(DurableClient client, JdbcTemplate jdbc) {
        this.client = client;
        this.jdbc = jdbc;
    }

    // docs: spring-transaction
    @Transactional
    public void place(String id, boolean fail) {
        jdbc.update("insert into shop_order (id) values (?)", id);
        client.start(GreetingWorkflow.class, id, w -> w.run(id)); // exists exactly if the row does
        if (fail) {
            throw new IllegalStateException("no such customer");
        }
    }
    // docs: end
}
