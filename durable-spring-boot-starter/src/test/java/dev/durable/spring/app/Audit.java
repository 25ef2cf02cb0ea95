package dev.durable.spring.app;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** Notes what happened, in the transaction of the caller. */
public class Audit {
    private final JdbcTemplate jdbc;

    Audit(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @Transactional
    public void note(String what) {
        jdbc.update("insert into audit_note (what) values (?)", what);
    }
}
