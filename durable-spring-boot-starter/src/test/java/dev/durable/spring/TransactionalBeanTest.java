package dev.durable.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.ActivityFailedException;
import dev.durable.client.DurableClient;
import dev.durable.spring.app.BookingWorkflow;
import dev.durable.spring.app.JdbcLedger;
import dev.durable.spring.app.Ledger;
import dev.durable.spring.app.ShopApplication;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.jdbc.core.JdbcTemplate;

/** A transactional activity that writes with Spring's means. */
@SpringBootTest(classes = ShopApplication.class)
@Tag("slow")
class TransactionalBeanTest {
    private static final Duration SOON = Duration.ofSeconds(30);

    @Autowired
    private DurableClient client;

    @Autowired
    private JdbcTemplate jdbc;

    @BeforeEach
    void tables() {
        jdbc.execute("create table if not exists booking (account text not null)");
        jdbc.execute("create table if not exists audit_note (what text not null)");
    }

    @Test
    void what_jdbc_templates_and_transactional_beans_write_commits_with_the_completion_and_only_then() {
        assertThat(client.start(BookingWorkflow.class, "t-1", w -> w.run("ann", 2))
                        .result(SOON))
                .isEqualTo(3);
        assertThat(rows("booking", "account", "ann")).isOne();
        assertThat(rows("audit_note", "what", "ann")).isOne();
    }

    @Test
    void a_background_job_that_fails_for_good_leaves_nothing() {
        var job = client.enqueue(Ledger.class, ledger -> ledger.book("bob", 9));
        assertThatThrownBy(() -> job.resultAs(Integer.class, SOON))
                .isInstanceOf(ActivityFailedException.class)
                .hasMessageContaining("after its writes");
        assertThat(rows("booking", "account", "bob")).isZero();
        assertThat(rows("audit_note", "what", "bob")).isZero();
    }

    /** The bean throws it wrapped, by JdbcTemplate, and the manager can't roll back what is gone. */
    @Test
    void a_connection_that_is_lost_in_the_body_uses_no_attempt() {
        assertThat(client.start(BookingWorkflow.class, "t-2", w -> w.run("carl", JdbcLedger.LOSES_ITS_CONNECTION_TWICE))
                        .result(SOON))
                .as("the attempt that completed")
                .isOne();
        assertThat(rows("booking", "account", "carl")).isOne();
    }

    private long rows(String table, String column, String value) {
        Long count =
                jdbc.queryForObject("select count(*) from " + table + " where " + column + " = ?", Long.class, value);
        return count == null ? 0 : count;
    }
}
