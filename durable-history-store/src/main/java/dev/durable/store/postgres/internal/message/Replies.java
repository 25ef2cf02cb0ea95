package dev.durable.store.postgres.internal.message;

import static dev.durable.store.postgres.internal.sql.Param.shorts;
import static dev.durable.store.postgres.internal.sql.Param.texts;
import static dev.durable.store.postgres.internal.sql.Param.uuids;

import dev.durable.store.Reply;
import dev.durable.store.Transition;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.TransactionSettings;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rows of {@code reply}: written with transitions, read by all waiting callers of a process together. */
public final class Replies {
    /** Writes answers. A rejected update that is sent again has another message id, so no answer replaces another's. */
    private static final String WRITE = """
            insert into durable.reply (run_id, reply_id, at, shard, kind, body)
            select u.run_id, u.reply_id, durable.clock(), u.shard, u.kind, u.body::json
              from unnest(?::uuid[], ?::smallint[], ?::uuid[], ?::smallint[], ?::text[])
                   as u(run_id, shard, reply_id, kind, body)
             order by u.run_id, u.reply_id
            on conflict (run_id, reply_id, shard) do nothing""";

    /**
     * One snapshot of an update's row in the inbox, its answer, and the open run of the chain: a transition changes them
     * together.
     */
    private static final String STATES = """
            select u.item, r.kind, r.body,
                   exists (select 1 from durable.inbox i
                            where i.run_id = s.run_id and i.message_id = u.message and i.shard = u.shard offset 0) as waits,
                   s.run_id is not null as open
              from unnest(?::uuid[], ?::text[], ?::smallint[], ?::uuid[], ?::uuid[])
                   with ordinality as u(run_id, workflow_id, shard, message, answer, item)
              left join lateral (select s.run_id from durable.run_state s
                    where s.workflow_id = u.workflow_id and +s.shard = u.shard and u.run_id in (s.run_id, s.chain_id)
                    offset 0) s on true
              left join lateral (select r.kind, r.body from durable.reply r
                    where r.run_id = u.run_id and r.shard = u.shard and r.reply_id in (u.message, u.answer)
                    order by r.reply_id = u.message desc limit 1) r on true""";

    private static final String PURGE = """
            delete from durable.reply where ctid = any(array(
                select r.ctid from durable.reply r where r.at < durable.clock() - ? * interval '1 ms'
                 order by r.at limit ? for update skip locked))""";

    private final Connections connections;

    public Replies(Connections connections) {
        this.connections = connections;
    }

    /** Adds the statement that writes the answers of transitions, if they have any. */
    public static void write(SqlScript script, List<Transition> transitions) {
        List<Row> rows = transitions.stream()
                .flatMap(step -> step.mail().replies().stream().map(reply -> new Row(step, reply)))
                .toList();
        if (!rows.isEmpty()) {
            script.then(
                    WRITE,
                    uuids(rows, row -> row.step().mail().chain()),
                    shorts(rows, row -> row.step().run().shard()),
                    uuids(rows, row -> row.reply().id()),
                    shorts(rows, row -> row.reply().kind().code()),
                    texts(rows, row -> row.reply().body()));
        }
    }

    private record Row(Transition step, Reply reply) {}

    /** Returns the states of updates. */
    public List<Reply.State> states(List<Reply.Question> questions) {
        return connections.read(TransactionSettings.SHORT, tx -> {
            List<Reply.State> states = new ArrayList<>();
            tx.last(new SqlScript()
                    .read(
                            STATES,
                            row -> states.add(state(questions, row)),
                            uuids(questions, asked -> asked.run().runId()),
                            texts(questions, asked -> asked.run().workflowId()),
                            shorts(questions, asked -> asked.run().shard()),
                            uuids(questions, Reply.Question::message),
                            uuids(questions, Reply.Question::answer)));
            return states;
        });
    }

    private static Reply.State state(List<Reply.Question> questions, ResultSet row) throws SQLException {
        Reply.Question question = questions.get(row.getInt("item") - 1);
        return new Reply.State(question, reply(question, row), row.getBoolean("waits"), row.getBoolean("open"));
    }

    private static @Nullable Reply reply(Reply.Question question, ResultSet row) throws SQLException {
        int kind = row.getInt("kind");
        return row.wasNull() ? null : new Reply(question.answer(), Reply.Kind.of(kind), row.getString("body"));
    }

    /** Deletes old answers; returns how many. */
    public int purge(Duration kept, int limit) {
        return connections.transaction(TransactionSettings.SHORT, tx -> {
            List<Integer> gone = new ArrayList<>();
            tx.last(new SqlScript()
                    .read(
                            "with gone as (" + PURGE + " returning 1) select count(*) as rows from gone",
                            row -> gone.add(row.getInt("rows")),
                            Param.of(kept.toMillis()),
                            Param.of(limit)));
            return gone.getFirst();
        });
    }
}
