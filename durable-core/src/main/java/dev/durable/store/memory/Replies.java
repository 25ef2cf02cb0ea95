package dev.durable.store.memory;

import dev.durable.store.Reply;
import dev.durable.store.Transition;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The answers of runs to updates. */
final class Replies {
    private final Tables tables;
    private final Map<Key, Kept> kept = new HashMap<>();

    private record Key(UUID chain, UUID reply) {}

    private record Kept(Reply reply, Instant at) {}

    Replies(Tables tables) {
        this.tables = tables;
    }

    void add(Transition.Mail mail) {
        mail.replies().forEach(reply -> kept.put(new Key(mail.chain(), reply.id()), new Kept(reply, tables.now())));
    }

    Reply.State state(Reply.Question question) {
        UUID run = question.run().runId();
        Kept found = kept.getOrDefault(new Key(run, question.message()), kept.get(new Key(run, question.answer())));
        @Nullable RunRow row = tables.runs().findOpen(question.run().workflowId(), run);
        return new Reply.State(
                question,
                found == null ? null : found.reply(),
                row != null && row.inbox().contains(question.message()),
                row != null);
    }

    /** Returns whether the chain of the run has answered this message, or the update of this answer id. */
    boolean has(RunRow run, UUID reply) {
        return kept.containsKey(new Key(run.chainId(), reply));
    }

    int purge(Duration age, int limit) {
        Instant oldest = tables.now().minus(age);
        List<Key> gone = kept.entrySet().stream()
                .filter(entry -> entry.getValue().at().isBefore(oldest))
                .limit(limit)
                .map(Map.Entry::getKey)
                .toList();
        gone.forEach(kept::remove);
        return gone.size();
    }
}
