package dev.durable.spring.app;

import dev.durable.client.DurableClient;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionalEventListener;

/** Writes a row of its own and starts a workflow in one transaction. */
public class Orders {
    private final DurableClient client;
    private final JdbcTemplate jdbc;
    private final ApplicationEventPublisher events;

    Orders(DurableClient client, JdbcTemplate jdbc, ApplicationEventPublisher events) {
        this.client = client;
        this.jdbc = jdbc;
        this.events = events;
    }

    /** An order was placed. */
    public record Placed(String id) {}

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

    /** Tells of it, and starts nothing itself. */
    @Transactional
    public void announce(String id, boolean fail) {
        jdbc.update("insert into shop_order (id) values (?)", id);
        events.publishEvent(new Placed(id));
        if (fail) {
            throw new IllegalStateException("no such customer");
        }
    }

    // docs: spring-listener
    @TransactionalEventListener // after the commit, unless another phase is named
    void placed(Placed order) {
        client.start(GreetingWorkflow.class, order.id(), w -> w.run(order.id()));
    }
    // docs: end
}
