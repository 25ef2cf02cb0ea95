package dev.durable.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.WorkflowNotFoundException;
import dev.durable.client.DurableClient;
import dev.durable.spring.app.ChatWorkflow;
import dev.durable.spring.app.Conversations;
import dev.durable.spring.app.ShopApplication;
import dev.durable.spring.app.Surroundings;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.jdbc.core.JdbcTemplate;

/** Calls of the client inside Spring's transactions, of every propagation. */
@SpringBootTest(classes = ShopApplication.class)
class SpringTransactionTest {
    private static final Duration SOON = Duration.ofSeconds(30);

    @Autowired
    private DurableClient client;

    @Autowired
    private Conversations conversations;

    @Autowired
    private Surroundings surroundings;

    @Autowired
    private JdbcTemplate jdbc;

    @BeforeEach
    void tables() {
        jdbc.execute("create table if not exists audit_note (what text not null)");
    }

    @Test
    void a_signal_is_sent_exactly_if_the_transaction_commits() {
        var chat = client.startVoid(ChatWorkflow.class, "chat-1", ChatWorkflow::run);
        assertThatThrownBy(() -> conversations.say("chat-1", "never", true)).hasMessage("after the signal");
        conversations.say("chat-1", "hello", false);
        conversations.say("chat-1", "bye", false);
        chat.result(SOON);
        assertThat(chat.query(ChatWorkflow::heard)).containsExactly("hello", "bye");
    }

    @Test
    void an_independent_client_stays_out_of_a_transaction_that_rolls_back() {
        var chat = client.startVoid(ChatWorkflow.class, "chat-2", ChatWorkflow::run);
        assertThatThrownBy(() -> conversations.sayAnyway("chat-2", "bye")).hasMessage("after the signal");
        chat.result(SOON);
        assertThat(chat.query(ChatWorkflow::heard)).containsExactly("bye");
    }

    @Test
    void a_start_belongs_to_the_innermost_transaction() {
        assertThatThrownBy(() -> surroundings.rollBackAfter(() -> conversations.startInItsOwn("chat-3")))
                .hasMessage("rolled back after it");
        assertThatThrownBy(() -> surroundings.rollBackAfter(() -> conversations.startOutside("chat-4")))
                .hasMessage("rolled back after it");
        assertThatThrownBy(() -> surroundings.rollBackAfter(
                        () -> client.startVoid(ChatWorkflow.class, "chat-5", ChatWorkflow::run)))
                .hasMessage("rolled back after it");
        assertThat(client.history("chat-3")).isNotEmpty();
        assertThat(client.history("chat-4")).isNotEmpty();
        assertThatThrownBy(() -> client.history("chat-5")).isInstanceOf(WorkflowNotFoundException.class);
    }
}
