package dev.durable.spring.greedy;

import dev.durable.Run;
import dev.durable.Workflow;
import org.springframework.jdbc.core.JdbcTemplate;

/** Wants a bean, as a service would. */
@Workflow
public class GreedyWorkflow {
    private final JdbcTemplate jdbc;

    public GreedyWorkflow(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @Run
    public void run() {
        jdbc.execute("select 1");
    }
}
