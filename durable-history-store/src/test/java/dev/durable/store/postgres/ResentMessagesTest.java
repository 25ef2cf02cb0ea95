package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.Delivery;
import dev.durable.store.NewRun;
import dev.durable.store.Reply;
import dev.durable.store.RunKey;
import dev.durable.store.contract.NewRunBuilder;
import dev.durable.store.contract.Writer;
import dev.durable.store.postgres.testing.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A message is committed and the answer is lost: sent again, it is taken in once, whichever run has consumed it since. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class ResentMessagesTest {
    private final TestDatabase database = TestDatabase.migrated();
    private final AtomicBoolean losesAnswer = new AtomicBoolean();
    private final PostgresHistoryStore store = PostgresHistoryStore.builder(
                    between(DataSource.class, database.pooledDataSource(4), null))
            .notify(false)
            .build();

    @BeforeEach
    void open() {
        store.open();
    }

    @AfterEach
    void close() {
        store.close();
        database.close();
    }

    @Test
    void a_signal_by_workflow_id_is_not_handled_by_the_next_run_of_the_id() {
        Writer first = started();
        InboxMessage message = message(MessageKind.SIGNAL);
        loseAnswer(null, message);
        first.write(first.step().consumes(message));
        first.write(first.closing());
        Writer next = started();

        assertThat(deliver(null, message)).isEqualTo(Delivery.Outcome.ACCEPTED);

        assertThat(waiting(next.run())).isEmpty();
    }

    @Test
    void a_message_to_a_chain_is_accepted_although_a_later_run_of_it_has_closed_and_another_chain_is_open() {
        Writer first = started();
        NewRun second = new NewRunBuilder(store, "order-1").build();
        first.write(first.step().continuesAs(second));
        InboxMessage message = message(MessageKind.UPDATE);
        loseAnswer(first.run().runId(), message);
        Writer writer = new Writer(store, second.run(), second.fence(), 2);
        writer.write(writer.step().consumes(message));
        writer.write(writer.closing());
        Writer other = started();

        assertThat(deliver(first.run().runId(), message)).isEqualTo(Delivery.Outcome.ACCEPTED);

        assertThat(waiting(other.run())).isEmpty();
    }

    @Test
    void a_rejected_update_is_not_judged_again() {
        Writer first = started();
        NewRun second = new NewRunBuilder(store, "order-1").build();
        InboxMessage message = message(MessageKind.UPDATE);
        loseAnswer(first.run().runId(), message);
        first.write(first.step().drops(message).replies(new Reply(message.messageId(), Reply.Kind.REJECTED, "{}")));

        assertThat(deliver(first.run().runId(), message)).isEqualTo(Delivery.Outcome.ACCEPTED);
        assertThat(waiting(first.run())).as("in the run that has rejected it").isEmpty();

        loseAnswer(first.run().runId(), message);
        first.write(first.step().continuesAs(second));
        assertThat(deliver(first.run().runId(), message)).isEqualTo(Delivery.Outcome.ACCEPTED);
        assertThat(waiting(second.run())).as("in the next").isEmpty();
    }

    @Test
    void a_message_that_meets_a_closing_run_when_it_is_sent_again_is_not_handled_by_the_next_run_of_the_id() {
        Writer first = started();
        InboxMessage message = message(MessageKind.SIGNAL);
        loseAnswer(null, message);
        first.write(first.step().consumes(message));
        Sql.execute(database.dataSource(), "update durable.run_state set closing = true");
        assertThat(deliver(null, message)).isEqualTo(Delivery.Outcome.CLOSING);
        first.write(first.closing());
        Writer next = started();

        assertThat(deliver(null, message)).isEqualTo(Delivery.Outcome.ACCEPTED);

        assertThat(waiting(next.run())).isEmpty();
    }

    private Writer started() {
        NewRunBuilder run = new NewRunBuilder(store, "order-1").firstTurnDone();
        store.start(List.of(run.build()));
        return new Writer(store, run.key(), run.fence(), 2);
    }

    private static InboxMessage message(MessageKind kind) {
        return new InboxMessage(UUID.randomUUID(), kind, "approve", "[]", null, null);
    }

    private Delivery.Outcome deliver(@Nullable UUID run, InboxMessage message) {
        return store.deliver(List.of(new Delivery("order-1", run, message))).getFirst();
    }

    private void loseAnswer(@Nullable UUID run, InboxMessage message) {
        losesAnswer.set(true);
        assertThatThrownBy(() -> deliver(run, message)).isInstanceOf(CommitUnknownException.class);
    }

    private List<InboxMessage> waiting(RunKey run) {
        return store.messages(List.of(run), 10).getOrDefault(run.runId(), List.of());
    }

    /** Passes calls through, and loses the answer to a transaction that has inserted into an inbox. */
    private <T> T between(Class<T> type, Object target, @Nullable String sql) {
        return type.cast(Proxy.newProxyInstance(
                ResentMessagesTest.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    try {
                        Object result = method.invoke(target, arguments);
                        if (method.getName().startsWith("execute")
                                && sql != null
                                && sql.contains("insert into durable.inbox")
                                && sql.contains("commit")
                                && losesAnswer.getAndSet(false)) {
                            throw new SQLException("the answer was lost", "08006");
                        }
                        return switch (method.getName()) {
                            case "getConnection" ->
                                type == DataSource.class ? between(Connection.class, result, null) : result;
                            case "prepareStatement" -> between(PreparedStatement.class, result, (String) arguments[0]);
                            default -> result;
                        };
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}
