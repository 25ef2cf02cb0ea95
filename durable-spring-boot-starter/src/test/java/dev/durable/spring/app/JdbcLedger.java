package dev.durable.spring.app;

import dev.durable.ActivityContext;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.jdbc.core.JdbcTemplate;

/** Writes with the application's means: its JdbcTemplate, and a bean with {@code @Transactional}. */
public class JdbcLedger implements Ledger {
    /** As the number of its failures. */
    public static final int LOSES_ITS_CONNECTION_TWICE = -2;

    private final AtomicInteger toLose = new AtomicInteger(2);
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
        if (failures == LOSES_ITS_CONNECTION_TWICE && toLose.getAndDecrement() > 0) {
            jdbc.queryForObject("select pg_terminate_backend(pg_backend_pid())", Boolean.class);
        }
        if (ActivityContext.current().info().attempt() <= failures) {
            throw new IllegalStateException("after its writes");
        }
        return ActivityContext.current().info().attempt();
    }
}
