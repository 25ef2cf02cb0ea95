package dev.durable.spring.app;

import dev.durable.ActivityContext;
import org.springframework.jdbc.core.JdbcTemplate;

/** Writes with the application's means: its JdbcTemplate, and a bean with {@code @Transactional}. */
class JdbcLedger implements Ledger {
    private final JdbcTemplate jdbc;
    private final Audit audit;

    JdbcLedger(JdbcTemplate jdbc, Audit audit) {
        this.jdbc = jdbc;
        this.audit = audit;
    }

    @Override
    public int book(String account, int failures) {
        jdbc.update("insert into booking (account) values (?)", account);
        audit.note(account);
        if (ActivityContext.current().info().attempt() <= failures) {
            throw new IllegalStateException("after its writes");
        }
        return ActivityContext.current().info().attempt();
    }
}
